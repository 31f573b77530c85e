/**
 * Builds `dist/main.js`, `dist/index.js` and the kernel of the sentence model; if Bun is installed, also the program as bytecode; on request, the type
 * declarations and the child programs of the tests. What did not change is not built again.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { divide } from './bun-parts.mjs'
import { findBun, inRoot, isMain, packageJson, root, run, ScriptError, setup } from './setup.mjs'

/** Builds the command line and the library, on request types and child programs. Answers what was built. */
export async function build({ types = false, children = false } = {}) {
  const parts = [
    ['commands', buildCommands],
    ['js', buildJs],
    ['kernel', buildKernel],
    ...(findBun() === undefined ? [] : [['bytecode', buildBytecode]]),
    ...(types ? [['types', buildTypes]] : []),
    ...(children ? [['children', buildChildren]] : []),
  ]
  const done = []
  for (const [name, make] of parts) if (await onceFor(name, make)) done.push(name)
  return done
}

/** Bundles programs for tests, benchmarks and scripts: one self-contained file each, but for what is `external`. */
export async function bundlePrograms(entries, outdir, external = []) {
  await bundle({
    entryPoints: entries,
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: false,
    external: [...esbuildOptions().external, ...external],
  })
}

/** The table of commands, which the sources import. */
async function buildCommands() {
  const { currentFiles } = await import('./command-table.mjs')
  return Object.entries(await currentFiles()).map(([file, text]) => {
    replaceFile(inRoot(file), text)
    return inRoot(file)
  })
}

/** For those who only read the sources. */
export const ensureCommandTable = () => onceFor('commands', buildCommands)

async function buildJs() {
  const entryPoints = { main: inRoot('src/main.ts'), index: inRoot('src/index.ts') }
  // Code that both share, or that is imported on demand, gets files of its own, so that a cold command reads only what it needs.
  return await bundle({ entryPoints, outdir: inRoot('dist'), splitting: true, chunkNames: 'chunks/[name]-[hash]' })
}

/** The arithmetic of the sentence model, as WebAssembly. */
async function buildKernel() {
  const { default: asc } = await import('assemblyscript/asc')
  const made = inRoot('build/kernel/minilm.wasm')
  mkdirSync(dirname(made), { recursive: true })
  const { error, stderr } = await asc.main([
    ...['packages/minilm/assembly/kernel.ts', '--baseDir', root, '--outFile', fromRoot(made)],
    ...['-O3', '--runtime', 'stub', '--noAssert', '--importMemory', '--enable', 'simd'],
  ])
  if (error) throw new ScriptError(`The kernel could not be compiled:\n${stderr}`)
  replaceFile(inRoot('dist/minilm.wasm'), readFileSync(made))
  return [inRoot('dist/minilm.wasm')]
}

/**
 * The program as bytecode for Bun, because parsing is more than half of what a cold command costs. Another version of Bun
 * ignores the bytecode and parses the text beside it.
 */
async function buildBytecode() {
  const { build: esbuild } = await import('esbuild')
  // A script has no `import.meta`. esbuild would remove it, and Bun would put in the path of the source.
  const options = { ...esbuildOptions(), define: { ...defines(), 'import.meta.url': 'Bun.main' } }
  const { everydayFiles } = await import('./command-table.mjs')
  const texts = await divide(esbuild, root, options, await everydayFiles())
  const outdir = inRoot('build/bytecode')
  const made = Object.entries(texts).flatMap(([name, text]) => {
    const source = join(outdir, 'text', name)
    replaceFile(source, text)
    const { status, stdout, stderr } = spawnSync(
      findBun(),
      [
        ...['build', source, `--outdir=${outdir}`, `--entry-naming=${name}`],
        ...['--target=bun', '--format=cjs', '--bytecode', '--minify', '--external=*'],
      ],
      { cwd: root, encoding: 'utf8' },
    )
    if (status !== 0) throw new ScriptError(`Bun could not compile the program:\n${stdout}${stderr}`)
    return [`${name}.jsc`, name]
  })
  // Replace the first part last, so that a program that starts meanwhile finds the others.
  for (const file of made.toReversed()) replaceFile(inRoot('dist', file), readFileSync(join(outdir, file)))
  return made.map((file) => inRoot('dist', file))
}

