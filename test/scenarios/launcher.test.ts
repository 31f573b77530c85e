/**
 * The launchers as a user meets them: real processes, real links. Most run against a package whose command line
 * only tells how it was started, so that a failure here is a failure of the launcher.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { haveStrace, repository } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const installedBun = [
  join(repository, 'node_modules/bun/bin/bun.exe'),
  ...(existsSync(join(repository, 'node_modules/@oven'))
    ? readdirSync(join(repository, 'node_modules/@oven')).map((name) =>
        join(repository, 'node_modules/@oven', name, 'bin/bun'),
      )
    : []),
].find((path) => existsSync(path) && statSync(path).size > 100_000)

const noBun = installedBun === undefined ? 'Bun is not installed with the package' : undefined
const onBun = (title: string, body: () => void): void =>
  noBun === undefined ? it(title, body) : it.skip(`${title} (skipped: ${noBun})`, () => {})

/** Says how it was started. `yaml` stands for a dependency, `./part.js` for a part of ourselves. */
const tellingMain = `
import { part } from './part.js'
const yaml = await import('yaml')
const missing = await import('a-package-nobody-installed').then(() => 'loaded', () => 'missing')
const runtime = typeof Bun === 'undefined' ? 'node' : 'bun'
const planted = Object.keys(process.env).filter((name) => name.startsWith('PLANTED'))
console.log(JSON.stringify({ runtime, args: process.argv.slice(2), part, yaml: yaml.who, missing, planted }))
`

type Layout = 'moved' | 'unmoved' | 'placeholder' | 'other C library' | 'none'

/** A package as npm leaves it, with Bun in one of the places where it can be. */
function makePackage(root: string, bun: Layout, modules = join(root, 'node_modules')): string {
  write(join(root, 'package.json'), '{ "name": "signalbox", "type": "module" }')
  write(join(root, 'dist/main.js'), tellingMain)
  write(join(root, 'dist/part.js'), "export const part = 'ours'")
  write(join(modules, 'yaml/package.json'), '{ "name": "yaml", "type": "module", "main": "index.js" }')
  write(join(modules, 'yaml/index.js'), "export const who = 'ours'")
  mkdirSync(join(root, 'bin'), { recursive: true })
  for (const name of ['signalbox', 'acmq']) {
    copyFileSync(join(repository, 'bin', name), join(root, 'bin', name))
    chmodSync(join(root, 'bin', name), 0o755)
  }
  placeBun(modules, bun)
  return root
}

function placeBun(modules: string, layout: Layout): void {
  if (layout === 'none') return
  const moved = join(modules, 'bun/bin/bun.exe')
  const unmoved = join(modules, '@oven/bun-linux-x64/bin/bun')
  // What npm puts there before the install script runs, and for good where install scripts are off.
  write(moved, 'echo "the install script was not run" >&2\nexit 1\n')
  chmodSync(moved, 0o755)
  if (layout === 'moved') {
    mkdirSync(dirname(unmoved), { recursive: true })
    rmSync(moved)
    symlinkSync(installedBun!, moved)
  }
  if (layout === 'unmoved') link(installedBun!, unmoved)
  if (layout === 'other C library') {
    const foreign = join(modules, '@oven/bun-linux-x64-musl/bin/bun')
    write(foreign, 'exit 1\n')
    chmodSync(foreign, 0o755)
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

interface Options {
  readonly cwd?: string
  readonly env?: Record<string, string>
  readonly input?: string
}

function start(program: string, args: readonly string[] = [], options: Options = {}): SpawnSyncReturns<string> {
  // Test runners set NODE_ENV, and a user does not.
  const { SIGNALBOX_RUNTIME: _runtime, NODE_ENV: _mode, ...env } = process.env
  const result = spawnSync(program, args, { encoding: 'utf8', ...options, env: { ...env, ...options.env } })
  if (result.error) throw result.error
  return result
}

/** What the telling command line said. */
function tell(program: string, args: readonly string[] = [], options: Options = {}) {
  const { status, stdout, stderr } = start(program, args, options)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = stdout.trim().split('\n')
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0]!) as {
    runtime: string
    args: string[]
    part: string
    yaml: string
    missing: string
    planted: string[]
  }
}

const anyLayout: Layout = noBun === undefined ? 'moved' : 'none'
const oddArguments = [
  '',
  ' ',
  'two words',
  'two\nlines',
  '"',
  "'",
  '$HOME',
  '`id`',
  '*',
  '\\',
  '--',
  '-e',
  '--help',
  '--config=x',
  'ü',
]

