import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MessageType, messageSchema, messageTypes, payloadSchemas, type Schema } from './schema.ts'
import { messageProblems as issuesOf, payloadProblems } from './validate.ts'

const ajv = new Ajv({ allErrors: true })
addFormats.default(ajv)

/** Where ajv wants the text of a pattern, the schema has the pattern itself. */
const compiled = (schema: Schema) =>
  ajv.compile(JSON.parse(JSON.stringify(schema, (_, value) => (value instanceof RegExp ? value.source : value))))
const reference = compiled(messageSchema)
const payloadReference = Object.fromEntries(messageTypes.map((type) => [type, compiled(payloadSchemas[type])]))

const payloadIssuesOf = (type: MessageType, payload: unknown) => payloadProblems({ type, payload })

const valid = {
  version: '1.0.0',
  msg_id: 'msg_a3f5d8b2',
  from: 'coordinator-main',
  to: 'backend-dev-1',
  timestamp: '2025-10-06T14:32:15.234Z',
  sequence: 42,
  type: 'task-delegation',
  payload: { task: 'implement auth' },
  requires_ack: true,
  correlation_id: 'msg_b4e2a7c1',
  priority: 8,
}

/** Field, value, and what the one issue says. `undefined` leaves the field out. */
const wrongFields: [field: string, value: unknown, says: string][] = [
  [
    'version',
    undefined,
    'Missing required field: version, expected three numbers with dots between them, such as 1.0.0',
  ],
  ['version', '1.0', "Invalid version: expected three numbers with dots between them, such as 1.0.0, got '1.0'"],
  ['version', 1, 'Invalid version: expected three numbers with dots between them, such as 1.0.0, got 1'],
  [
    'msg_id',
    undefined,
    'Missing required field: msg_id, expected `msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2',
  ],
  [
    'msg_id',
    'msg_A3F5D8B2',
    "Invalid msg_id: expected `msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2, got 'msg_A3F5D8B2'",
  ],
  [
    'msg_id',
    'msg_a3f5d8b2\n',
    "Invalid msg_id: expected `msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2, got 'msg_a3f5d8b2\\n'",
  ],
  [
    'from',
    undefined,
    'Missing required field: from, expected a name of lower-case letters, digits, `_` and `-`, such as coder-1',
  ],
  [
    'from',
    '../x',
    "Invalid from: expected a name of lower-case letters, digits, `_` and `-`, such as coder-1, got '../x'",
  ],
  [
    'to',
    undefined,
    'Missing required field: to, expected a name of lower-case letters, digits, `_` and `-`, such as coder-1',
  ],
  ['to', '', "Invalid to: expected a name of lower-case letters, digits, `_` and `-`, such as coder-1, got ''"],
  [
    'timestamp',
    undefined,
    'Missing required field: timestamp, expected a time with a zone, such as 2025-10-06T14:32:15.234Z',
  ],
  [
    'timestamp',
    '2025-10-06T14:32:15',
    "Invalid timestamp: expected a time with a zone, such as 2025-10-06T14:32:15.234Z, got '2025-10-06T14:32:15'",
  ],
  [
    'timestamp',
    1_759_761_135,
    'Invalid timestamp: expected a time with a zone, such as 2025-10-06T14:32:15.234Z, got 1759761135',
  ],
  ['sequence', undefined, 'Missing required field: sequence, expected a whole number from 1 up'],
  ['sequence', 0, 'Invalid sequence: expected a whole number from 1 up, got 0'],
  ['sequence', 1.5, 'Invalid sequence: expected a whole number from 1 up, got 1.5'],
  ['sequence', '1', "Invalid sequence: expected a whole number from 1 up, got '1'"],
  [
    'type',
    undefined,
    "Missing required field: type, expected one of 'status-update', 'task-delegation', 'result', 'command', 'heartbeat'",
  ],
  [
    'type',
    'status_update',
    "Invalid type: expected one of 'status-update', 'task-delegation', 'result', 'command', 'heartbeat', got 'status_update'",
  ],
  ['payload', undefined, 'Missing required field: payload, expected a JSON object'],
  ['payload', [], 'Invalid payload: expected a JSON object, got a list of 0'],
  ['payload', null, 'Invalid payload: expected a JSON object, got null'],
  ['requires_ack', 'yes', "Invalid requires_ack: expected true or false, got 'yes'"],
  [
    'correlation_id',
    'abc',
    "Invalid correlation_id: expected `msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2, got 'abc'",
  ],
  ['priority', 11, 'Invalid priority: expected a whole number from 0 to 10, got 11'],
  ['priority', -1, 'Invalid priority: expected a whole number from 0 to 10, got -1'],
  ['priority', 5.5, 'Invalid priority: expected a whole number from 0 to 10, got 5.5'],
]

