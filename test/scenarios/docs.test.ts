/**
 * The documentation is true. What it shows is run, what it lists is compared with the program, where it points to exists.
 *
 * How to write an example in README.md or docs/guide/:
 * - A block marked `sh` is run by bash, with `bin/` on the path. The blocks of a page run in order, in one shell and one
 *   fresh directory. A command that fails ends the page: write `command || echo "exit status $?"` where that is the point.
 * - A block marked `js` or `ts` is a module that imports from `signalbox`. All of a page run in one other directory.
 * - A block marked `text` right behind one of those is what it prints, on standard output and error together. In it `…`
 *   stands for anything within a line, and a line that is only `…` for any number of lines.
 * - A block marked `console` is not run: for installing and the like.
 *
 * Tables between `<!-- generated: NAME -->` and `<!-- end -->` are printed from the program. To renew them:
 * `UPDATE_DOCS=1 npm test -- scenarios/docs`, then `npm run format`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { errorKinds, internalErrorExit } from '../../src/kernel/errors.ts'
import type { Field, Fields } from '../../src/kernel/field.ts'
import { expectedOf, printDuration } from '../../src/operations/check-input.ts'
import { allSections, schema, variableOf } from '../../src/operations/workspace/settings.ts'
import { type Command, type Group, isGroup } from '../../src/surfaces/cli/command.ts'
import { commandTable } from '../../src/surfaces/cli/command-table.generated.ts'
import { globalFlags, shortFlags } from '../../src/surfaces/cli/global-flags.ts'
import { usageLine } from '../../src/surfaces/cli/help.ts'
import { flagOf, placeholderOf, shownFlag } from '../../src/surfaces/cli/spelling.ts'
import { repository, runtime } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { plainEnvironment } from './cli-program.ts'

const pages = markdownIn(repository)
const guides = pages.filter((page) => page === 'README.md' || page.startsWith('docs/guide/'))
const textOf = (page: string): string => readFileSync(join(repository, page), 'utf8')

/** Every Markdown file that people read, relative to the repository. */
function markdownIn(folder: string): string[] {
  const isSkipped = (path: string) => /^(node_modules|dist|build|test\/golden)$/.test(path) || path.startsWith('.')
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = relative(repository, join(folder, entry.name))
      if (isSkipped(path)) return []
      if (entry.isDirectory()) return markdownIn(join(folder, entry.name))
      return entry.name.endsWith('.md') ? [path] : []
    })
    .sort()
}

interface Block {
  readonly language: string
  readonly text: string
  readonly line: number
  /** What the page says that it prints. */
  readonly prints: string | undefined
}

function blocksOf(markdown: string): Block[] {
  const found: { language: string; text: string; line: number; before: string }[] = []
  let at = 0
  for (const match of markdown.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)) {
    const before = markdown.slice(at, match.index)
    found.push({
      language: match[1]!,
      text: match[2]!,
      line: markdown.slice(0, match.index).split('\n').length,
      before,
    })
    at = match.index + match[0].length
  }
  return found.map(({ language, text, line }, n) => {
    const next = found[n + 1]
    const isAnswered = next?.language === 'text' && next.before.trim() === ''
    return { language, text, line, prints: isAnswered ? next.text : undefined }
  })
}

/** Compares with wildcards. On a mismatch the two texts are shown side by side, which says more than a pattern does. */
function expectPrinted(printed: string, prints: string, place: string): void {
  const pattern = prints
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line === '…'
        ? '(?:[^\\n]*\\n)*?'
        : `${line
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('[^\\n]*?')}\\n`,
    )
    .join('')
  if (!new RegExp(`^${pattern}$`).test(printed)) expect(printed, place).toBe(prints)
}

function environment(folder: string): NodeJS.ProcessEnv {
  const path = `${join(repository, 'bin')}:${process.env.PATH}`
  // A busy machine must not add an alert to what is shown.
  const patient = { SIGNALBOX_MR_ALERT_WRITE_MS: '1000000', SIGNALBOX_MR_ALERT_READ_MS: '1000000' }
  return plainEnvironment({
    PATH: path,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    TMPDIR: folder,
    SIGNALBOX_RUNTIME: runtime,
    ...patient,
  })
}

