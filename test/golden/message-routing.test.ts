/** Messages as they come: the specification's examples, odd ones that count all the same, and what is rejected and why. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseMessage, printMessage } from '../../src/protocols/message-routing/format.ts'
import { judgeFile, sentencesOf } from '../../src/protocols/message-routing/judge.ts'
import { viewOf } from '../../src/protocols/message-routing/store/view.ts'
import { payloadProblems } from '../../src/protocols/message-routing/validate.ts'

const folder = new URL('message-routing/', import.meta.url)
const bytesOf = (path: string) => readFileSync(new URL(path, folder))
const read = <T>(path: string): T => JSON.parse(bytesOf(path).toString())
const filesIn = (path: string) =>
  readdirSync(new URL(path, folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .sort()

function parsed(bytes: Uint8Array) {
  const found = parseMessage(bytes)
  if (found.outcome !== 'message') throw new Error(sentencesOf(found.problems).join('; '))
  return found.message
}

/** What each example means, in the words of the envelope. */
const examples: Readonly<Record<string, object>> = {
  'status-update': {
    id: 'msg_b4e2a7c1',
    from: 'coder-1',
    to: 'coordinator-main',
    type: 'status-update',
    sequence: 5,
    requiresAck: false,
    priority: 5,
    correlationId: undefined,
    summary: 'Implemented authentication logic, starting tests',
    createdAt: '2025-10-06T14:35:22.123Z',
  },
  'task-delegation': {
    id: 'msg_c7f3d9a5',
    from: 'backend-dev-1',
    to: 'security-specialist-1',
    sequence: 1,
    requiresAck: true,
    priority: 5,
    summary: 'Security audit of JWT implementation',
  },
  result: { id: 'msg_d8a4f2b6', sequence: 6, correlationId: 'msg_c7f3d9a5', requiresAck: false, summary: 'success' },
  command: { id: 'msg_e9b5c3d7', to: 'tester-2', sequence: 3, requiresAck: true, priority: 10, summary: 'pause' },
  heartbeat: { id: 'msg_f1c6d8e2', sequence: 12, type: 'heartbeat', summary: 'healthy' },
  'task-delegation-full': { id: 'msg_1a2b3c4d', to: 'rust-expert-1', requiresAck: true, priority: 8, sequence: 8 },
  'result-full': { id: 'msg_5e6f7a8b', correlationId: 'msg_1a2b3c4d', sequence: 2, summary: 'success' },
}

describe('the examples of the specification', () => {
  it('are all here', () => {
    expect(filesIn('.').filter((name) => name !== 'odd' && name !== 'rejected')).toEqual(Object.keys(examples).sort())
  })

  it.each(Object.entries(examples))('[MR-1a][MR-1b][MR-1d] %s', (name, meaning) => {
    const bytes = bytesOf(`${name}.json`)
    const message = parsed(bytes)
    expect(payloadProblems(message)).toEqual([])
    expect(viewOf(message, 'inbox', 'x')).toMatchObject(meaning)
    const where = { agent: message.to, fileName: `${message.msg_id}.json`, size: bytes.length }
    expect(judgeFile(bytes, where)).toEqual({ outcome: 'message', message, problems: [], notes: [], isConverted: false })
    // The order of fields and the form are the specification's own.
    expect(printMessage(message)).toBe(JSON.stringify(JSON.parse(bytes.toString()), null, 2))
  })
})

describe('odd messages that count', () => {
  const odd = read<Record<string, { view: object; problems: string[] }>>('odd.json')
  it('are all described', () => {
    expect(filesIn('odd')).toEqual(Object.keys(odd).sort())
  })

  it.each(Object.entries(odd))('[MR-1a] %s', (name, { view, problems }) => {
    const bytes = bytesOf(`odd/${name}.json`)
    const judged = judgeFile(bytes, { agent: 'coder-1', fileName: 'msg_a3f5d8b2.json', size: bytes.length })
    if (judged.outcome !== 'message') throw new Error(sentencesOf(judged.problems).join('; '))
    expect(viewOf(judged.message, 'inbox', 'x')).toMatchObject(view)
    expect(judged.problems.map(({ field, message }) => /^\w+ ([\w.]+):/.exec(message)?.[1] === field && field)).toEqual(problems)
    // Unknown fields survive, and a null correlation_id is not written back.
    const { correlation_id, ...rest } = JSON.parse(bytes.toString().replace(/^\ufeff/, ''))
    expect(JSON.parse(printMessage(judged.message))).toEqual(correlation_id ? { ...rest, correlation_id } : rest)
    expect(Object.keys(judged.message)).not.toContain('polluted')
  })
})

describe('files that are rejected', () => {
  const rejected = read<Record<string, { fileName: string; code: string; issues: string[] }>>('rejected.json')
  it('are all described', () => {
    expect(filesIn('rejected')).toEqual(Object.keys(rejected).sort())
  })

  it.each(Object.entries(rejected))('[MR-6][MR-6b] %s', (name, { fileName, code, issues }) => {
    const bytes = bytesOf(`rejected/${name}.json`)
    const judged = judgeFile(bytes, { agent: 'coder-1', fileName, size: bytes.length })
    if (judged.outcome !== 'malformed') throw new Error('It was taken for a message.')
    expect(judged.code).toBe(code)
    const told = sentencesOf(judged.problems)
    expect(told.length).toBe(issues.length)
    for (const [i, words] of issues.entries()) expect(told[i]).toContain(words)
    expect(told.join('')).not.toMatch(/[\0-\x1f]/)
  })
})