describe('what is started', () => {
  onBun('Bun, where its install script put it', () => {
    expect(tell(`${makePackage(tempDir(), 'moved')}/bin/signalbox`).runtime).toBe('bun')
  })

  onBun('Bun, where it lies when install scripts are off', () => {
    expect(tell(`${makePackage(tempDir(), 'unmoved')}/bin/signalbox`).runtime).toBe('bun')
  })

  onBun('Bun, when npm installed it beside the package', () => {
    for (const layout of ['moved', 'unmoved'] as const) {
      const modules = join(tempDir(), 'node_modules')
      makePackage(join(modules, 'signalbox'), layout, modules)
      expect(tell(join(modules, 'signalbox/bin/signalbox')).runtime).toBe('bun')
    }
  })

  onBun('Bun, where pnpm puts it: every package in a folder of its own, beside links to what it needs', () => {
    for (const layout of ['moved', 'unmoved'] as const) {
      const modules = join(tempDir(), 'node_modules')
      const own = join(modules, '.pnpm/signalbox@0.1.0/node_modules')
      makePackage(join(own, 'signalbox'), 'none', own)
      placeBun(join(modules, '.pnpm/bun@1.0.0/node_modules'), layout)
      link('../../bun@1.0.0/node_modules/bun', join(own, 'bun'))
      link('.pnpm/signalbox@0.1.0/node_modules/signalbox', join(modules, 'signalbox'))
      for (const name of ['signalbox', 'acmq']) expect(tell(join(modules, 'signalbox/bin', name)).runtime).toBe('bun')
    }
  })

  onBun('not a stranger named Bun beside a clone', () => {
    const projects = tempDir()
    const root = makePackage(join(projects, 'signalbox'), 'none')
    placeBun(projects, 'moved')
    expect(tell(`${root}/bin/signalbox`).runtime).toBe('node')
  })

  it('Node, when Bun is not there', () => {
    expect(tell(`${makePackage(tempDir(), 'none')}/bin/signalbox`).runtime).toBe('node')
  })

  it('Node, when there is only the placeholder of Bun', () => {
    expect(tell(`${makePackage(tempDir(), 'placeholder')}/bin/signalbox`).runtime).toBe('node')
  })

  const hasMusl = existsSync('/lib') && readdirSync('/lib').some((name) => name.startsWith('ld-musl-'))
  it.skipIf(hasMusl)('Node, when Bun is there for another C library', () => {
    expect(tell(`${makePackage(tempDir(), 'other C library')}/bin/signalbox`).runtime).toBe('node')
  })

  onBun('what SIGNALBOX_RUNTIME says', () => {
    const program = `${makePackage(tempDir(), 'moved')}/bin/signalbox`
    expect(tell(program, [], { env: { SIGNALBOX_RUNTIME: 'node' } }).runtime).toBe('node')
    expect(tell(program, [], { env: { SIGNALBOX_RUNTIME: 'bun' } }).runtime).toBe('bun')
    expect(tell(program, [], { env: { SIGNALBOX_RUNTIME: '' } }).runtime).toBe('bun')
  })

  it('one clear line, when what SIGNALBOX_RUNTIME says is not there', () => {
    const program = `${makePackage(tempDir(), 'none')}/bin/signalbox`
    expect(start(program, [], { env: { SIGNALBOX_RUNTIME: 'bun' } })).toMatchObject({
      status: 8,
      stdout: '',
      stderr:
        'signalbox: SIGNALBOX_RUNTIME=bun, but Bun is not installed with the package: run `npm install bun`, or unset it\n',
    })
    expect(start(program, [], { env: { SIGNALBOX_RUNTIME: 'deno' } })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'signalbox: SIGNALBOX_RUNTIME=deno is not a runtime: use bun or node\n',
    })
  })

  it('one clear line, when there is no runtime at all', () => {
    const program = `${makePackage(tempDir(), 'none')}/bin/signalbox`
    expect(start(program, [], { env: { PATH: tempDir() } })).toMatchObject({
      status: 8,
      stdout: '',
      stderr: 'signalbox: neither Bun nor Node is here: install Node 20.19 or newer\n',
    })
  })

  it('one clear line, when nothing is built', () => {
    const root = makePackage(tempDir(), anyLayout)
    rmSync(join(root, 'dist'), { recursive: true })
    for (const name of ['signalbox', 'acmq']) {
      expect(start(join(root, 'bin', name))).toMatchObject({
        status: 70,
        stdout: '',
        stderr: 'signalbox: dist/main.js is missing: run `npm run build` where Signalbox is installed\n',
      })
    }
  })
})

