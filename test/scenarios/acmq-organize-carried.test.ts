/** Files that `organize` moved are found by their old names, after a rename by hand and after export and import. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { expectFound, organizedIn } from '../support/organized.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

const inContext = (root: string, ...names: string[]) => join(root, 'llm/missions/alpha/context', ...names)

verifies(['AC-15.2', 'AC-15.2b'], 'wherever the workspace is taken, and whatever a person calls the folder', () => {
  const root = tempDir()
  const cluster = organizedIn(root, quickCli)
  expectFound(root, cluster, quickCli)

  // A person gives the folder another name, and puts it into one of their own.
  mkdirSync(inContext(root, 'mine'))
  renameSync(inContext(root, cluster), inContext(root, 'mine', 'databases'))
  expectFound(root, 'mine/databases', quickCli)

  // Out of it as plain files, and into another workspace.
  const carried = join(tempDir(), 'carried')
  expect(cliJson(['export', carried], { cwd: root }, quickCli)).toMatchObject({ exit: 0 })
  expectFound(carried, 'mine/databases', quickCli)
  const other = tempDir()
  expect(cliJson(['init'], { cwd: other }, quickCli)).toMatchObject({ exit: 0 })
  expect(cliJson(['import', root], { cwd: other }, quickCli)).toMatchObject({ exit: 0 })
  expectFound(other, 'mine/databases', quickCli)

  // There it can be undone once the files are where they were put.
  const undo = () => cliJson(['acmq', 'organize', 'alpha', '--undo'], { cwd: other }, quickCli)
  expect(undo()).toMatchObject({ exit: 4, output: { error: { code: 'CHANGED_SINCE' } } })
  renameSync(inContext(other, 'mine', 'databases'), inContext(other, cluster))
  expect(undo()).toMatchObject({ exit: 0, output: { outcome: 'undone' } })
  expect(
    readdirSync(inContext(other))
      .filter((name) => name.includes('.'))
      .sort(),
  ).toEqual([...['benchmark.csv', 'holidays.txt', 'indexing.md', 'query-plans.md']])
})

verifies(
  ['AC-15.2b', 'X-doctor'],
  'an organize that was cut off is told by doctor, and finished by doctor --fix',
  () => {
    const root = tempDir()
    const cluster = organizedIn(root, quickCli)
    // As somebody leaves it who is killed after the first of three moves.
    const journal = join(root, '.signalbox/state/aliases/alpha.json')
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"state": "done"', '"state": "moving"'))
    for (const name of ['indexing.md', 'query-plans.md'])
      renameSync(inContext(root, cluster, name), inContext(root, name))
    const doctor = (...flags: string[]) =>
      (cliJson(['doctor', ...flags], { cwd: root }, quickCli).output.findings as { code: string; repaired: boolean }[])
        .filter(({ code }) => code === 'UNFINISHED_CHANGE')
        .map(({ repaired }) => repaired)
    expect(doctor()).toEqual([false])
    expect(doctor('--fix')).toEqual([true])
    expect(doctor()).toEqual([])
    expect(readdirSync(inContext(root, cluster)).sort()).toEqual([
      ...['README.md', 'benchmark.csv', 'indexing.md', 'query-plans.md'],
    ])
  },
)
