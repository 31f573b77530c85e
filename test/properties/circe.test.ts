/** CIRCE's formats under random and hostile input: nothing throws, nothing is lost, nothing takes long or leads outside. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { isSegment, treePath } from '../../src/kernel/tree-path.ts'
import { type CirceEvent, eventNames, eventsIn, parseEvent, printEvent } from '../../src/protocols/circe/events.ts'
import { bodyOf, optionsOf, parseMessage, plainTextOf, printMessage } from '../../src/protocols/circe/format.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import { intents, needsTask } from '../../src/protocols/circe/intents.ts'
import { inboxPath, keptWorkspacePath, taskPath, workspacePath } from '../../src/protocols/circe/layout.ts'
import {
  agentId,
  fileName,
  fileNameOf,
  isAgentId,
  isFileName,
  isTaskId,
  type TaskId,
  taskId,
} from '../../src/protocols/circe/names.ts'
import { type CirceDraft, messageStatuses } from '../../src/protocols/circe/schema.ts'
import { parseSteps } from '../../src/protocols/circe/steps.ts'
import { checksOf, printTaskFile, readTask, type Task, taskStatuses } from '../../src/protocols/circe/task.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const seed = Number(process.env.SIGNALBOX_TEST_SEED ?? 20261117)
const holds = <Ts extends [unknown, ...unknown[]]>(property: fc.IProperty<Ts>, runs = 150) =>
  fc.assert(property, { numRuns: runs * scale, seed })

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,15}$/)
const agent = name.filter(isAgentId)
const task = name.filter(isTaskId) as fc.Arbitrary<TaskId>
const time = fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds) => seconds * 1000)
/** Any text that a section may hold: no headings and fences of its own. */
const plain = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replace(/[\r\n#`~]/g, ' ').trim())
const paragraph = fc.array(plain, { maxLength: 4 }).map((lines) => lines.join('\n').trim())
const header = fc.tuple(fc.stringMatching(/^x[a-z0-9_.-]{0,10}$/), plain)
const draft: fc.Arbitrary<CirceDraft> = fc
  .record({
    from: agent,
    to: fc.oneof(agent, fc.constant('all'), fc.constant('ROOSTER')),
    intent: fc.constantFrom(...intents.keys()),
    task,
    status: fc.constantFrom(...messageStatuses),
    time,
    headers: fc.uniqueArray(header, { maxLength: 4, selector: ([key]) => key }),
    lead: fc.constant(''),
    sections: fc.array(fc.record({ name: plain.filter((text) => text !== ''), text: paragraph }), { maxLength: 4 }),
    hasTask: fc.boolean(),
  })
  .map(({ hasTask, task: id, ...rest }) => ({ ...rest, task: hasTask || needsTask(rest.intent) ? id : undefined }))

/** Pieces of which messages are made, in any order. */
const piece = fc.oneof(
  ...[
    fc.string({ unit: 'binary' }),
    fc.constantFrom('# MESSAGE', '\n', '\r\n', '\n\n', '## ', '```', '~~~~', ':', '\ufeff', '\0', '\u202e', '\ud800'),
  ],
  fc.constantFrom(
    'from: a\n',
    'to: b\n',
    'intent: inform\n',
    'status: new\n',
    'created_at: 2026-01-01T12:00:00Z\n',
    'task_id: ../x\n',
    'FROM: c\n',
  ),
)
const shuffled = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')))
const whole = '# MESSAGE\nfrom: a\nto: b\nintent: inform\nstatus: new\ncreated_at: 2026-01-01T12:00:00Z\n'

/** Every use of what was read. */
function useAll(bytes: Uint8Array): void {
  const parsed = parseMessage(bytes)
  if (parsed.outcome === 'malformed') {
    for (const { code, message } of parsed.problems)
      expect([/^[A-Z0-9_]+$/.test(code), message.length < 600]).toEqual([true, true])
    return
  }
  const { message } = parsed
  expect(message.bytes).toBe(bytes)
  expect(message.summary.length).toBeLessThanOrEqual(160)
  expect(message.summary).not.toMatch(/[\0-\x1f\u202e]/)
  expect([typeof bodyOf(message), typeof plainTextOf(message), Array.isArray(optionsOf(message))]).toEqual([
    'string',
    'string',
    true,
  ])
  // Nothing with an intent that nobody knows is ever sent.
  if (parsed.problems.length === 0) expect(isSegment(fileNameOf(message))).toBe(true)
  expect(treePath(inboxPath(treePath('x'), message.from))).toBeTruthy()
}

describe('messages', () => {
  it('[CI-1a] what is printed is read back as it was given', () => {
    holds(
      fc.property(draft, (given) => {
        const parsed = parseMessage(Buffer.from(printMessage(given)))
        if (parsed.outcome !== 'message') throw new Error(parsed.problems[0].message)
        const { from, to, intent, task: id, status, time: at, headers, sections } = parsed.message
        expect({ from, to, intent, task: id, status, time: at, sections }).toEqual({
          ...{
            from: given.from,
            to: given.to,
            intent: given.intent,
            task: given.task,
            status: given.status,
            time: given.time,
          },
          sections: given.sections.map((section) => ({ ...section })),
        })
        for (const [key, value] of given.headers) expect(headers.get(key)).toBe(value)
      }),
    )
  })

  it('[CI-1a] any text of a sender is printed and read back, or refused: never read as something else', () => {
    const wild = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').toWellFormed())
    holds(
      fc.property(fc.array(fc.record({ name: wild, text: wild }), { maxLength: 3 }), wild, (sections, value) => {
        const given: CirceDraft = {
          from: 'a',
          to: 'b',
          intent: 'inform',
          status: 'new',
          time: 0,
          lead: '',
          headers: [['x', value]],
          sections,
        }
        let text: string
        try {
          text = printMessage(given)
        } catch (error) {
          expect(error).toBeInstanceOf(SignalboxError)
          expect((error as SignalboxError).exit).toBe(2)
          return
        }
        const parsed = parseMessage(Buffer.from(text))
        if (parsed.outcome !== 'message') throw new Error(parsed.problems[0].message)
        expect(parsed.message.sections.map((section) => section.name)).toEqual(
          sections.map((section) => section.name.trim()),
        )
        expect([...parsed.message.headers.keys()]).toEqual(['from', 'to', 'intent', 'status', 'created_at', 'x'])
      }),
      300,
    )
  })

  it('[CI-1b][X-fuzz] whatever the bytes: a message or its problems, and nothing worse', () => {
    holds(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => useAll(bytes)),
      300,
    )
    holds(
      fc.property(shuffled, (bytes) => useAll(bytes)),
      400,
    )
    holds(
      fc.property(shuffled, (bytes) => useAll(Buffer.concat([Buffer.from(`${whole}\n`), bytes]))),
      300,
    )
    holds(
      fc.property(fc.nat(), fc.nat({ max: 255 }), (where, byte) => {
        const bytes = Buffer.from(`${whole}\n## Summary\nHello\n`)
        bytes[where % bytes.length] = byte
        useAll(bytes)
      }),
      300,
    )
  })

  it('[X-fuzz] hostile ones are dealt with at once', () => {
    const long = 'x'.repeat(1 << 20)
    const hostile: Record<string, string | Uint8Array> = {
      'a header line of a megabyte': `${whole}note: ${long}\n\nBody\n`,
      'a first line of a megabyte': long,
      'a key of a megabyte': `# MESSAGE\n${long}: x\n`,
      'a million headers': `# MESSAGE\n${'a: b\n'.repeat(1_000_000)}`,
      'a million colons': `# MESSAGE\n${':'.repeat(1_000_000)}\n`,
      'a million line ends': `${whole}${'\n'.repeat(1_000_000)}`,
      'a million blank lines before the end of a section': `${whole}\n## A\n${' \n'.repeat(1_000_000)}x`,
      'deep fences': `${whole}\n${Array.from({ length: 2000 }, (_, n) => `${'`'.repeat(n + 3)}\n## no\n`).join('')}`,
      'a fence of a megabyte': `${whole}\n${'`'.repeat(1 << 20)}\n${'~'.repeat(1 << 20)}\n`,
      'a hundred thousand sections': `${whole}\n${'## A\nb\n'.repeat(100_000)}`,
      'a hundred thousand options': `${whole}\n## Options\n${'1. x\n'.repeat(100_000)}`,
      'invalid UTF-8 throughout': Buffer.alloc(1 << 20, 0xff),
      'zeros throughout': Buffer.alloc(1 << 20),
    }
    for (const [what, content] of Object.entries(hostile)) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const before = process.cpuUsage()
      useAll(bytes)
      const { user } = process.cpuUsage(before)
      expect(user / 1e6, what).toBeLessThan(3)
    }
  })
})

