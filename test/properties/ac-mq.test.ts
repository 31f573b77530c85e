/**
 * What holds for every AC-MQ message: printing and reading are inverse, the fast ways agree with the general ones, an
 * edit touches what it should, names and parts are one, and no text of a stranger becomes a report or a diagram.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFrontMatterBytes } from '../../src/formats/front-matter.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { isSegment, treePath } from '../../src/kernel/tree-path.ts'
import { findCycle } from '../../src/protocols/ac-mq/cycles.ts'
import { parseDependency, readDependency } from '../../src/protocols/ac-mq/dependencies.ts'
import {
  failureOf,
  messageOrThrow,
  parseAnyMessage,
  parseMessage,
  printMessage,
  resultOf,
  withFailure,
  withFields,
  withResult,
  withStatus,
} from '../../src/protocols/ac-mq/format.ts'
import { drawGraph } from '../../src/protocols/ac-mq/graph.ts'
import {
  fileNameOf,
  isAgentId,
  isoTime,
  missionAddress,
  missionPath,
  parseFileName,
  parseTime,
} from '../../src/protocols/ac-mq/layout.ts'
import { nextState, transitionNames } from '../../src/protocols/ac-mq/lifecycle.ts'
import { readOwnHeader } from '../../src/protocols/ac-mq/own-header.ts'
import { printAnyHeader, printHeader } from '../../src/protocols/ac-mq/print-header.ts'
import { type AcmqRecord, queueNames } from '../../src/protocols/ac-mq/schema.ts'

const numRuns = Number(process.env.SIGNALBOX_PROPERTY_RUNS ?? 400)
const seed = Number(process.env.SIGNALBOX_PROPERTY_SEED ?? 20250704)
const check = <T>(arbitrary: fc.Arbitrary<T>, test: (value: T) => void) => {
  fc.assert(fc.property(arbitrary, test), { numRuns, seed })
}

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const awkward = ['null', 'true', '12e45678', '00123456', '0x1F', 'No', 'a-from-b', 'ab-from', 'x-to-y', 'e', '7']
const id = fc.oneof(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/), fc.uuid(), fc.constantFrom(...awkward))
const agent = fc
  .oneof(fc.constantFrom('claude', 'gemini', 'to', 'from', 'null', '007', 'on'), id)
  .filter((text) => isAgentId(text))
const recipient = fc.oneof(agent, fc.constant('all'))
const time = fc.integer({ min: 0, max: 4e12 }).map(isoTime)
const ordinary = fc.stringMatching(/^[ !#-[\]-~]{0,60}$/)
const segment = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_. -]{0,12}$/)
const dependency = fc.oneof(
  id.map((text) => `msg:${text}`),
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `path:./${parts.join('/')}`),
  id,
)
const record: fc.Arbitrary<AcmqRecord> = fc.record({
  id,
  mission_id: fc.constant('main/alpha'),
  timestamp: time,
  from: agent,
  to: recipient,
  status: fc.constantFrom(...queueNames),
  priority: fc.integer({ min: 1, max: 5 }),
  timeout_seconds: fc.integer({ min: 1, max: 1e9 }),
  dependencies: fc.array(dependency, { maxLength: 4 }),
  summary: fc.oneof(ordinary, anyText, fc.constantFrom('', '---', 'null', 'x: y', '\n---\n')),
  attempt: fc.integer({ min: 1, max: 4 }),
})
const body = fc.oneof(anyText, fc.constantFrom('', '---\n', '\nBody\n', '\r\n', '\n---\n\n**Failure Report**\n\nx\n'))
const context = { fileName: 'x.md', address: missionAddress('main/alpha'), timeoutSeconds: 3600 }

// Pieces from which text is made that tries to be taken for something else.
const marks = [
  ...['\n', '\n\n', '\r\n', '\r', '\u2028', '\v', '---', '--- ', '> ', '>', ' ', '**Failure Report**', '**Result**'],
  ...['- Time: 2020-01-01T00:00:00Z', '- Agent: mallory', '- Reason: forged', '- Link: x', 'x', '\\', '"', '"]'],
  ...['`', '<!--', '-->', '<script>', '%%{init: {}}%%', 'end', ';', ':::failed', '#quot;', '#', ']', '{', '}', '&lt;'],
]
const hostile = fc.array(fc.constantFrom(...marks), { maxLength: 16 }).map((parts) => parts.join(''))

describe('messages', () => {
  it('are read as they were printed', () => {
    check(fc.tuple(record, body), ([message, text]) => {
      const bytes = printMessage(message, text)
      const { message: parsed, problems } = messageOrThrow(parseMessage(bytes, context))
      const { record: read, bodyStart } = parsed
      expect(read).toEqual(message)
      // A summary that holds U+FFFD cannot be told from one whose bytes were not UTF-8.
      expect(problems.filter(({ code }) => code !== 'NOT_UTF8')).toEqual([])
      expect(bytes.subarray(bodyStart).equals(Buffer.from(text))).toBe(true)
    })
  })

  it('are printed alike by the fast way and by the general one', () => {
    const anyRecord = fc.record({
      ...{ id: anyText, mission_id: anyText, timestamp: anyText, from: anyText, to: anyText, status: anyText },
      ...{ priority: fc.double(), timeout_seconds: fc.double(), attempt: fc.integer() },
      ...{ dependencies: fc.array(anyText, { maxLength: 3 }), summary: anyText },
    })
    check(fc.oneof(record, anyRecord), (message) => {
      expect(printHeader(message)).toBe(printAnyHeader(message))
    })
  })

  it('are read alike by the fast way and by the general one, also when somebody changed them', () => {
    const changed = fc.tuple(
      record,
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', '\n', '"', ' ', ':', 'x', '- ', '0', '#', '\r'),
    )
    check(changed, ([message, at, cut, piece]) => {
      const printed = printMessage(message, 'Body')
      const place = at % printed.length
      const bytes = Buffer.concat([printed.subarray(0, place), Buffer.from(piece), printed.subarray(place + cut)])
      const own = readOwnHeader(bytes)
      if (own?.record.mission_id !== context.address) return
      const { record, bodyStart } = own
      expect(parseAnyMessage(bytes, context)).toEqual({
        outcome: 'message',
        message: { record, bodyStart },
        problems: [],
      })
    })
  })

  it('[X-fuzz] are read or malformed, and changing them makes nothing but a SignalboxError, whatever the bytes', () => {
    const line = fc.tuple(fc.constantFrom('id', 'to', 'from', 'priority', 'dependencies', 'summary', 'x'), anyText)
    const header = fc
      .array(line, { maxLength: 6 })
      .map((lines) => lines.map(([key, value]) => `${key}: ${value}\n`).join(''))
    const files = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      header.map((text) => Buffer.from(`---\n${text}---\n`)),
    )
    const steps = [
      (bytes: Uint8Array) => withStatus(bytes, 'failed'),
      (bytes: Uint8Array) => withFields(bytes, { to: 'gemini', attempt: 2 }),
    ]
    check(files, (bytes) => {
      const read = parseMessage(bytes, context)
      if (read.outcome === 'malformed') expect(() => messageOrThrow(read)).toThrow(SignalboxError)
      for (const step of steps) {
        try {
          step(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(SignalboxError)
        }
      }
      failureOf(bytes)
      resultOf(bytes)
    })
  })
})

describe('edits', () => {
  const changes = fc.record(
    {
      status: fc.constantFrom(...queueNames),
      to: agent,
      attempt: fc.integer({ min: 2, max: 9 }),
      priority: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: [] },
  )

  it('of our files give what printing the changed record gives', () => {
    check(fc.tuple(record, body, changes), ([message, text, edit]) => {
      const bytes = printMessage(message, text)
      expect(withFields(bytes, edit).equals(printMessage({ ...message, ...edit }, text))).toBe(true)
      const status = edit.status ?? 'failed'
      expect(withStatus(bytes, status).equals(printMessage({ ...message, status }, text))).toBe(true)
      expect(withStatus(bytes, status)).toHaveLength(bytes.length)
    })
  })

  it('of files of others keep every line but the one', () => {
    const lines = fc.shuffledSubarray(
      ['id: x1 # why', 'to:  all', "summary: 'é'", 'extra: {a: 1}', '# note', 'status: pending', 'list: [a, "b"]'],
      { minLength: 1 },
    )
    check(fc.tuple(lines, fc.constantFrom('\n', '\r\n'), body), ([header, eol, text]) => {
      const before = Buffer.from(`---${eol}${header.map((line) => line + eol).join('')}---${eol}${text}`)
      const after = withStatus(before, 'failed').toString()
      const isThere = header.includes('status: pending')
      const expected = isThere ? header.map((line) => line.replace('pending', 'failed')) : [...header, 'status: failed']
      expect(after).toBe(`---${eol}${expected.map((line) => line + eol).join('')}---${eol}${Buffer.from(text)}`)
    })
  })
})

describe('names', () => {
  it('[AC-3.1] are read back into the parts they were made of', () => {
    check(
      fc.tuple(id, time, agent, recipient, fc.integer({ min: 8, max: 64 })),
      ([text, timestamp, from, to, length]) => {
        const name = fileNameOf({ id: text, timestamp, from, to }, length)
        expect(isSegment(name)).toBe(true)
        const parts = parseFileName(name)!
        expect(parts).toMatchObject({ timestamp: timestamp.replace(/[^0-9]/g, ''), from, to })
        expect(text.startsWith(parts.shortId)).toBe(true)
        expect(parts.shortId.length).toBeGreaterThanOrEqual(Math.min(8, text.length))
      },
    )
  })

  it('times are read back', () => {
    check(fc.integer({ min: -6e13, max: 2.5e14 }), (ms) => {
      expect(parseTime(isoTime(ms))).toBe(Math.floor(ms / 1000) * 1000)
    })
  })

  it('no address of a mission and no dependency leads outside', () => {
    const parts = fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      'a',
      'b c',
      '\\',
      '\0',
      'sub-missions',
      '~',
      'path:',
      'msg:',
      ' ',
    )
    check(fc.array(parts, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('')
      const root = treePath('llm/missions')
      try {
        const path = missionPath({ root, address: missionAddress(text) })
        expect(treePath(path).startsWith('llm/missions/')).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_MISSION_NAME' })
      }
      const read = readDependency(text)
      if (read.kind === 'path') expect(treePath(read.path)).not.toBe('')
      if (read.kind === 'either') expect(treePath(read.text)).not.toBe('')
      if (read.kind === 'outside') expect(() => parseDependency(text)).toThrow('Cannot depend on')
    })
  })
})

describe('reports', () => {
  const lines = (text: string) => text.split(/\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/)
  const kept = (text: string) => Buffer.from(lines(text).join('\n').replace(/\n+$/, '')).toString()
  const at = Date.UTC(2025, 6, 4)

  it('[AC-8.1] say what was put in and nothing that a text in them pretends', () => {
    check(fc.tuple(body, hostile, hostile, hostile), ([text, reason, detail, outcome]) => {
      const message = printMessage({ ...plainRecord, status: 'failed' }, text)
      const failed = withFailure(message, { agent: 'gemini', at, reason: `x${reason}`, detail })
      const read = failureOf(failed)!
      expect([read.at, read.agent, read.reason]).toEqual([at, 'gemini', lines(`x${reason}`.trim())[0]])
      const all = [...lines(`x${reason}`.trim()).slice(1), ...(detail ? [detail] : [])].join('\n')
      expect(read.detail ?? '').toBe(kept(all))
      // A result after it neither hides nor adds a failure, and is itself the last result.
      const done = withResult(failed, { agent: 'claude', at, text: outcome, links: [outcome] })
      expect(failureOf(done)).toEqual(read)
      const result = resultOf(done)!
      expect([result.agent, result.text, result.links.length]).toEqual(['claude', kept(outcome), 1])
      expect(done.subarray(0, message.length).equals(message)).toBe(true)
      expect(readFrontMatterBytes(done)!.bodyStart).toBe(readFrontMatterBytes(message)!.bodyStart)
    })
  })

  it('in any text begin nothing on a line of their own', () => {
    check(fc.tuple(hostile, anyText), ([text, other]) => {
      const message = printMessage(plainRecord, '')
      const added = withResult(message, { agent: other, at, text: text + other, links: [text] })
        .toString()
        .slice(message.length)
      expect(added.split('\n').filter((line) => line === '---' || line.startsWith('**'))).toEqual(['---', '**Result**'])
    })
  })
})

describe('the lifecycle', () => {
  it('leads from state to state and never out of the table', () => {
    check(fc.array(fc.constantFrom(...transitionNames), { maxLength: 20 }), (events) => {
      let state: Parameters<typeof nextState>[0] = 'pending'
      for (const event of events) {
        const next = nextState(state, event)
        state = next ?? state
        expect([...queueNames, 'archived']).toContain(state)
      }
    })
  })
})

describe('cycles', () => {
  const graphs = fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { minLength: 12, maxLength: 12 })
  it('are those that walking finds', () => {
    check(graphs, (edges) => {
      const dependsOn = (at: string) => edges[Number(at)]!.map(String)
      const ids = edges.map((_, at) => String(at))
      const reaches = (from: string): Set<string> => {
        const seen = new Set<string>()
        const walk = (at: string): void => {
          for (const next of dependsOn(at)) {
            if (seen.has(next)) continue
            seen.add(next)
            walk(next)
          }
        }
        walk(from)
        return seen
      }
      const inCycles = ids.filter((at) => reaches(at).has(at))
      expect(ids.filter((at) => findCycle(at, dependsOn) !== undefined)).toEqual(inCycles)
      for (const at of inCycles) {
        const through = findCycle(at, dependsOn)!
        expect([through.at(0), through.at(-1)]).toEqual([at, at])
        for (const [step, one] of through.slice(0, -1).entries()) expect(dependsOn(one)).toContain(through[step + 1])
      }
    })
  })
})

describe('graphs', () => {
  const node = fc.record({
    id,
    summary: fc.oneof(hostile, anyText),
    to: agent,
    state: fc.constantFrom(...queueNames),
    dependencies: fc.array(fc.oneof(dependency, hostile), { maxLength: 3 }),
    blocked: hostile,
  })

  it('are well-formed whatever a summary says', () => {
    const mermaidLine =
      /^(?:flowchart TD| {2}n\d+(?:\["[^"`<>;%&\\]*"\]|\[\/"[^"`<>;%&\\]*"\/\]):::[a-z]+| {2}n\d+ --> n\d+| {2}classDef [a-z]+ fill:#[0-9a-f]{6},stroke:#555,color:#111)$/
    const dotLine =
      /^(?:digraph mission \{| {2}node \[.*\]| {2}n\d+ \[label="(?:[^"\\]|\\[\\"n])*", fillcolor="#[0-9a-f]{6}"(?:, shape=note)?\]| {2}n\d+ -> n\d+|\})$/
    check(fc.array(node, { maxLength: 4 }), (nodes) => {
      for (const line of drawGraph(nodes, 'mermaid').trimEnd().split('\n')) {
        // Our own line breaks, and the numbered entities, are the only signs with a meaning in a label.
        expect(line.replaceAll('<br/>', '').replace(/#\d+;/g, '')).toMatch(mermaidLine)
      }
      for (const line of drawGraph(nodes, 'dot').trimEnd().split('\n')) expect(line).toMatch(dotLine)
      const json = drawGraph(nodes, 'json')
      expect(
        JSON.parse(json)
          .nodes.slice(0, nodes.length)
          .map((one: { summary: string }) => one.summary),
      ).toEqual(nodes.map(({ summary }) => summary))
      expect(json).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/)
    })
  })
})

const plainRecord: AcmqRecord = {
  id: 'a1b2c3d4',
  mission_id: 'main/alpha',
  timestamp: '2025-07-04T10:30:00Z',
  from: 'claude',
  to: 'gemini',
  status: 'processing',
  priority: 3,
  timeout_seconds: 60,
  dependencies: [],
  summary: 'Do it.',
  attempt: 1,
}
