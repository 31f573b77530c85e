/** What supervision does by itself for the memory of a mission: with reasons, switched off part by part, once for two. */
import { once } from 'node:events'
import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { spawnProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, mainProgram, quickCli } from './cli-program.ts'

let root: string
const run = (...words: string[]) =>
  cliJson(['acmq', ...words], { cwd: root }, quickCli).output as Record<string, unknown[]>
const findings = () => readdirSync(join(root, 'llm/missions/alpha/findings'))

beforeEach(() => {
  root = tempDir()
  run('create-mission', 'alpha')
  for (const [i, body] of [
    'Slow orders query: it scans the orders table',
    'The orders query is slow, add an index to the orders table',
    'Explain the slow orders query of the orders table',
    'Index of the orders table makes the orders query less slow',
  ].entries())
    run('send', 'alpha', '--from', 'claude', '--to', 'gemini', '--id', `slow000${i}`, '--body', body)
})

verifies(['AC-13.2a', 'AC-14.2b'], 'supervision makes what is due, says why, and then has nothing to do', () => {
  expect(run('supervise', 'alpha', '--once', '--no-bus')).toMatchObject({ outcome: 'nothing', documents: [] })
  expect(findings()).toEqual([])
  expect(run('supervise', 'alpha', '--once')).toMatchObject({
    outcome: 'swept',
    documents: [
      { outcome: 'made', trigger: 'similarity', query: expect.stringMatching(/^Messages about similar things: /) },
    ],
    snapshots: [],
  })
  expect(findings()).toHaveLength(1)
  expect(run('supervise', 'alpha', '--once')).toMatchObject({ outcome: 'nothing', documents: [] })
  expect(run('status', 'alpha').merging).toMatchObject({ rate: 4, threshold: 50 })
})

verifies('AC-13.2a', 'a setting switches it off', () => {
  const env = { ...process.env, SIGNALBOX_ACMQ_BUS_DOCUMENTS: 'false', SIGNALBOX_ACMQ_SNAPSHOTS: 'false' }
  cliJson(['acmq', 'supervise', 'alpha', '--once'], { cwd: root, env }, quickCli)
  expect(findings()).toEqual([])
})

const supervisor = (...words: string[]) =>
  spawnProgram([process.execPath, mainProgram, 'acmq', 'supervise', 'alpha', ...words], {
    cwd: root,
    env: { SIGNALBOX_ACMQ_BUS_DOCUMENT_BYTES: '16384' },
  })

verifies('AC-13.2a', 'two supervisors at once make each document once, and tell it once', async () => {
  const both = [supervisor(), supervisor()]
  for (const one of both) expect(await one.nextLine()).toBe('Looking after alpha. Stop with Ctrl-C.')
  // Whoever is first tells it; the other has its pass before it ends.
  await Promise.race(both.map((one) => one.nextLine()))
  for (const one of both) one.kill('SIGTERM')
  for (const one of both) expect(await one.exited).toEqual({ code: 0, signal: null })
  const told = both.flatMap(({ stdout }) => stdout.filter((line) => line.includes('bus-document-')))
  expect(told).toEqual([expect.stringMatching(/^ {2}› made .*: Messages about similar things: /)])
  expect(findings()).toHaveLength(1)
})

verifies('AC-13.2a', 'one that is killed while it writes leaves a document that the next two make once', async () => {
  // So long that each message fills a part of the document.
  for (const n of [4, 5, 6, 7]) {
    const body = `The orders query is slow, add index ${n} to the orders table. ${'orders table index '.repeat(900)}`
    run('send', 'alpha', '--from', 'claude', '--to', 'gemini', '--id', `slow000${n}`, '--body', body)
  }
  const killed = supervisor('--once')
  const changes = watch(join(root, 'llm/missions/alpha/findings'))
  await once(changes, 'change')
  changes.close()
  killed.kill()
  await killed.exited
  const isMain = (name: string) => /^bus-document-.*\d{14}\.md$/.test(name)
  const wasWhole = findings().some(isMain)
  const both = [supervisor('--once', '--json'), supervisor('--once', '--json')]
  for (const one of both) expect(await one.exited).toEqual({ code: 0, signal: null })
  const documents = both.flatMap(({ stdout }) => JSON.parse(stdout.join('\n')).documents)
  expect(documents.map(({ outcome }: { outcome: string }) => outcome)).toEqual(wasWhole ? [] : ['made'])
  const [main, ...others] = findings().filter(isMain)
  expect(others).toEqual([])
  const parts = findings().filter((name) => !isMain(name))
  expect(parts).toHaveLength(4)
  const log = [main!, ...parts]
    .map((name) => readFileSync(join(root, 'llm/missions/alpha/findings', name), 'utf8'))
    .join('')
  const files = [...log.matchAll(/\*\*File:\*\* `[^`]*-(slow\d{4})-/g)].map(([, id]) => id)
  expect(Number(/\*\*Messages Included:\*\* (\d+)/.exec(log)?.[1])).toBe(files.length)
  expect(new Set(files).size).toBe(files.length)
  expect(files).toEqual(expect.arrayContaining(['slow0004', 'slow0005', 'slow0006', 'slow0007']))
})
