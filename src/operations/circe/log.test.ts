import { expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { circe } from '../../protocols/circe/index.ts'
import type { Context } from '../define.ts'
import { circeLog } from './log.ts'

it('[CI-8] a story in a few lines: since when, who asked, who owned it, checks, questions, how it ended', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const task = 'AUTH-012'
  const { message } = await store.sending.send({
    from: 'lead',
    to: 'all',
    intent: 'fix_bug',
    task,
    summary: 'It leaks',
  })
  await store.claiming.claim('engineer')
  await store.tasks.release('engineer', task)
  await store.settling.start('engineer-2', message.file)
  const asked = await store.sending.send({
    from: 'engineer-2',
    to: 'lead',
    intent: 'escalate',
    task,
    status: 'blocked',
    summary: 'How?',
  })
  await store.people.answer(asked.message.file, { text: 'So' })
  await store.tasks.check(task, 'engineer-2', { coverage_threshold_met: true })
  await store.sending.send({
    from: 'qa',
    to: 'engineer-2',
    intent: 'test_results',
    task,
    status: 'completed',
    summary: 'Fine',
  })
  clock.advance(60_000)
  await store.tasks.status(task, 'completed', 'lead')
  const context = { store: async () => store, clock, report: { finished() {} } } as unknown as Context
  const told = await circeLog.invoke(context, { task, summary: true, limit: 3 })
  expect(told).toMatchObject({ outcome: 'told', entries: [] })
  expect(told.lines).toEqual([
    '2026-01-01T12:00:00Z to 2026-01-01T12:01:00Z: 4 messages, 12 events',
    'asked for by lead: It leaks',
    'owned by engineer, then engineer-2',
    'checks: coverage_threshold_met=true (engineer-2), tests_passed true (qa)',
    'asked of a person: 1, answered: 1',
    'completed by lead at 2026-01-01T12:01:00Z',
  ])
  const last = await circeLog.invoke(context, { task, summary: false, limit: 3 })
  expect(last).toMatchObject({
    lines: undefined,
    leftOut: 9,
    entries: [{ event: 'checks' }, { agent: 'qa' }, { event: 'completed' }],
  })
  expect(await circeLog.invoke(context, { task: 'NONE-1', summary: true, limit: 3 })).toMatchObject({
    outcome: 'nothing',
    lines: [],
  })
})

it('[CI-8] of a task that was opened again, how it stands now', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const context = { store: async () => store, clock, report: { finished() {} } } as unknown as Context
  const summary = async () => (await circeLog.invoke(context, { task, summary: true, limit: 3 })).lines
  const task = 'AUTH-012'
  await store.sending.send({ from: 'lead', to: 'all', intent: 'fix_bug', task, summary: 'It leaks' })
  await store.claiming.claim('engineer')
  await store.sending.send({
    from: 'qa',
    to: 'engineer',
    intent: 'test_results',
    task,
    status: 'completed',
    summary: 'Fine',
  })
  await store.tasks.status(task, 'completed', 'lead')
  clock.advance(60_000)
  await store.sending.send({ from: 'scribe', to: 'all', intent: 'fix_bug', task, summary: 'It leaks again' })
  expect(await summary()).toEqual([
    '2026-01-01T12:00:00Z to 2026-01-01T12:01:00Z: 3 messages, 5 events',
    'opened again by scribe at 2026-01-01T12:01:00Z; before that it was over',
    'asked for by scribe: It leaks again',
  ])
  await store.claiming.claim('engineer-2')
  await store.tasks.status(task, 'blocked', 'engineer-2')
  expect((await summary())!.slice(2)).toEqual([
    'asked for by scribe: It leaks again',
    'owned by engineer-2',
    'blocked by engineer-2 at 2026-01-01T12:01:00Z',
  ])
})

it('[CI-8] checks from before a task was given back and claimed anew are told no more', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const store = await circe.open({ tree: openMemoryTree({ clock }), clock, settings: circe.defaults })
  const context = { store: async () => store, clock, report: { finished() {} } } as unknown as Context
  await store.sending.send({ from: 'lead', to: 'all', intent: 'fix_bug', task: 'FEAT-1', summary: 'It leaks' })
  await store.claiming.claim('engineer')
  await store.tasks.check('FEAT-1', 'engineer', { tests_passed: true })
  await store.tasks.release('engineer', 'FEAT-1')
  await store.claiming.claim('engineer-2')
  const { lines } = await circeLog.invoke(context, { task: 'FEAT-1', summary: true, limit: 3 })
  expect(lines!.filter((line) => line.startsWith('checks'))).toEqual([])
})