/** Runs the blocks of a page in one shell; answers what each of them printed. */
function runShell(blocks: readonly Block[], page: string): string[] {
  const mark = '\u001e'
  const script = blocks.map(({ text }) => `${text}\nprintf '${mark}'\n`).join('')
  const { stdout, status } = spawnSync('bash', ['-c', `exec 2>&1\nset -e\n${script}`], {
    cwd: tempDir(),
    env: environment(tempDir()),
    input: '',
    encoding: 'utf8',
    timeout: 60_000,
  })
  const printed = stdout.split(mark)
  const stopped = blocks[printed.length - 1]
  expect(status, `${page}:${stopped?.line}: a command failed, after printing:\n${printed.at(-1)}`).toBe(0)
  return printed.slice(0, blocks.length)
}

function runModules(blocks: readonly Block[], page: string): string[] {
  const folder = tempDir()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(repository, join(folder, 'node_modules/signalbox'))
  return blocks.map(({ text, line, language }) => {
    const file = join(folder, `line-${line}.mjs`)
    writeFileSync(file, language === 'ts' ? transformSync(text, { loader: 'ts' }).code : text)
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      cwd: folder,
      env: environment(tempDir()),
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(status, `${page}:${line}: the example failed:\n${stdout}${stderr}`).toBe(0)
    return stdout + stderr
  })
}

describe(`examples, on ${runtime}`, () => {
  for (const page of guides) {
    const blocks = blocksOf(textOf(page))
    for (const [kind, languages, run] of [
      ['shell', ['sh'], runShell],
      ['module', ['js', 'ts'], runModules],
    ] as const) {
      const chosen = blocks.filter(({ language }) => (languages as readonly string[]).includes(language))
      if (chosen.length === 0) continue
      it(`${page}: ${chosen.length} ${kind} example(s) print what is shown`, () => {
        for (const [n, printed] of run(chosen, page).entries()) {
          const { prints, line } = chosen[n]!
          if (prints !== undefined) expectPrinted(printed, prints, `${page}:${line}`)
        }
      })
    }
  }

  it('wildcards stand for what they say, and for nothing else', () => {
    expectPrinted('at /tmp/x/team\na\nb\nend\n', 'at …/team\n…\nend\n', 'here')
    expectPrinted('end\n', '…\nend\n', 'here')
    expect(() => expectPrinted('at /tmp\n/team\n', 'at …/team\n', 'here')).toThrow()
    expect(() => expectPrinted('a\nb\n', 'a\n', 'here')).toThrow()
    expect(() => expectPrinted('axc\n', 'a.c\n', 'here')).toThrow()
  })
})

// ── What pages list ──────────────────────────────────────────────────────────────────────────────────────────────────

type Row = readonly string[]
const row = (cells: Row): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (titles: Row, rows: readonly Row[]): string =>
  [row(titles), row(titles.map(() => '---')), ...rows.map(row)].join('\n')
/** A table as `row` prints it: the formatter pads its columns. */
const unaligned = (text: string): string =>
  text
    .replace(/ +\|/g, ' |')
    .replace(/\| +/g, '| ')
    .replace(/-{3,}(?= \|)/g, '---')
const code = (text: string): string => `\`${text}\``

function commandsIn(group: Group, path: readonly string[] = [group.name]): { path: string[]; command: Command }[] {
  return group.members.flatMap((member) => {
    const inner = [...path, member.name]
    return isGroup(member) ? commandsIn(member, inner) : [{ path: inner, command: member }]
  })
}

const generated: Record<string, () => Promise<string>> = {
  async commands() {
    const rows = commandsIn(commandTable).map(async ({ path, command }) => {
      const { operation } = await command.load()
      return [code(usageLine(path, operation)), operation.summary]
    })
    return table(['Command', 'What it does'], await Promise.all(rows))
  },
  async options() {
    const shortOf = (name: string) => Object.entries(shortFlags).find(([, long]) => long === name)?.[0]
    const rows = Object.entries(globalFlags as Fields).map(([name, field]) => {
      const long = field.type === 'flag' ? shownFlag(name, field) : `${flagOf(name)} ${placeholderOf(name, field)}`
      const short = shortOf(name)
      return [short ? `${code(long)}, ${code(`-${short}`)}` : code(long), field.help]
    })
    return table(['Option', 'Meaning'], rows)
  },
  async settings() {
    const flagFor = (key: string) => (key === 'agent' ? 'as' : key)
    const asWritten = ({ type }: Field, value: string | number | boolean) =>
      type === 'duration' ? printDuration(Number(value)) : String(value)
    const line = (key: string, field: Fields[string], isTop: boolean): Row => [
      code(key),
      isTop && flagFor(key) in globalFlags ? code(flagOf(flagFor(key))) : '',
      isTop ? code(variableOf(key)) : '',
      expectedOf(field),
      'default' in field && field.default !== undefined ? code(asWritten(field, field.default)) : 'none',
      field.help,
    ]
    const rows = Object.entries(schema.settings).map(([key, field]) => line(key, field, true))
    const inner = (await allSections(schema)).flatMap(({ name, fields, usersOwn }) =>
      Object.entries(fields)
        .filter(([key]) => !usersOwn.includes(key))
        .map(([key, field]) => line(`${name}.${key}`, field, false)),
    )
    return table(['Key', 'Option', 'Variable', 'Takes', 'Default', 'Meaning'], [...rows, ...inner])
  },
  async own() {
    const rows = (await allSections(schema)).flatMap(({ name, fields, usersOwn }) =>
      Object.entries(fields)
        .filter(([key]) => usersOwn.includes(key))
        .map(([key, field]): Row => {
          return [name === 'etcd' ? code(key) : '', code(variableOf(key, name)), expectedOf(field), field.help]
        }),
    )
    return table(['Below the address', 'Variable', 'Takes', 'Meaning'], rows)
  },
}