describe('the schema', () => {
  it('[MR-1a] has nothing against a message that is as it should be', () => {
    expect(issuesOf(valid)).toEqual([])
    expect(issuesOf({ ...valid, extra: { anything: 1 }, priority: 0 })).toEqual([])
  })

  it.each(wrongFields)(
    '[MR-1a] %s %j: says which field, what was expected and what was found',
    (field, value, says) => {
      const message = { ...valid, [field]: value }
      expect(issuesOf(message)).toEqual([
        {
          code: value === undefined ? 'MISSING_FIELD' : 'BAD_FIELD',
          field,
          expected: expect.any(String),
          found: value === undefined ? undefined : expect.any(String),
          message: says,
        },
      ])
      expect(reference(JSON.parse(JSON.stringify(message)))).toBe(false)
    },
  )

  it('[MR-1a] is not an object: says so', () => {
    expect(issuesOf([]).map(({ message }) => message)).toEqual([
      'Invalid message: expected a JSON object, got a list of 0',
    ])
  })

  it('[MR-1a] gives every reason at once', () => {
    expect(issuesOf({}).map(({ field }) => field)).toEqual([...messageSchema.required!])
  })

  it('[MR-1d] takes a null correlation_id for an absent one', () => {
    expect(issuesOf({ ...valid, correlation_id: null })).toEqual([])
  })
})

/** Type, payload, and the fields that are wrong with it. */
const payloads: [type: MessageType, payload: object, wrong: string[]][] = [
  ['status-update', { status: 'in_progress', progress: 0.65, message: 'x', confidence: 1, blockers: ['a'] }, []],
  ['status-update', {}, ['payload.status']],
  ['status-update', { status: 'done' }, ['payload.status']],
  ['status-update', { status: 'failed', progress: 1.01 }, ['payload.progress']],
  ['status-update', { status: 'failed', progress: -0.1 }, ['payload.progress']],
  ['status-update', { status: 'failed', confidence: '1' }, ['payload.confidence']],
  ['status-update', { status: 'failed', message: 1 }, ['payload.message']],
  ['status-update', { status: 'failed', blockers: 'none' }, ['payload.blockers']],
  [
    'status-update',
    { status: 'failed', blockers: ['a', 2, 'c', null] },
    ['payload.blockers[1]', 'payload.blockers[3]'],
  ],
  ['task-delegation', { task: 'implement auth' }, []],
  ['task-delegation', {}, ['payload.task']],
  ['task-delegation', { task: 'x', context: [] }, ['payload.context']],
  [
    'task-delegation',
    { task: 'x', context: { files: [1], deadline: 'soon' } },
    ['payload.context.files[0]', 'payload.context.deadline'],
  ],
  ['task-delegation', { task: 'x', metadata: { original_requester: 7 } }, ['payload.metadata.original_requester']],
  ['result', { status: 'partial' }, []],
  ['result', {}, ['payload.status']],
  ['result', { status: 'completed' }, ['payload.status']],
  ['result', { status: 'success', metrics: { test_coverage: 92 } }, ['payload.metrics.test_coverage']],
  ['result', { status: 'success', metrics: { duration_ms: -1 } }, ['payload.metrics.duration_ms']],
  ['result', { status: 'success', deliverables: { artifacts: 'x' } }, ['payload.deliverables.artifacts']],
  ['command', { action: 'health_check', parameters: { timeout_ms: 30_000 } }, []],
  ['command', {}, ['payload.action']],
  ['command', { action: 'explode' }, ['payload.action']],
  ['command', { action: 'stop', parameters: { timeout_ms: '1' } }, ['payload.parameters.timeout_ms']],
  ['heartbeat', { health: 'healthy', metrics: { cpu_usage: 0.35, memory_mb: 128, active_tasks: 2 }, uptime_ms: 1 }, []],
  ['heartbeat', {}, ['payload.health']],
  ['heartbeat', { health: 'fine' }, ['payload.health']],
  ['heartbeat', { health: 'degraded', metrics: { cpu_usage: 35 } }, ['payload.metrics.cpu_usage']],
  ['heartbeat', { health: 'degraded', metrics: { active_tasks: 1.5 } }, ['payload.metrics.active_tasks']],
  ['heartbeat', { health: 'degraded', unknown: 1 }, []],
]