describe('files of tasks', () => {
  const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
  const stood: fc.Arbitrary<Task> = fc
    .record({
      ...{
        id: task,
        status: fc.constantFrom(...taskStatuses),
        owner: maybe(agent.map(agentId)),
        claimedAt: maybe(time),
        startedAt: maybe(time),
        updatedAt: maybe(time),
      },
      checks: fc
        .record({ tests_passed: fc.boolean(), coverage_threshold_met: fc.boolean(), peer_reviewed: fc.boolean() })
        .map(checksOf),
    })
    .map((one) => (one.owner === undefined ? { ...one, claimedAt: undefined } : one))
  const textsOf = (one: Task) => ({
    status: printTaskFile('status', one, undefined),
    owner: one.owner === undefined ? undefined : printTaskFile('owner', one, undefined),
    checks: printTaskFile('checks', one, undefined),
  })

  it('[CI-5b] what is printed is read back', () => {
    holds(
      fc.property(stood, (one) => {
        expect(readTask(one.id, textsOf(one))).toEqual({ task: one, problems: [], isClaimedByHand: false })
      }),
    )
  })

  it('[CI-5b] changing one keeps every line that is not its own', () => {
    const field = fc.tuple(fc.stringMatching(/^own_[a-z]{1,8}$/), fc.stringMatching(/^[a-z ]{0,20}[a-z]$/))
    holds(
      fc.property(
        stood,
        stood,
        fc.uniqueArray(field, { maxLength: 4, selector: ([key]) => key }),
        (before, after, more) => {
          const lines = more.map(([key, value]) => `${key}: "${value}" # why\n`)
          for (const file of ['status', 'owner', 'checks'] as const) {
            const text = `# mine\n${lines.join('')}${printTaskFile(file, before, undefined)}`
            const changed = printTaskFile(file, { ...after, id: before.id }, text)
            expect(changed.startsWith(`# mine\n${lines.join('')}`)).toBe(true)
            expect(changed.slice(`# mine\n${lines.join('')}`.length)).toBe(
              printTaskFile(file, { ...after, id: before.id }, undefined),
            )
          }
        },
      ),
      60,
    )
  })

  it('[CI-5b][X-fuzz] whatever stands in them: a task and its problems, and nothing worse', () => {
    const word = fc.constantFrom(
      'task_id',
      'status',
      'owner',
      'claimed_at',
      'tests_passed',
      ': ',
      '\n',
      '\r\n',
      '- ',
      '[',
      '{',
      '&a',
      '*a',
      '"',
      "'",
      '|',
      '>',
      '#',
      'true',
      'null',
      '../x',
      '\ufeff',
      '\0',
      '---\n',
      '<<: ',
      '  ',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 25 }).map((words) => words.join('')),
    )
    holds(
      fc.property(text, text, text, stood, (status, owner, checks, one) => {
        const read = readTask(one.id, { status, owner, checks })
        expect(read.task.id).toBe(one.id)
        expect(taskStatuses).toContain(read.task.status)
        if (read.task.owner !== undefined) expect(isAgentId(read.task.owner)).toBe(true)
        for (const [file, before] of Object.entries({ status, owner, checks }) as [
          'status' | 'owner' | 'checks',
          string,
        ][]) {
          try {
            printTaskFile(file, one, before)
          } catch (error) {
            expect(error).toBeInstanceOf(SignalboxError)
          }
        }
      }),
      300,
    )
  })

  it('notes and lines of strangers are read or passed over', () => {
    expect(parseSteps([{ do: 'own' }, {}])).toBeUndefined()
    holds(fc.property(fc.array(fc.jsonValue()), (steps) => void parseSteps(steps)))
    holds(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void [...eventsIn(bytes), ...eventsIn(bytes, 'T-1')]),
    )
    const event: fc.Arbitrary<CirceEvent> = fc.record({
      at: time,
      event: fc.constantFrom(...eventNames),
      agent,
      task,
      file: fc.constant(undefined),
      detail: plain,
    })
    const safe = event.filter(
      ({ detail }) => !/[\0-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(detail),
    )
    holds(
      fc.property(safe, (one) => {
        expect(parseEvent(printEvent(one))).toEqual(one)
      }),
    )
  })
})

describe('names', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('.', '..', '/', '\\', 'a', '\0', '\n', ' ', '-', '.md', '\u202e', 'AGENTS', '~'), {
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  )
  const accepted = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      expect((error as SignalboxError).exit).toBe(2)
      return undefined
    }
  }
  it('[CI-3] whatever is accepted as a name stays in the place it is for', () => {
    const root = treePath(circe.defaults.root)
    holds(
      fc.property(text, (given) => {
        const who = accepted(() => agentId(given))
        if (who !== undefined)
          expect(treePath(workspacePath(root, who))).toBe(`${root}/AGENTS/${given.toLowerCase()}/WORKSPACE`)
        const id = accepted(() => taskId(given))
        if (id !== undefined) {
          expect(treePath(taskPath(root, id, 'owner'))).toBe(`${root}/TASKS/${given}.owner`)
          expect(treePath(keptWorkspacePath(root, id, agentId('qa')))).toBe(`${root}/LOGS/workspaces/${given}/qa`)
        }
        const file = accepted(() => fileName(given))
        if (file !== undefined)
          expect([isFileName(file), isSegment(file), file.includes('/')]).toEqual([true, true, false])
      }),
      400,
    )
  })
})