describe('what pages list', () => {
  for (const page of guides) {
    for (const [, name = ''] of textOf(page).matchAll(/<!-- generated: (\w+) -->/g)) {
      it(`${page}: the ${name} are those of the program`, async () => {
        const wanted = unaligned(`<!-- generated: ${name} -->\n\n${await generated[name]!()}\n\n<!-- end -->`)
        const passage = new RegExp(`<!-- generated: ${name} -->[\\s\\S]*?<!-- end -->`)
        const found = () => unaligned(passage.exec(textOf(page))?.[0] ?? '')
        if (process.env.UPDATE_DOCS && found() !== wanted)
          writeFileSync(
            join(repository, page),
            textOf(page).replace(passage, () => wanted),
          )
        expect(found(), 'renew it: UPDATE_DOCS=1 npm test -- scenarios/docs').toBe(wanted)
      })
    }
  }

  it('the exit statuses are those of the program', () => {
    const statuses = [...textOf('docs/guide/command-line.md').matchAll(/^\| (\d+) +\| `(\w+)` /gm)]
    const kinds = Object.entries(errorKinds).map(([kind, { exit }]) => [String(exit), kind])
    expect(statuses.map(([, exit, kind]) => [exit, kind])).toEqual(kinds)
    expect(textOf('docs/guide/command-line.md')).toContain(`| ${internalErrorExit} `)
  })

  const troubleshooting = textOf('docs/guide/troubleshooting.md')
  const codesIn = (heading: string) => {
    const [, part = ''] = troubleshooting.split(`## ${heading}\n`)
    const rows = part.split('\n## ', 1)[0]!.split('\n')
    return rows.flatMap((line) => (line.startsWith('| `') ? [...line.split(' | ')[0]!.matchAll(/`([A-Z_]+)`/g)] : []))
  }
  const isCode = /'([A-Z]+(?:_[A-Z]+)+)'/g
  const codesOf = (path: string) =>
    [...textOf(path).matchAll(isCode)].map(([, found]) => found!).filter((found) => !found.startsWith('SIGNALBOX_'))

  it('everything that doctor finds is explained, and nothing else', () => {
    const found = [
      'src/engines/file-system/inspect.ts',
      'src/operations/doctor-checks.ts',
      'src/protocols/dream-os/store/inspect.ts',
      'src/protocols/message-routing/security/inspect.ts',
      'src/protocols/message-routing/store/inspect.ts',
      'src/protocols/shared-agent/store/inspect.ts',
    ].flatMap(codesOf)
    const explained = codesIn('What doctor finds').map(([, name]) => name!)
    expect([...new Set(found)].filter((name) => !explained.includes(name))).toEqual([])
    expect(explained.filter((name) => !allCodes().has(name))).toEqual([])
  })

  it('every error that is explained exists', () => {
    const explained = codesIn('Errors and what they ask of you').map(([, name]) => name!)
    expect(explained.length).toBeGreaterThan(10)
    expect(explained.filter((name) => !allCodes().has(name))).toEqual([])
  })

  function allCodes(): Set<string> {
    const sources = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    return new Set(sources.filter((path) => path.endsWith('.ts')).flatMap((path) => codesOf(join('src', path))))
  }

  it('README.md says of each protocol whether it is there', () => {
    const commands: Record<string, string> = {
      'AC-MQ': 'acmq',
      'Message Routing': 'mr',
      'Dream.OS': 'dream',
      'Shared Agent Protocol': 'session',
      CIRCE: 'circe',
    }
    const told = Object.keys(commands).map((name) => {
      const line = textOf('README.md')
        .split('\n')
        .find((text) => text.startsWith(`| [${name}](`))
      return [name, line === undefined ? 'missing' : /\| planned +\|$/.test(line) ? 'planned' : 'there']
    })
    const isThere = (name: string) => commandTable.members.some((member) => member.name === commands[name])
    expect(told).toEqual(Object.keys(commands).map((name) => [name, isThere(name) ? 'there' : 'planned']))
  })

  it('every command that a page mentions exists', () => {
    const unknown = pages
      // Requirements speak about commands to come.
      .filter((page) => page !== 'docs/spec-coverage.md')
      .flatMap((page) => mentionsIn(textOf(page)).map((words) => ({ page, words })))
      .filter(({ words }) => !isCommand(words))
    expect(unknown).toEqual([])
  })

  /** `signalbox WORD WORD` in code, whether in a line or in a block that shows commands. */
  function mentionsIn(markdown: string): string[][] {
    const shown = blocksOf(markdown).filter(({ language }) => ['sh', 'console'].includes(language))
    const spans = [...withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)
    return [...shown.map(({ text }) => text), ...spans].flatMap((text) =>
      [...text.matchAll(/(?<![\w./-])(signalbox|acmq) ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)].map(
        ([, program, first, second]) =>
          [...(program === 'acmq' ? ['acmq'] : []), first, second].filter((word) => word !== undefined),
      ),
    )
  }

  function isCommand(words: readonly string[]): boolean {
    if (words[0] === 'help') return true
    let member: Group | Command = commandTable
    for (const word of words) {
      if (!isGroup(member)) return true
      const next: Group | Command | undefined = member.members.find(({ name }) => name === word)
      if (next === undefined) return false
      member = next
    }
    return true
  }
})