describe('the table of payloads', () => {
  it.each(payloads)('[MR-1b][MR-1e] %s %j', (type, payload, wrong) => {
    expect(payloadIssuesOf(type, payload).map(({ field }) => field)).toEqual(wrong)
    expect(payloadReference[type]!(payload)).toBe(wrong.length === 0)
  })
})

describe('any value at all', () => {
  const awkward = fc.constantFrom<unknown>(
    ...[null, 0, 1, -1, 1.5, 11, 1e300, true, false, '', 'x', '1.0.0', 'msg_a3f5d8b2', 'msg_a3f5d8b2x', 'coder-1', 'A'],
    ...['2025-10-06T14:32:15.234Z', '2025-02-30T00:00:00Z', '2025-10-06T14:32:15+02:00', '2016-12-31T23:59:60Z'],
    ...['completed', 'success', 'stop', 'healthy', 'heartbeat', [], ['a'], [1], {}, { files: [1] }, { cpu_usage: 2 }],
  )
  const runs = { numRuns: Number(process.env.SIGNALBOX_PROPERTY_RUNS ?? 2000), seed: 20251006 }
  const fields = Object.keys(messageSchema.properties!)
  const mutated = fc.tuple(
    fc.subarray(fields),
    fc.subarray(fields),
    fc.array(awkward, { minLength: 11, maxLength: 11 }),
  )

  it('[MR-1a] is a message exactly when a full validator says so', () => {
    fc.assert(
      fc.property(mutated, ([changed, dropped, values]) => {
        const message: Record<string, unknown> = { ...valid }
        for (const [i, field] of changed.entries()) message[field] = values[i]
        for (const field of dropped) if (changed.length % 2 === 0) delete message[field]
        // The one place where the specification's table is kinder than its schema.
        if (message.correlation_id === null) delete message.correlation_id
        const issues = issuesOf(message)
        expect(issues.length === 0, JSON.stringify(message)).toBe(reference(message))
        const wrong = new Set(
          (reference.errors ?? []).map((error) => error.instancePath.slice(1) || error.params.missingProperty),
        )
        expect(new Set(issues.map(({ field }) => field))).toEqual(wrong)
      }),
      runs,
    )
  })

  it('[MR-1b] is a payload exactly when a full validator says so', () => {
    const names = [
      'status',
      'progress',
      'message',
      'blockers',
      'task',
      'context',
      'metrics',
      'action',
      'parameters',
      'health',
    ]
    const payload = fc.dictionary(fc.constantFrom(...names), awkward)
    fc.assert(
      fc.property(fc.constantFrom(...messageTypes), payload, (type, value) => {
        const plain = JSON.parse(JSON.stringify(value))
        expect(payloadIssuesOf(type, plain).length === 0, `${type} ${JSON.stringify(plain)}`).toBe(
          payloadReference[type]!(plain),
        )
      }),
      runs,
    )
  })
})
