/** Which test proves which requirement: read from the tests, judged, and printed as `docs/spec-coverage.md`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Requirement } from '../requirements.ts'
import { tokenize } from './tokens.ts'

export { requirements } from '../requirements.ts'

/** A place in a test that names a requirement. */
export interface Citation {
  readonly id: string
  /** Relative to the repository, with slashes. */
  readonly file: string
  readonly line: number
}

const idPattern = '(?:AC|MR|DO|SA|CI|X)-[A-Za-z0-9.]+'
const wholeId = new RegExp(`^${idPattern}$`)
const idInTitle = new RegExp(`\\[(${idPattern})\\]`, 'g')

/** Reads every `*.test.ts` of the repository, and the suites that run on every engine, but not the one that plants citations to test this. */
export function readCitations(repository: string): Citation[] {
  return ['packages', 'src', 'test']
    .flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((file) => file.endsWith('.test.ts') || /^test\/conformance\/[\w-]+\.ts$/.test(file))
    .filter((file) => file !== 'test/coverage.test.ts')
    .sort()
    .flatMap((file) => findCitations(file, readFileSync(join(repository, file), 'utf8')))
}

/** Finds `[ID]` in strings, and the ids handed to `verifies` as a string or a list. Comments cite nothing. */
export function findCitations(file: string, text: string): Citation[] {
  const tokens = tokenize(text)
  return tokens.flatMap((token, at) => {
    if (token.kind === 'string' || token.kind === 'template') {
      return [...token.text.matchAll(idInTitle)].map(([, id]) => ({ id: id!, file, line: token.line }))
    }
    if (token.text !== 'verifies') return []
    // Up to the body (`=>` or `function`) all strings are ids or the title, and a title does not look like an id.
    const end = tokens.findIndex(({ text }, index) => index > at && (text === '>' || text === 'function'))
    return tokens
      .slice(at + 1, end < 0 ? tokens.length : end)
      .filter(({ kind, text }) => kind === 'string' && wholeId.test(text))
      .map(({ text, line }) => ({ id: text, file, line }))
  })
}

/** What is wrong, one sentence each. */
export function judgeCoverage(requirements: readonly Requirement[], citations: readonly Citation[]): string[] {
  const cited = new Set(citations.map(({ id }) => id))
  const declared = new Set(requirements.map(({ id }) => id))
  return [
    ...requirements
      .filter(({ id }, at) => requirements.findIndex((other) => other.id === id) !== at)
      .map(({ id }) => `${id} is declared twice in test/requirements.ts`),
    ...requirements
      .filter(({ id, deferred }) => deferred === undefined && !cited.has(id))
      .map(({ id, must }) => `${id} is proven by no test: ${must}`),
    ...requirements
      .filter(({ id, deferred }) => deferred !== undefined && cited.has(id))
      .map(
        ({ id, deferred }) =>
          `${id} has a test but is deferred (${deferred}): mark it as built in test/requirements.ts`,
      ),
    ...citations
      .filter(({ id }) => !declared.has(id))
      .map(({ id, file, line }) => `${file}:${line} cites ${id}, which test/requirements.ts does not declare`),
  ]
}

/** The document: section → requirement → test files. */
export function printCoverage(requirements: readonly Requirement[], citations: readonly Citation[]): string {
  const filesOf = (id: string): string[] =>
    [...new Set(citations.filter((one) => one.id === id).map(({ file }) => file))].sort()
  const proven = requirements.filter(({ id }) => filesOf(id).length > 0).length
  const sections = [...new Set(requirements.map(({ section }) => section))]
  const families = [...new Set(sections.map(familyOf))]

  const row = ({ id, must, deferred }: Requirement): string[] => {
    const files = filesOf(id).map((file) => `[${file}](../${file})`)
    return [id, must, files.length > 0 ? files.join('<br>') : `_${deferred ?? 'not proven'}_`]
  }
  const section = (name: string): string[] => [
    ...(name.includes(' §') ? [`### §${name.split(' §')[1]}`, ''] : []),
    ...printTable([
      ['Requirement', 'What must be true', 'Proven by'],
      ...requirements.filter((one) => one.section === name).map(row),
    ]),
    '',
  ]
  return [
    '# Which test proves which requirement',
    '',
    `Generated from \`test/requirements.ts\` and the tests by \`${regenerate}\`; do not edit.`,
    `${proven} of ${requirements.length} requirements are proven; the others say why not yet.`,
    '',
    ...families.flatMap((family) => [
      `## ${family}`,
      '',
      ...sections.filter((one) => familyOf(one) === family).flatMap(section),
    ]),
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

/** A table with its columns in line, as the formatter wants it. */
function printTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const print = (row: readonly string[], fill: string): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(' | ')} |`
  const [head, ...body] = rows
  return [print(head!, ' '), print(['', '', ''], '-'), ...body.map((row) => print(row, ' '))]
}

const familyOf = (section: string): string => section.split(' §')[0]!

export const regenerate = 'node scripts/coverage-doc.mjs'