// ── Where pages point to ─────────────────────────────────────────────────────────────────────────────────────────────

const withoutBlocks = (markdown: string): string =>
  markdown.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))

/** The anchors of a page's headings, as code hosts make them. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-')
    let unique = anchor
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`
    anchors.add(unique)
  }
  return anchors
}

function linksOf(markdown: string): string[] {
  const prose = withoutBlocks(markdown).replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|(?:src|href)="([^"]+)"/g)].map(
    ([, inline, attribute]) => inline ?? attribute!,
  )
}

describe('where pages point to', () => {
  it('every link leads to a file, and to a heading of it', () => {
    const broken = pages.flatMap((page) =>
      linksOf(textOf(page)).flatMap((link) => {
        if (/^[a-z][a-z+.-]*:/i.test(link)) return []
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : join(dirname(page), decodeURI(path))
        if (target.startsWith('..') || !existsSync(join(repository, target))) return [`${page}: ${link} is not there`]
        if (anchor === undefined || !target.endsWith('.md')) return []
        return anchorsOf(textOf(target)).has(anchor) ? [] : [`${page}: ${target} has no heading for #${anchor}`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('headings get the anchors that code hosts give them', () => {
    const headings = '# A `b` and C: d\n\n## Über [uns](x.md)\n\n## Same\n\n## Same\n\n```sh\n# no heading\n```\n'
    expect([...anchorsOf(headings)]).toEqual(['a-b-and-c-d', 'über-uns', 'same', 'same-1'])
  })
})

describe('the shape of pages', () => {
  it('ARCHITECTURE.md fits on two screens', () => {
    expect(textOf('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(110)
  })

  const decisions = readdirSync(join(repository, 'docs/decisions')).sort()

  it('decisions are numbered without a gap, and none twice', () => {
    expect(decisions.filter((name) => !/^\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(name))).toEqual([])
    expect(decisions.map((name) => Number(name.slice(0, 4)))).toEqual(decisions.map((_, n) => n + 1))
  })

  it('each decision has its three parts, on a page', () => {
    const odd = decisions.filter((name) => {
      const text = textOf(join('docs/decisions', name))
      const parts = ['Context', 'Decision', 'Consequences'].map((part) => text.indexOf(`\n## ${part}\n`))
      const isInOrder = parts.every((at, n) => at > (parts[n - 1] ?? 0))
      return !isInOrder || text.split('\n').length > 60
    })
    expect(odd).toEqual([])
  })

  it('code cites only decisions that exist', () => {
    const cited = ['src', 'packages', 'test', 'scripts', 'bin', 'bench'].flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => join(folder, path))
        .filter((path) => statSync(join(repository, path)).isFile())
        .flatMap((path) => [...textOf(path).matchAll(/docs\/decisions\/(\d{4}[a-z0-9-]*)/g)].map(([, name]) => name!)),
    )
    expect(cited.filter((name) => !decisions.some((file) => file.startsWith(name)))).toEqual([])
  })
})
