/**
 * Whatever Dream.OS reads: nothing but errors for people comes of it. Mutated and made-up files, JSON that is changed in its text,
 * and strangers' notes under `.signalbox/`.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonEditor } from '../../src/formats/json-edit.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { parseEvent } from '../../src/protocols/dream-os/event-format.ts'
import { parseMessage } from '../../src/protocols/dream-os/format.ts'
import {
  finishingPath,
  journalPath,
  outgoingPath,
  plansPath,
  tellingPath,
} from '../../src/protocols/dream-os/layout.ts'
import { MailboxEditor } from '../../src/protocols/dream-os/mailbox-edit.ts'
import { parseMailbox } from '../../src/protocols/dream-os/mailbox-format.ts'
import { fileSubject } from '../../src/protocols/dream-os/steps.ts'
import { noteNameOf } from '../../src/protocols/dream-os/store/notes.ts'
import { parseTaskList, planJoin } from '../../src/protocols/dream-os/tasks.ts'
import { mailboxFile, openDream } from '../support/dream.ts'
import { openDreamFiles } from '../support/dream-files.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const numRuns = Number(process.env.SIGNALBOX_PROPERTY_RUNS ?? 300) * scale
const seed = Number(process.env.SIGNALBOX_PROPERTY_SEED ?? 20261117)
const golden = ['mailbox', 'task-completed', 'task', 'odd/mailbox-bare-list', 'odd/task-list-in-object'].map((name) =>
  readFileSync(new URL(`../golden/dream-os/${name}.json`, import.meta.url)),
)

/** A file as it was, with some bytes changed, cut out or doubled. */
const mutated = fc
  .tuple(
    fc.constantFrom(...golden),
    fc.array(fc.tuple(fc.nat(2000), fc.nat(3), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
  )
  .map(([bytes, changes]) =>
    changes.reduce((now, [place, how, byte]) => {
      const at = place % Math.max(1, now.length)
      const [head, tail] = [now.subarray(0, at), now.subarray(at)]
      if (how === 0) return Buffer.concat([head, tail.subarray(1)])
      if (how === 1) return Buffer.concat([head, Buffer.of(byte), tail.subarray(1)])
      return how === 2 ? Buffer.concat([head, tail, tail]).subarray(0, 20_000) : head
    }, bytes),
  )
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value) => Buffer.from(JSON.stringify(value)))
const bytes = fc.oneof(
  mutated,
  anyJson,
  fc.uint8Array({ maxLength: 60 }).map((one) => Buffer.from(one)),
)

describe('files of any kind', () => {
  it('[X-fuzz] are read or refused, and nothing else', () => {
    fc.assert(
      fc.property(bytes, fc.boolean(), (file, compat) => {
        const options = { most: 1_000_000, compat }
        for (const parse of [parseMailbox, parseEvent, parseMessage, parseTaskList]) {
          const read = parse(file, options)
          if (read.outcome === 'malformed') expect(read.problems[0].code).toMatch(/^[A-Z_]+$/)
        }
        const list = parseTaskList(file, options)
        if (list.outcome === 'list')
          planJoin(
            [],
            list.entries.map(({ value }) => value),
          )
      }),
      { numRuns, seed },
    )
  })

  it('what a change says that a mailbox holds is what reading it says', () => {
    const id = fc.constantFrom('a', 'ü', 'message_id_1', '__proto__')
    const step = fc.oneof(
      id.map((one) => (editor: MailboxEditor) => editor.markProcessed(one)),
      fc
        .array(fc.nat(3), { maxLength: 4 })
        .map((at) => (editor: MailboxEditor) => editor.pack(new Set(at), new Set(['ü']))),
      fc.tuple(id, fc.jsonValue({ maxDepth: 2 })).map(
        ([message_id, x]) =>
          (editor: MailboxEditor) =>
            editor.add({ x, message_id, sender_agent_id: 'A', timestamp_dispatched: at, command: 'c', params: {} }),
      ),
      fc
        .constantFrom({ status: 'idle', seenAt: 0 } as const, { agent: null }, {
          agent: 'Bob',
          status: 'busy',
        } as const)
        .map((life) => (editor: MailboxEditor) => editor.setLife(life)),
    )
    const at = '2026-01-01T00:00:00.000Z'
    const indent = fc.constantFrom(undefined, 2, '\t')
    const mailbox = fc.tuple(fc.array(anyMessage, { maxLength: 3 }), indent).map(([messages, blanks]) => {
      const life = { status: 'online', assigned_agent_id: null, last_seen_utc: null }
      return Buffer.from(JSON.stringify({ ...life, messages, processed_message_ids: ['ü'], '2': 'x' }, null, blanks))
    })
    const files = fc.oneof(mutated, mailbox)
    let derived = 0
    fc.assert(
      fc.property(files, fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 3 }), (file, changes) => {
        let now: ReturnType<typeof parseMailbox> | undefined = parseMailbox(file, { most: 1_000_000 })
        let held: Uint8Array = file
        for (const steps of changes) {
          if (now?.outcome !== 'mailbox') return
          const editor = new MailboxEditor(now)
          for (const change of steps) change(editor)
          const { bytes: after, mailbox: said } = editor.resultOver(held)
          const read = parseMailbox(after, { most: 1_000_000 })
          expect(plain(read)).toMatchObject({ outcome: 'mailbox' })
          if (said) expect(plain(said)).toEqual(plain(read))
          if (said) derived++
          now = said ?? read
          held = after
        }
      }),
      { numRuns, seed },
    )
    expect(derived).toBeGreaterThan(numRuns / 4)
  })

  it('[X-fuzz] in every channel stop nobody', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (file) => {
        const { dream, tree } = openDream({ settle: 0 })
        await dream.mailboxes.init(2)
        await tree.remove(treePath(mailboxFile(1)))
        for (const path of [
          mailboxFile(1),
          'runtime/task_list.json',
          'runtime/Bob/inbox/x.json',
          'runtime/Ann/outbox/x.json',
          'temp/cursor_output.json',
          'runtime/supervisor_state.json',
          'governance_memory.jsonl',
        ]) {
          await tree.create(treePath(path), file)
        }
        await tried(() => dream.mailboxes.claim('Worker'))
        for (const number of [1, 2])
          await tried(() => dream.messages.send({ mailbox: number, from: 'A', command: 'c', params: {} }))
        await tried(() => dream.router.route('S'))
        await tried(() => dream.claiming.take('Bob'))
        await tried(() => dream.tasks.dispatch('S'))
        await dream.inspect()
        // The other mailbox works.
        const second = JSON.parse(Buffer.from((await tree.read(treePath(mailboxFile(2))))!.bytes).toString())
        expect(second.messages).toHaveLength(1)
      }),
      { numRuns: Math.ceil(numRuns / 5), seed },
    )
  })
})

