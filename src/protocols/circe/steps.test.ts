import { describe, expect, it } from 'vitest'
import { type CirceEvent, eventNames, eventsIn, parseEvent, printEvent } from './events.ts'
import { agentId, type FileName, type TaskId } from './names.ts'
import { type CirceStep, parseSteps, stepsInNote } from './steps.ts'
import { newTask } from './task.ts'

const task = 'FEAT-021' as TaskId
const file = '20251106_140211_a-b_test_FEAT-021.md' as FileName
const agent = agentId('engineer')
const at = Date.parse('2026-01-01T12:00:00.123Z')
const from = { place: 'inbox', agent } as const
const facts = {
  request: { from: 'lead', intent: 'test', time: at },
  reviewers: ['qa'],
  formerOwner: { owner: 'qa', claimedAt: at },
}
const steps: CirceStep[] = [
  { do: 'own', task, owner: agent, at, before: 'owner: qa\n' },
  { do: 'disown', task, owner: agent },
  { do: 'claim', file, agent, task },
  { do: 'start', file, agent },
  {
    do: 'write',
    task: { ...newTask(task), owner: agent, claimedAt: at, startedAt: at, updatedAt: at, status: 'blocked' },
  },
  { do: 'count', task, facts, counted: [file] },
  { do: 'log', file, from },
  { do: 'settle', file, from: { place: 'new' }, task },
  { do: 'hand', agent, file, acked: true },
  { do: 'unhand', agent, file },
  { do: 'archive', task },
  { do: 'back', task, agent },
  { do: 'deliver', file },
  { do: 'tell', event: { at, event: 'claimed', agent, task, file, detail: 'owner engineer' } },
]
const event: CirceEvent = { at, event: 'claimed', agent, task, file, detail: 'owner engineer' }

describe('steps', () => {
  it('are read back as they were written', () => {
    expect(parseSteps(JSON.parse(JSON.stringify(steps)))).toEqual(steps)
  })

  const with_ = (n: number, change: object) => [{ ...steps[n], ...change }]
  it.each<[string, readonly unknown[]]>([
    ['a step that is none', [7]],
    ['nothing', [null]],
    ['a step that nobody knows', with_(0, { do: 'format-disk' })],
    ['a step of a prototype', with_(0, { do: 'constructor' })],
    ['a task that leads outside', with_(0, { task: '../../etc/passwd' })],
    ['an owner that leads outside', with_(0, { owner: '../x' })],
    ['a moment that is none', with_(0, { at: 'now' })],
    ['a moment beyond all', with_(0, { at: 1e300 })],
    ['an agent that is everybody', with_(2, { agent: 'all' })],
    ['a file that leads outside', with_(2, { file: '../x.md' })],
    ['a hidden file', with_(3, { file: '.x.md' })],
    ['a file that is no message', with_(3, { file: 'x.txt' })],
    ['no task', with_(4, { task: null })],
    ['a status that is none', with_(4, { task: { ...newTask(task), status: 'busy' } })],
    ['facts that are none', with_(5, { facts: [] })],
    ['reviewers that are none', with_(5, { facts: { reviewers: [7] } })],
    ['a request of nobody', with_(5, { facts: { reviewers: [], request: { from: 7 } } })],
    ['a counted file that leads outside', with_(5, { counted: ['../x.md'] })],
    ['a place that is none', with_(6, { from: { place: 'LOGS' } })],
    ['an inbox of nobody', with_(6, { from: { place: 'inbox' } })],
    ['an event that is none', [{ do: 'tell', event: { ...event, event: 'boom' } }]],
    ['an event without a time', [{ do: 'tell', event: { ...event, at: null } }]],
  ])('of a stranger, with %s, are none', (_, values) => {
    expect(parseSteps(values)).toBeUndefined()
  })

  it('takes nothing from a note but what it knows', () => {
    expect(parseSteps([{ ...steps[9], path: '/etc/passwd', __proto__: { x: 1 } }])).toEqual([steps[9]])
    const forged = { ...newTask(task), checks: { tests_passed: 'yes', ready_for_merge: true, x: true } }
    expect(parseSteps(with_(4, { task: forged }))).toEqual([{ do: 'write', task: newTask(task) }])
  })

  it('of an earlier version mean the same', () => {
    const older = { do: 'book', task, book: facts, applied: [file] }
    const note = { steps: [older, { do: 'ask', file, asked: {} }, steps[10]], events: [event] }
    expect(parseSteps(stepsInNote(note) as unknown[])).toEqual([steps[5], steps[10], { do: 'tell', event }])
  })
})

describe('a line of the log', () => {
  it('is read back, whatever the event', () => {
    for (const name of eventNames)
      expect(parseEvent(printEvent({ ...event, event: name }))).toEqual({ ...event, event: name })
    expect(printEvent(event)).toBe(`2026-01-01T12:00:00.123Z\tclaimed\tengineer\tFEAT-021\t${file}\towner engineer`)
    expect(parseEvent(printEvent({ at, event: 'message', agent: '', detail: '' }))).toEqual({
      ...{ at, event: 'message', agent: '', task: undefined, file: undefined, detail: '' },
    })
  })
  it('nothing breaks out of its line or column', () => {
    const evil = 'x\ty\n2026-01-01T00:00:00.000Z\tcompleted\tevil\tFEAT-021\t\t\r\u001b[2J\u2028'
    const line = printEvent({ ...event, detail: evil, agent: evil })
    expect(line.split('\t')).toHaveLength(6)
    expect(line).not.toMatch(/[\n\r\u001b\u2028]/)
    expect(printEvent({ ...event, detail: '😀'.repeat(1000) }).isWellFormed()).toBe(true)
    expect(printEvent({ ...event, detail: 'x'.repeat(9999) }).length).toBeLessThan(600)
  })
  it.each([
    '',
    'garbage',
    `${printEvent(event)}\tmore`,
    'yesterday\tclaimed\ta\tb\tc\td',
    '2026-01-01T12:00:00.000Z\tboom\ta\tb\tc\td',
    printEvent(event).slice(0, 50),
  ])('of a stranger, or cut off, is none: %j', (line) => expect(parseEvent(line)).toBeUndefined())
  it('[CI-8] those of one task are found among others, torn lines and garbage', () => {
    const other = { ...event, task: 'FEAT-0211', detail: 'of FEAT-021' }
    const lines = [
      printEvent(event),
      printEvent(other),
      `\tFEAT-021\t`,
      'torn\tFEAT-021',
      '',
      printEvent({ ...event, detail: 'last' }),
    ]
    const bytes = Buffer.from(`${lines.join('\n')}\r\n${printEvent(event).slice(0, 70)}`)
    expect([...eventsIn(bytes, 'FEAT-021')]).toEqual([event, { ...event, detail: 'last' }])
    expect([...eventsIn(bytes)]).toEqual([event, other, { ...event, detail: 'last' }])
    expect([...eventsIn(new Uint8Array(0))]).toEqual([])
  })
})
