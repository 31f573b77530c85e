/** A workspace whose context was organized, and what must be found in it wherever it is taken. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { cliJson, type quickCli } from '../scenarios/cli-program.ts'

const context: Readonly<Record<string, string>> = {
  'query-plans.md': 'The database query plans of the orders table show a slow sequential scan.\n',
  'indexing.md': 'An index on the orders table makes each slow database query fast.\n',
  'benchmark.csv':
    'database,query,table,ms\norders,slow query without index,orders,9100\norders,query with index,orders,40\n',
  'holidays.txt': 'Nobody works between Christmas and New Year.\n',
}
const mission = 'llm/missions/alpha'
let asked = 0

/** The folder into which three files of `context/` went. */
export function organizedIn(root: string, run: typeof quickCli): string {
  const acmq = (...words: string[]) => cliJson(['acmq', ...words], { cwd: root }, run)
  acmq('create-mission', 'alpha')
  mkdirSync(join(root, mission, 'context'), { recursive: true })
  for (const [name, text] of Object.entries(context)) writeFileSync(join(root, mission, 'context', name), text)
  writeFileSync(join(root, mission, '_meta/manifest.md'), '# alpha\n\n## Context\n\n- `context/*.md`\n')
  const { moves } = acmq('organize', 'alpha').output as { moves: { to: string; cluster: string }[] }
  expect(moves).toHaveLength(3)
  expect(readdirSync(join(root, mission, 'context')).sort()).toEqual([moves[0]!.cluster, 'holidays.txt'].sort())
  return moves[0]!.cluster
}

/** Dependencies, patterns, links and hydration still resolve by the old names; `where`: the folder they are in now. */
export function expectFound(root: string, where: string, run: typeof quickCli, ...flags: readonly string[]): void {
  const acmq = (...words: string[]) => cliJson(['acmq', ...words, ...flags], { cwd: root }, run)
  const id = `needs${1000 + asked++}`
  const sent = [
    '--from',
    'ann',
    '--to',
    'bob',
    '--id',
    id,
    '--body',
    'Read it',
    '--depends',
    'path:context/indexing.md',
  ]
  expect(acmq('send', 'alpha', ...sent)).toMatchObject({ exit: 0 })
  const included = (...words: string[]) =>
    (acmq('hydrate', 'alpha', ...words).output.included as { path: string }[]).map(({ path }) => path)
  // By the pattern of the manifest, and by the dependency of the message.
  for (const paths of [included(), included(id)])
    for (const name of ['indexing.md', 'query-plans.md']) expect(paths).toContain(`${mission}/context/${where}/${name}`)
  expect(acmq('claim', 'alpha', '--as', 'bob', '--id', id)).toMatchObject({ exit: 0, output: { outcome: 'claimed' } })
  const done = acmq('complete', 'alpha', id, '--as', 'bob', '--result', 'Done', '--link', 'context/benchmark.csv')
  expect(done).toMatchObject({ exit: 0 })
  expect(`${done.err}${JSON.stringify(done.output.notices ?? [])}`).not.toContain('There is no')
  const lost = acmq('complete', 'alpha', id, '--as', 'bob', '--link', 'context/never-there.md')
  expect(JSON.stringify(lost)).toContain('context/never-there.md')
  const doctor = cliJson(['doctor', ...flags], { cwd: root }, run)
  expect((doctor.output.findings as { code: string }[]).map(({ code }) => code)).not.toContain('MOVED_FILE_LOST')
}