const compiledParts = () => readdirSync(join(repository, 'dist')).filter((name) => name.endsWith('-on-bun.js'))

describe('the program compiled ahead for Bun', () => {
  const compiled = 'console.log(JSON.stringify({ compiled: process.argv.slice(2) }))'
  const both = () => {
    const root = makePackage(tempDir(), anyLayout)
    write(join(root, 'dist/main-on-bun.js'), compiled)
    return root
  }

  onBun('is what Bun starts', () => {
    const { stdout } = start(`${both()}/bin/acmq`, ['send', 'alpha'])
    expect(JSON.parse(stdout)).toEqual({ compiled: ['acmq', 'send', 'alpha'] })
  })

  onBun('is left alone when only the version is asked for, which takes less than reading it', () => {
    for (const words of [['version'], ['--version'], ['-V', '--json']])
      expect(tell(`${both()}/bin/signalbox`, words).args).toEqual(words)
  })

  onBun('compiles what runs often later than Bun would, unless it is told otherwise', () => {
    const root = makePackage(tempDir(), anyLayout)
    const variable = 'BUN_JSC_thresholdForJITAfterWarmUp'
    write(join(root, 'dist/main-on-bun.js'), `console.log(process.env.${variable})`)
    expect(start(`${root}/bin/signalbox`, ['init']).stdout).toBe('5000\n')
    expect(start(`${root}/bin/signalbox`, ['init'], { env: { [variable]: '70' } }).stdout).toBe('70\n')
  })

  it('is nothing to Node', () => {
    expect(tell(`${both()}/bin/signalbox`, ['init'], { env: { SIGNALBOX_RUNTIME: 'node' } }).runtime).toBe('node')
  })

  onBun('works without its bytecode, and with that of another version', () => {
    const parts = compiledParts()
    expect(parts).toContain('main-on-bun.js')
    for (const bytecode of [undefined, 'not bytecode', '']) {
      const root = makePackage(tempDir(), anyLayout)
      for (const name of [...parts, 'main.js']) copyFileSync(join(repository, 'dist', name), join(root, 'dist', name))
      if (bytecode !== undefined) for (const name of parts) write(join(root, `dist/${name}.jsc`), bytecode)
      const { status, stdout } = start(`${root}/bin/signalbox`, ['init', '--json'], { cwd: tempDir() })
      expect({ status, outcome: JSON.parse(stdout).outcome }).toEqual({ status: 0, outcome: 'created' })
    }
  })

  onBun('finds the packages it needs beside itself, wherever it was built', () => {
    const cwd = tempDir()
    write(join(cwd, 'signalbox.yaml'), 'acmq: { root: somewhere }\n')
    const { status, stderr } = start(join(repository, 'bin/acmq'), ['create-mission', 'alpha'], { cwd })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(existsSync(join(cwd, 'somewhere/alpha'))).toBe(true)
    for (const name of compiledParts())
      expect(readFileSync(join(repository, 'dist', name), 'latin1')).not.toContain(repository)
  })
})

describe('what is passed on', () => {
  for (const runtime of ['bun', 'node']) {
    const test = runtime === 'bun' ? onBun : it
    test(`arguments as they are, on ${runtime}`, () => {
      const root = makePackage(tempDir(), anyLayout)
      const env = { SIGNALBOX_RUNTIME: runtime }
      expect(tell(`${root}/bin/signalbox`, oddArguments, { env })).toMatchObject({ runtime, args: oddArguments })
      expect(tell(`${root}/bin/acmq`, oddArguments, { env })).toMatchObject({
        runtime,
        args: ['acmq', ...oddArguments],
      })
      expect(tell(`${root}/bin/signalbox`, [], { env }).args).toEqual([])
      expect(tell(`${root}/bin/acmq`, [], { env }).args).toEqual(['acmq'])
    })

    test(`standard input, exit status and signals, on ${runtime}`, () => {
      const root = makePackage(tempDir(), anyLayout)
      const env = { SIGNALBOX_RUNTIME: runtime }
      const program = `${root}/bin/signalbox`
      write(
        join(root, 'dist/main.js'),
        'for await (const text of process.stdin) process.stdout.write(text)\nprocess.exit(4)',
      )
      expect(start(program, [], { env, input: 'through\n' })).toMatchObject({
        status: 4,
        stdout: 'through\n',
        stderr: '',
      })
      write(
        join(root, 'dist/main.js'),
        "process.kill(process.pid, 'SIGTERM')\nawait new Promise(() => setInterval(() => {}, 1000))",
      )
      expect(start(program, [], { env })).toMatchObject({ status: null, signal: 'SIGTERM' })
    })
  }
})

