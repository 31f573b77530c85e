/** Every example of the specification, every deviation that is known, and what is refused. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readJsonLines } from '../../src/formats/json-lines.ts'
import { parseEvent } from '../../src/protocols/dream-os/event-format.ts'
import { newMailbox, parseMailbox } from '../../src/protocols/dream-os/mailbox-format.ts'
import { significantEvents } from '../../src/protocols/dream-os/schema.ts'
import { parseTaskList, planJoin } from '../../src/protocols/dream-os/tasks.ts'
import { dreamSettings } from '../support/dream.ts'

const most = dreamSettings().largest
const golden = (path: string) => readFileSync(new URL(`dream-os/${path}`, import.meta.url))
const mailbox = (path: string, compat = false) => {
  const read = parseMailbox(golden(path), { most, compat })
  if (read.outcome === 'malformed') throw new Error(read.problems[0].message)
  return read
}

describe('the examples of the specification', () => {
  it('[DO-5a] a mailbox and its message', () => {
    expect(mailbox('mailbox.json')).toMatchObject({
      status: 'busy',
      agent: 'RefactorAgent',
      lastSeenAt: Date.parse('2025-05-01T10:00:00Z'),
      processed: ['message_id_1', 'message_id_2'],
      problems: [],
      notes: [],
    })
    const [found] = mailbox('mailbox.json').messages
    expect(found).toMatchObject({ problems: [], message: JSON.parse(golden('message.json').toString()) })
    expect(parseMailbox(Buffer.from(newMailbox()), { most })).toMatchObject({ status: 'offline', messages: [], problems: [] })
  })

  it.each(['generate-task-sequence', 'task-completed', 'task-failed'])('[DO-4] the event %s', (name) => {
    expect(parseEvent(golden(`${name}.json`), { most })).toMatchObject({ outcome: 'message', problems: [] })
  })

  it('[DO-4b] the tasks of a plan', () => {
    const { results } = JSON.parse(golden('task-completed.json').toString()).data
    expect(planJoin([], results)).toEqual({ outcome: 'valid', added: results })
    expect(parseTaskList(Buffer.from(JSON.stringify(results)), { most })).toMatchObject({
      outcome: 'list',
      entries: [{ problems: [] }, { problems: [] }],
    })
  })

  it('[DO-6b] the lines of completed_tasks.json', () => {
    const lines = [...readJsonLines(golden('completed_tasks.jsonl'))]
    expect(lines.map(({ kind }) => kind)).toEqual(['record', 'record'])
    for (const line of lines) {
      const fields = Object.keys((line as { value: object }).value)
      expect(fields).toEqual(['message_id', 'task_id', 'agent_id', 'status', 'timestamp', 'output', 'error_details'])
    }
  })
})

it('[DO-7b] the events that operations write by themselves are listed in the guide, each with its details', () => {
  const guide = readFileSync(new URL('../../docs/guide/dream-os.md', import.meta.url), 'utf8')
  const rows = [...guide.matchAll(/^\| `([A-Z_]+)` +\| [^|]+ \| ([^|]+?) +\|$/gm)].map(([, type, details]) => [type, details])
  expect(Object.fromEntries(rows)).toEqual(significantEvents)
})

describe('what programs in the field write', () => {
  it('remarks behind //', () => {
    expect(parseMailbox(golden('odd/mailbox-with-remarks.json'), { most })).toMatchObject({
      outcome: 'malformed',
      problems: [{ code: 'BAD_JSON', hint: expect.stringContaining('{"compat":true}') }],
    })
    expect(mailbox('odd/mailbox-with-remarks.json', true)).toMatchObject({
      status: 'idle',
      messages: [],
      notes: ['Remarks behind // are passed over.'],
    })
  })

  it('a bare list, other names of fields, a zone said twice', () => {
    const read = mailbox('odd/mailbox-bare-list.json', true)
    expect(read).toMatchObject({ isBare: true, notes: ['It is a bare list of messages, without a status.'] })
    expect(read.messages[0]).toMatchObject({
      problems: [],
      message: { sender_agent_id: 'Agent_0', timestamp_dispatched: '2025-05-01T10:00:00.000Z', params: {} },
    })
    expect(read.messages[0]!.notes).toHaveLength(4)
    const other = mailbox('odd/message-utc.json', true)
    expect(other).toMatchObject({ lastSeenAt: Date.parse('2025-05-01T10:00:00Z'), problems: [] })
    expect(other.messages[0]!.message).toMatchObject({ sender_agent_id: 'Agent_0' })
    // Without compat the mailbox flows, and this message is told about.
    expect(mailbox('odd/message-utc.json').messages[0]!.problems.map(({ field }) => field)).toEqual([
      'sender_agent_id',
      'timestamp_dispatched',
    ])
  })

  it('a list of tasks in an object, with words for priorities', () => {
    const list = parseTaskList(golden('odd/task-list-in-object.json'), { most, compat: true })
    expect(list).toMatchObject({ outcome: 'list', within: 'tasks', entries: [{ task: { priority: 2, status: 'PENDING' } }] })
    expect(parseTaskList(golden('odd/task-list-in-object.json'), { most })).toMatchObject({ outcome: 'malformed' })
  })
})

describe('what is no mailbox', () => {
  const codes: Readonly<Record<string, string>> = {
    'cut-short.json': 'BAD_JSON',
    'deep.json': 'BAD_JSON',
    'list.json': 'NOT_A_MAILBOX',
    'messages-no-list.json': 'BAD_FIELD',
    'no-messages.json': 'MISSING_FIELD',
    'number.json': 'NOT_A_MAILBOX',
  }
  it('each has its code', () => {
    const names = readdirSync(new URL('dream-os/rejected', import.meta.url))
    const found = names.map((name) => {
      const read = parseMailbox(golden(`rejected/${name}`), { most })
      return [name, read.outcome === 'malformed' ? read.problems[0].code : 'read']
    })
    expect(Object.fromEntries(found)).toEqual(codes)
  })
})