const anyMessage = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.record({ message_id: fc.constantFrom('a', 'b') }))

/** Without what makes it, and with what is worked out on demand. */
const plain = (read: ReturnType<typeof parseMailbox>) => {
  if (read.outcome !== 'mailbox') return read
  const { edit, isProcessed: _, eachBut, ...rest } = read
  const whole = edit()
  const places = ['status', 'messages', 'processed_message_ids', '2'].map((key) => whole.member(whole.root, key))
  return { ...rest, ids: [...read.ids], each: [...eachBut((id) => id === 'a')], places }
}

/** An error is one for people. */
async function tried<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

it('JSON that is changed in its text says the same as a changed object', () => {
  const indent = fc.constantFrom(undefined, 2, 4, '\t')
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 6 }),
      fc.string({ maxLength: 5 }),
      fc.jsonValue({ maxDepth: 2 }),
      indent,
      (before, key, value, space) => {
        const plain = JSON.parse(JSON.stringify({ ...before, list: [1, { a: 2 }, 'x'] }))
        const json = new JsonEditor(JSON.stringify(plain, null, space))
        if (key !== 'list') json.set(json.root, key, value)
        const list = json.member(json.root, 'list')!
        json.push(list, value)
        const expected = { ...plain, ...(key === 'list' ? {} : { [key]: value }), list: [...plain.list, value] }
        expect(JSON.parse(json.result())).toEqual(JSON.parse(JSON.stringify(expected)))
      },
    ),
    { numRuns, seed },
  )
})