describe('where it is started from', () => {
  const ways: Record<string, (root: string, elsewhere: string) => [program: string, cwd?: string]> = {
    'its own path': (root) => [`${root}/bin/acmq`],
    'a relative path': (root) => ['bin/acmq', root],
    'its own folder': (root) => ['./acmq', join(root, 'bin')],
    'an absolute link': (root, elsewhere) => {
      link(`${root}/bin/acmq`, `${elsewhere}/anything`)
      return [`${elsewhere}/anything`]
    },
    'a relative link': (_, elsewhere) => {
      link('../the package/bin/acmq', `${elsewhere}/anything`)
      return [`${elsewhere}/anything`]
    },
    'a link to a link': (_, elsewhere) => {
      link('../the package/bin/acmq', `${elsewhere}/first`)
      link('../first', `${elsewhere}/second/acmq`)
      return ['second/acmq', elsewhere]
    },
    'a link to the folder': (root, elsewhere) => {
      link(root, `${elsewhere}/folder`)
      return [`${elsewhere}/folder/bin/acmq`]
    },
    'the link of a local npm install': (root, elsewhere) => {
      link(root, `${elsewhere}/node_modules/signalbox`)
      link('../signalbox/bin/acmq', `${elsewhere}/node_modules/.bin/acmq`)
      return [`${elsewhere}/node_modules/.bin/acmq`]
    },
    'the link of a global npm install': (root, elsewhere) => {
      link(root, `${elsewhere}/lib/node_modules/signalbox`)
      link('../lib/node_modules/signalbox/bin/acmq', `${elsewhere}/bin/acmq`)
      return [`${elsewhere}/bin/acmq`]
    },
    'a link in a path with odd characters': (root, elsewhere) => {
      const odd = `${elsewhere}/a "b" $c 'd'\ne *`
      link(`${root}/bin/acmq`, `${odd}/-link`)
      return [`${odd}/-link`]
    },
  }
  for (const [way, prepare] of Object.entries(ways)) {
    it(way, () => {
      const parent = tempDir()
      const root = makePackage(join(parent, 'the package'), anyLayout)
      const elsewhere = join(parent, 'elsewhere')
      mkdirSync(elsewhere)
      const [program, cwd = elsewhere] = prepare(root, elsewhere)
      expect(tell(program, ['list'], { cwd })).toMatchObject({ args: ['acmq', 'list'], part: 'ours', yaml: 'ours' })
    })
  }

  it('the search path', () => {
    const root = makePackage(tempDir(), anyLayout)
    const env = { PATH: `${root}/bin:${process.env.PATH}` }
    expect(tell('acmq', ['list'], { env }).args).toEqual(['acmq', 'list'])
  })

  it('a shell that was handed the file', () => {
    const root = makePackage(tempDir(), anyLayout)
    expect(tell('sh', ['acmq', 'list'], { cwd: join(root, 'bin') }).args).toEqual(['acmq', 'list'])
  })
})