function buildTypes() {
  const outdir = inRoot('dist/types')
  rmSync(outdir, { recursive: true, force: true })
  tsc('-p', 'tsconfig.types.json')
  return filesUnder(outdir)
}

async function buildChildren() {
  const entries = {}
  for (const path of filesUnder(inRoot('test')).filter((path) => path.endsWith('.child.ts'))) {
    const name = basename(path, '.child.ts')
    if (entries[name] !== undefined) {
      throw new ScriptError(`Two child programs are named ${name}: ${fromRoot(entries[name])} and ${fromRoot(path)}`)
    }
    entries[name] = path
  }
  await bundlePrograms(entries, inRoot('build/children'))
  return Object.keys(entries).map((name) => inRoot('build/children', `${name}.mjs`))
}

/** Runs the TypeScript compiler in the root; its output goes to the terminal. */
export function tsc(...args) {
  const { status } = spawnSync(process.execPath, [inRoot('node_modules/typescript/bin/tsc'), ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new ScriptError(`tsc ${args.join(' ')} failed`)
}

const defines = () => ({ __SIGNALBOX_VERSION__: JSON.stringify(packageJson().version) })

const esbuildOptions = () => ({
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['age-encryption', 'koffi', 'yaml', 'bun:*'],
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
})

async function bundle(options) {
  const { build: esbuild } = await import('esbuild')
  const result = await esbuild({ ...esbuildOptions(), define: defines(), ...options }).catch(() => {
    throw new ScriptError('The build failed; see the errors above.')
  })
  for (const { path, contents } of result.outputFiles) replaceFile(path, contents)
  const written = result.outputFiles.map(({ path }) => path)
  const stale = filesUnder(join(options.outdir, 'chunks')).filter(
    (path) => path.endsWith('.js') && !written.includes(path),
  )
  for (const path of stale) rmSync(path, { force: true })
  return written
}

/** Builds a part unless neither its sources nor the build scripts have changed since the last time. */
async function onceFor(name, make) {
  const stampPath = inRoot('build/stamps', `${name}.json`)
  const sources = sourcesHash(name)
  const stamp = existsSync(stampPath) ? JSON.parse(readFileSync(stampPath, 'utf8')) : undefined
  if (stamp?.sources === sources && stamp.outputs.every((path) => existsSync(inRoot(path)))) return false
  const outputs = await make()
  replaceFile(stampPath, JSON.stringify({ sources, outputs: outputs.map(fromRoot) }))
  return true
}

function sourcesHash(name) {
  const isOwn = (path) => name === 'commands' && path.endsWith('.generated.ts')
  const isSource = (path) => /\.(ts|mts|json)$/.test(path) && !path.endsWith('.test.ts') && !isOwn(path)
  const folders = {
    kernel: ['packages/minilm/assembly'],
    children: ['src', 'packages', 'test', 'bench'],
  }[name] ?? ['src', 'packages']
  const ways = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json', 'scripts/build.mjs']
  if (name === 'bytecode' || name === 'commands') ways.push('scripts/command-table.mjs')
  if (name === 'bytecode') ways.push('scripts/bun-parts.mjs', 'node_modules/bun/package.json')
  const files = [
    ...folders.flatMap((folder) => filesUnder(inRoot(folder)).filter(isSource)),
    ...ways.map((path) => inRoot(path)),
  ]
  const hash = createHash('sha256')
  for (const path of files)
    hash
      .update(`${fromRoot(path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  return hash.digest('hex')
}

const fromRoot = (path) => relative(root, path)

/** Every file below a folder, sorted, as absolute paths; none if there is no such folder. */
export function filesUnder(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** A reader finds the old file or the new one, never half of one. */
export function replaceFile(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, contents)
  renameSync(temporary, path)
}

if (isMain(import.meta.url)) {
  // Not awaited here: the command table, which is loaded on the way, imports this file and would wait for its end.
  void run(async () => {
    setup()
    const done = await build({ types: true })
    console.error(done.length === 0 ? 'dist/ is up to date.' : `Built dist/ (${done.join(', ')}).`)
  })
}