describe('notes of strangers', () => {
  const state = '.signalbox/state/delivery/dream'
  const paths = [
    `${state}/mailbox_1.json`,
    `${state}/mailbox_1.processed.jsonl`,
    `${state}/mailbox_1.sent-490000.jsonl`,
    `${state}/mailbox_1.packing.json`,
    `${finishingPath}/${noteNameOf('mailbox 1', 'x', '1')}`,
    `${finishingPath}/x.json`,
    `${plansPath}/${noteNameOf('plan-1')}`,
    `${state}/dispatch/${noteNameOf('a')}`,
    `${state}/inbox/${noteNameOf('Bob', 'task_t.json')}`,
    `${tellingPath}/mailbox-1.json`,
    `${tellingPath}/tasks.json`,
    `${tellingPath}/plan-1.json`,
    `${journalPath}/mailbox-1.json`,
    `${journalPath}/tasks.json`,
    `${journalPath}/${fileSubject('Bob', 'task_t.json')}.json`,
    `${state}/sent/Bob@task_u.json`,
    `${outgoingPath}/${noteNameOf('Bob', 'task_a.json')}`,
    `${state}/mailbox_1.lock-broken`,
    `${state}/answers/${noteNameOf('f')}`,
    '.signalbox/state/presence/dream/Bob',
  ]
  const hostile = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
    fc.constantFrom(
      '{"given": {"x": {"agent": "../..", "attempt": 1e308, "until": 1e308}}}',
      '{"given": []}',
      '{"line": {"status": "FAILED", "agent_id": "../../x", "timestamp": "x", "message_id": "m", "task_id": "../t"}, "agent": "../x", "file": "../../etc/passwd", "attempt": 0}',
      '{"line": {"status": "COMPLETED", "agent_id": "A", "timestamp": "x", "message_id": null, "task_id": null}, "agent": "A", "mailbox": 99999, "message": "m"}',
      '{"joining": {"digest": "d", "planner": "P", "tasks": [1]}, "told": 7}',
      '{"joined": 5, "tasks": {"a": 1}}',
      '{"lines": [7, {"event_type": "X"}], "messages": [{"to": "../x", "name": "../y.json", "text": "z"}, {"to": "A", "name": "n"}]}',
      '{"lines": [], "news": {"at": 1, "agents": "all"}, "messages": {}, "staged": true}',
      '{"lines": [], "when": {"dispatched": ["../a", 5, null]}}',
      '{"lines": [], "when": {"agent": 5, "messages": "x", "isLockBroken": true}}',
      '{"lines": [], "when": {"plan": "../../x", "told": {}}}',
      '{"text": "yes", "by": "../x", "verdict": "approve", "failedAt": 5, "line": {"x": 1}}',
      '{"attempt": "NaN", "open": true}',
      '{"steps": [{"do": "process", "mailbox": 1, "message": 7, "agent": "A", "at": 0}]}',
      '{"steps": [{"do": "finish", "agent": "../x", "file": "../../etc/passwd"}]}',
      '{"steps": [{"do": "carry", "staged": "../x.json", "to": "Bob", "name": "../y.json"}]}',
      '{"steps": [{"do": "constructor"}, {"do": "pack", "mailbox": 2, "ids": [], "at": 1}]}',
      '{"id": "m-1", "at": "soon"}\n{"id": 5}\n',
      '',
    ),
  )

  verifies('X-notes', 'do no harm, whatever they say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...paths), hostile), { maxLength: 5 }), async (notes) => {
        const { dream, tree } = openDream({ settle: 0 })
        for (const [path, text] of notes) await tree.create(treePath(path), text)
        await dream.mailboxes.init(1)
        await dream.mailboxes.claim('Worker')
        const { message } = await dream.messages.send({ mailbox: 1, from: 'A', command: 'c', params: {} })
        expect(await dream.messages.next(1, 'Worker')).toMatchObject({ outcome: 'given', message })
        expect(await dream.messages.done(1, 'Worker', message.message_id)).toMatchObject({ outcome: 'recorded' })
        await tried(() => dream.messages.compact(1, 'Worker'))
        await dream.sending.send('Bob', { task_id: 't' })
        expect(await dream.claiming.take('Bob')).toMatchObject({ outcome: 'taken' })
        expect(await dream.settling.done('Bob', 'task_t.json')).toMatchObject({ outcome: 'recorded' })
        await tried(() =>
          dream.planning.answer({
            plan: 'plan-1',
            planner: 'P',
            results: [
              {
                task_id: 'a',
                action: 'x',
                params: {},
                target_agent: 'Bob',
                status: 'PENDING',
                priority: 1,
                depends_on: [],
              },
            ],
          }),
        )
        await dream.tasks.dispatch('S')
        await dream.router.route('S')
        const failed = { type: 'TASK_FAILED', source_id: 'Bob', target_id: 'Nobody', data: { task_id: 'a' } }
        await tree.create(treePath('runtime/Bob/outbox/f.json'), JSON.stringify(failed))
        for await (const question of dream.escalations.questions())
          await tried(() => dream.escalations.answer(question, { verdict: 'approve', by: 'ada' }))
        await dream.router.route('S')
        for (const repair of [false, true]) await dream.inspect({ repair })
      }),
      { numRuns: Math.ceil(numRuns / 3), seed },
    )
  })

  verifies('X-notes', 'that are links or folders lead nowhere', async () => {
    const base = tempDir()
    const root = join(base, 'root')
    writeFileSync(join(base, 'outside.json'), '{"mine": 1}')
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      symlinkSync(join(base, 'outside.json'), join(root, path))
    }
    const { dream, close } = await openDreamFiles(root)
    await tried(() => dream.mailboxes.init(1))
    await tried(() => dream.mailboxes.claim('Worker'))
    await tried(() => dream.messages.send({ mailbox: 1, from: 'A', command: 'c', params: {} }))
    await tried(() => dream.messages.next(1, 'Worker'))
    await tried(() => dream.router.route('S'))
    await tried(() => dream.tasks.dispatch('S'))
    expect((await dream.inspect({ repair: true })).length).toBeGreaterThan(0)
    await tried(close)
    expect(readFileSync(join(base, 'outside.json'), 'utf8')).toBe('{"mine": 1}')
  })
})