describe('a stranger’s directory runs nothing in our process', () => {
  const hostile = "console.log('PLANTED'); export const part = 'planted', who = 'planted'"
  const paths = JSON.stringify({
    compilerOptions: { baseUrl: '.', paths: { '*': ['./hostile.js'], './part.js': ['./hostile.js'] } },
  })
  /** Each file, and whether Bun left to itself is known to fall for it. */
  const plants: Record<string, { files: Record<string, string>; bunFallsForIt: boolean }> = {
    'bunfig.toml that preloads': { files: { 'bunfig.toml': 'preload = ["./hostile.js"]\n' }, bunFallsForIt: true },
    '.env': { files: { '.env': 'PLANTED=1\n' }, bunFallsForIt: true },
    '.env of a mode': {
      files: { '.env.local': 'PLANTED_A=1\n', '.env.development': 'PLANTED_B=1\n', '.env.production': 'PLANTED_C=1\n' },
      bunFallsForIt: true,
    },
    'tsconfig.json with paths': { files: { 'tsconfig.json': paths }, bunFallsForIt: true },
    'jsconfig.json with paths': { files: { 'jsconfig.json': paths }, bunFallsForIt: true },
    'package.json that maps modules': {
      files: {
        'package.json': JSON.stringify({
          type: 'module',
          imports: { '#x': './hostile.js', yaml: './hostile.js' },
          browser: { yaml: './hostile.js' },
          scripts: { 'main.js': 'echo PLANTED' },
        }),
      },
      bunFallsForIt: false,
    },
    'node_modules with our dependencies': {
      files: {
        'node_modules/yaml/package.json': '{ "type": "module", "main": "index.js" }',
        'node_modules/yaml/index.js': hostile,
        'node_modules/a-package-nobody-installed/package.json': '{ "type": "module", "main": "index.js" }',
        'node_modules/a-package-nobody-installed/index.js': hostile,
      },
      bunFallsForIt: false,
    },
    'files named as ours': {
      files: { 'main.js': hostile, 'part.js': hostile, 'dist/main.js': hostile },
      bunFallsForIt: false,
    },
  }
  const clean = { args: ['list'], part: 'ours', yaml: 'ours', missing: 'missing', planted: [] }

  for (const [name, { files, bunFallsForIt }] of Object.entries(plants)) {
    const plant = (): { cwd: string; below: string; root: string } => {
      const cwd = tempDir()
      write(join(cwd, 'hostile.js'), hostile)
      for (const [path, text] of Object.entries(files)) write(join(cwd, path), text)
      mkdirSync(join(cwd, 'below'))
      return { cwd, below: join(cwd, 'below'), root: makePackage(tempDir(), anyLayout) }
    }
    for (const runtime of ['bun', 'node']) {
      const test = runtime === 'bun' ? onBun : it
      test(`${name}, on ${runtime}`, () => {
        const { cwd, below, root } = plant()
        const env = { SIGNALBOX_RUNTIME: runtime }
        expect(tell(`${root}/bin/signalbox`, ['list'], { cwd, env })).toEqual({ runtime, ...clean })
        expect(tell(`${root}/bin/signalbox`, ['list'], { cwd: below, env })).toEqual({ runtime, ...clean })
      })
    }
    // Otherwise the tests above would prove nothing.
    if (bunFallsForIt) {
      onBun(`${name}: Bun left to itself falls for it`, () => {
        const { cwd, root } = plant()
        expect(start(installedBun!, [join(root, 'dist/main.js'), 'list'], { cwd }).stdout).toContain('PLANTED')
      })
    }
  }

  onBun('a dependency that is missing is not fetched from the registry', () => {
    const root = makePackage(tempDir(), 'none')
    const program = `${root}/bin/signalbox`
    rmSync(join(root, 'node_modules'), { recursive: true })
    placeBun(join(root, 'node_modules'), 'moved')
    const { status, stderr } = start(program, [], { cwd: tempDir(), env: { SIGNALBOX_RUNTIME: 'bun' } })
    expect(status).not.toBe(0)
    expect(stderr).toContain("Cannot find package 'yaml'")
  })
})

describe('what it costs', () => {
  const strace = haveStrace()
  for (const name of ['signalbox', 'acmq']) {
    verifies.unless(
      strace.reason,
      'X-cold',
      `${name} starts the runtime in its own place, and no process beside it`,
      () => {
        const parent = tempDir()
        const root = makePackage(join(parent, 'lib/node_modules/signalbox'), anyLayout)
        link(`../lib/node_modules/signalbox/bin/${name}`, join(parent, 'bin', name))
        for (const program of [join(root, 'bin', name), join(parent, 'bin', name)]) {
          const trace = join(parent, 'trace')
          expect(start('strace', ['-f', '-e', 'trace=process', '-o', trace, program]).status).toBe(0)
          const calls = [...readFileSync(trace, 'utf8').matchAll(/ (execve|v?fork|clone3?)\(.*/g)]
          // Everything up to the second successful execve happens in the shell.
          const runtimeAt = calls.findIndex(([line], at) => at > 0 && line.includes('execve(') && line.endsWith('= 0'))
          expect(calls.slice(1, runtimeAt).filter(([, call]) => call !== 'execve')).toEqual([])
          expect(calls[runtimeAt]![0]).toMatch(noBun === undefined ? /bun\.exe"/ : /node"/)
        }
      },
    )
  }
})

describe('the real command line', () => {
  for (const runtime of ['bun', 'node']) {
    verifies.unless(runtime === 'bun' ? noBun : undefined, 'X-library', `runs on ${runtime}`, () => {
      const env = { SIGNALBOX_RUNTIME: runtime }
      const { status, stdout, stderr } = start(join(repository, 'bin/signalbox'), ['version', '--json'], {
        env,
        cwd: tempDir(),
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
      expect(JSON.stringify(JSON.parse(stdout))).toContain(`"${version}"`)
    })
  }
})
