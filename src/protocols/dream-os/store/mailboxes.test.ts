import { describe, expect, it, vi } from 'vitest'
import { mailboxFile, openDream, shared } from '../../../../test/support/dream.ts'
import { treePath } from '../../../kernel/tree-path.ts'

const minute = 60_000
const box = mailboxFile(1)

async function claimed(agent = 'Worker') {
  const all = openDream()
  await all.dream.mailboxes.init(2)
  await all.dream.mailboxes.claim(agent)
  const send = (command = 'run_test') =>
    all.dream.messages.send({ mailbox: 1, from: 'Agent_0', command, params: { a: 1 } })
  return { ...all, send }
}

describe('the life of a mailbox', () => {
  it('[DO-5a] has the structure of the specification', async () => {
    const { dream, read } = openDream()
    expect(await dream.mailboxes.init(1)).toMatchObject({ outcome: 'created', made: [1] })
    expect(await read(box)).toBe(`{
  "status": "offline",
  "assigned_agent_id": null,
  "last_seen_utc": null,
  "messages": [],
  "processed_message_ids": []
}
`)
    expect(await dream.mailboxes.init(1)).toMatchObject({ outcome: 'unchanged', made: [] })
  })

  it('[DO-5a][DO-5d] is claimed lowest first, kept fresh and released; its status follows', async () => {
    const { dream, json, clock } = openDream()
    await dream.mailboxes.init(2)
    expect(await dream.mailboxes.claim('A')).toMatchObject({ outcome: 'claimed', mailbox: 1 })
    expect(await dream.mailboxes.claim('A')).toMatchObject({ outcome: 'unchanged', mailbox: 1 })
    expect(await dream.mailboxes.claim('B')).toMatchObject({ outcome: 'claimed', mailbox: 2 })
    expect(await dream.mailboxes.claim('C')).toEqual({ outcome: 'nothing' })
    expect(await json(box)).toMatchObject({
      status: 'online',
      assigned_agent_id: 'A',
      last_seen_utc: '2026-01-01T12:00:00.000Z',
    })
    clock.advance(2 * minute)
    await dream.mailboxes.heartbeat(1, 'A')
    expect(await json(box)).toMatchObject({ last_seen_utc: '2026-01-01T12:02:00.000Z' })
    expect(await dream.messages.next(1, 'A')).toMatchObject({ outcome: 'nothing' })
    expect(await json(box)).toMatchObject({ status: 'idle' })
    for (let n = 0; n < 2; n++)
      await expect(dream.mailboxes.release(1, 'B')).rejects.toMatchObject({ code: 'NOT_YOUR_MAILBOX', exit: 4 })
    expect((await dream.logs.events({ type: 'POLICY_DENIED' })).events).toMatchObject([
      { agent_source: 'B', details: { what: 'mailbox 1', agent: 'B', reason: "it is A's" } },
    ])
    await dream.mailboxes.release(1, 'A')
    expect(await json(box)).toMatchObject({ status: 'offline', assigned_agent_id: null })
  })

  it('[DO-5a][DO-7b] is taken over when its agent was not seen for five minutes, and that is told', async () => {
    const { dream, clock, json, lines } = await claimed('Old')
    await dream.mailboxes.claim('Other')
    clock.advance(4 * minute)
    expect(await dream.mailboxes.claim('New')).toEqual({ outcome: 'nothing' })
    clock.advance(minute)
    expect((await dream.mailboxes.list()).map(({ status }) => status)).toEqual(['offline', 'offline'])
    expect(await dream.mailboxes.claim('New')).toMatchObject({ outcome: 'taken-over', mailbox: 1, from: 'Old' })
    expect(await json(box)).toMatchObject({ assigned_agent_id: 'New', status: 'online' })
    expect(await lines('governance_memory.jsonl')).toMatchObject([
      { event_type: 'MAILBOX_TAKEN_OVER', agent_source: 'New', details: { mailbox: 1, from: 'Old', to: 'New' } },
    ])
    expect(await json('runtime/supervisor_state.json')).toMatchObject({
      agent_states: { Old: 'offline', New: 'online' },
    })
    await expect(dream.mailboxes.heartbeat(1, 'Old')).rejects.toMatchObject({ exit: 4 })
  })

  it('goes on where the state of the supervisor is broken, and whoever took over is told so', async () => {
    const { dream, clock, put, read, send, json } = await claimed('Old')
    await dream.mailboxes.claim('Other')
    await put('runtime/supervisor_state.json', '[broken')
    clock.advance(5 * minute)
    await expect(dream.mailboxes.claim('New')).rejects.toMatchObject({ code: 'BAD_STATE', exit: 5 })
    expect(await json(box)).toMatchObject({ assigned_agent_id: 'New' })
    expect(await read('runtime/supervisor_state.json')).toBe('[broken')
    expect((await dream.logs.events({ type: 'MAILBOX_TAKEN_OVER' })).events).toHaveLength(1)
    expect(await send()).toMatchObject({ outcome: 'sent' })
    expect(await dream.messages.next(1, 'New')).toMatchObject({ outcome: 'given' })
    expect((await dream.router.route('S')).notices).toEqual(['The agent of mailbox 2 is gone.'])
  })

  it('[DO-5d] System and User may send', async () => {
    const { dream, json } = await claimed()
    for (const from of ['System', 'User']) await dream.messages.send({ mailbox: 1, from, command: 'x', params: {} })
    expect((await json(box)).messages.map((one: { sender_agent_id: string }) => one.sender_agent_id)).toEqual([
      'System',
      'User',
    ])
  })

  it('[DO-5c] what is given is a lease; it is given again, marked, when that has ended without an outcome', async () => {
    const { dream, another, clock, send, json } = await claimed()
    const first = await send('first')
    const second = await send('second')
    const given = await dream.messages.next(1, 'Worker')
    expect(given).toMatchObject({ outcome: 'given', attempt: 1, redelivered: false, message: { command: 'first' } })
    expect(await json(box)).toMatchObject({ status: 'busy' })
    // While the lease lasts `next` gives another one, and nothing when there is none.
    expect(await another().messages.next(1, 'Worker')).toMatchObject({
      outcome: 'given',
      message: { command: 'second' },
    })
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ outcome: 'nothing' })
    expect(await dream.messages.next(1, 'Worker', { resume: true })).toMatchObject({
      outcome: 'given',
      attempt: 1,
      message: { command: 'first' },
    })
    // A heartbeat renews what was taken last.
    clock.advance(8 * minute)
    await dream.mailboxes.heartbeat(1, 'Worker')
    clock.advance(4 * minute)
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ outcome: 'nothing' })
    clock.advance(6 * minute)
    await expect(dream.messages.done(1, 'Worker', first.message.message_id)).rejects.toMatchObject({
      code: 'LOST_CLAIM',
      exit: 4,
    })
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({
      attempt: 2,
      redelivered: true,
      message: { command: 'first' },
    })
    await expect(dream.messages.done(1, 'Worker', first.message.message_id, { attempt: 1 })).rejects.toMatchObject({
      exit: 4,
    })
    expect(await dream.messages.done(1, 'Worker', first.message.message_id, { attempt: 2 })).toMatchObject({
      outcome: 'recorded',
    })
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ attempt: 2, message: { command: 'second' } })
    expect(await dream.messages.done(1, 'Worker', second.message.message_id)).toMatchObject({ outcome: 'recorded' })
    expect(await dream.messages.done(1, 'Worker', second.message.message_id)).toMatchObject({ outcome: 'unchanged' })
    expect((await json(box)).processed_message_ids).toEqual([first.message.message_id, second.message.message_id])
    expect(await json(box)).toMatchObject({ status: 'idle' })
  })

  it('[DO-6][DO-6b] an outcome is a line with all seven fields', async () => {
    const { dream, send, lines } = await claimed()
    const [one, two] = [await send(), await send()]
    await dream.messages.next(1, 'Worker')
    await dream.messages.next(1, 'Worker')
    await dream.messages.done(1, 'Worker', one.message.message_id, { output: { files_changed: 1 } })
    await dream.messages.done(1, 'Worker', two.message.message_id, { error: { code: 'AssertionError' } })
    const timestamp = '2026-01-01T12:00:00.000Z'
    expect(await lines(`${shared}/completed_tasks.json`)).toEqual([
      {
        message_id: one.message.message_id,
        task_id: null,
        agent_id: 'Worker',
        status: 'COMPLETED',
        timestamp,
        output: { files_changed: 1 },
        error_details: null,
      },
      {
        message_id: two.message.message_id,
        task_id: null,
        agent_id: 'Worker',
        status: 'FAILED',
        timestamp,
        output: null,
        error_details: { code: 'AssertionError' },
      },
    ])
    expect((await dream.logs.events({ type: 'TASK_FAILED' })).events).toHaveLength(1)
  })

  it('[DO-5c] what was in hand is given to whoever takes over or comes after a release', async () => {
    const { dream, send } = await claimed()
    const { message } = await send()
    await dream.messages.next(1, 'Worker')
    await dream.mailboxes.release(1, 'Worker')
    await dream.mailboxes.claim('Next')
    expect(await dream.messages.next(1, 'Next')).toMatchObject({ outcome: 'given', attempt: 2, redelivered: true })
    await expect(dream.messages.done(1, 'Worker', message.message_id)).rejects.toMatchObject({ exit: 4 })
  })

  it('a wait is ended by a message', async () => {
    const { dream, another, send } = await claimed()
    const waiting = another().messages.next(1, 'Worker', { waitMs: 20_000 })
    await send('woken')
    expect(await waiting).toMatchObject({ outcome: 'given', message: { command: 'woken' } })
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ outcome: 'nothing' })
  })

  it('unknown keys and their order survive, and nothing else changes', async () => {
    const { dream, put, read } = openDream()
    await put(
      box,
      '{"z": {"2": 1, "1": 1.50}, "status": "offline", "assigned_agent_id": null, "last_seen_utc": null, "messages": [{"x": 1}], "processed_message_ids": [], "a": 0}',
    )
    await dream.mailboxes.claim('A')
    expect(await read(box)).toBe(
      '{"z": {"2": 1, "1": 1.50}, "status": "online", "assigned_agent_id": "A", "last_seen_utc": "2026-01-01T12:00:00.000Z", "messages": [{"x": 1}], "processed_message_ids": [], "a": 0}',
    )
    await dream.messages.send({ mailbox: 1, from: 'B', command: 'c', params: {} })
    expect(await dream.messages.next(1, 'A')).toMatchObject({ outcome: 'given', message: { command: 'c' } })
    expect((await dream.mailboxes.list())[0]!.problems).toHaveLength(1)
  })
})

describe('a mailbox that programs without the lock write to', () => {
  it('[DO-5f] gets back what they have overwritten, by the sender or by the router', async () => {
    const { dream, another, put, read, send, json } = await claimed()
    const old = (await read(box))!
    const { message } = await send('kept')
    await put(box, old)
    // The sender sees it with the next thing it does, and at the end.
    await dream.close()
    expect((await json(box)).messages).toEqual([message])
    await put(box, old)
    expect(await another().router.route('Supervisor')).toMatchObject({
      resent: [{ mailbox: 1, id: message.message_id }],
    })
    expect((await json(box)).messages).toEqual([message])
    await put(box, old)
    expect(await another().messages.next(1, 'Worker')).toMatchObject({ outcome: 'given', message })
  })

  it('[DO-5f] does so for an hour, and no longer', async () => {
    const { another, clock, put, read, send, json } = await claimed()
    const old = (await read(box))!
    await send()
    await put(box, old)
    clock.advance(61 * minute)
    expect(await another().router.route('Supervisor')).toMatchObject({ resent: [] })
    expect((await json(box)).messages).toEqual([])
  })

  it('[DO-5f] an id that was processed stays processed, whatever a copy has forgotten', async () => {
    const { dream, another, put, read, send } = await claimed()
    const { message } = await send()
    const before = (await read(box))!
    await dream.messages.next(1, 'Worker')
    await dream.messages.done(1, 'Worker', message.message_id)
    await put(box, before)
    expect(await another().messages.next(1, 'Worker')).toMatchObject({ outcome: 'nothing' })
    expect(await dream.messages.done(1, 'Worker', message.message_id)).toMatchObject({ outcome: 'unchanged' })
  })
})

describe('a message that is being given while another program writes', () => {
  it.each([
    ['send', async ({ dream }) => dream.messages.send({ mailbox: 1, from: 'A', command: 'x', params: {} })],
    ['heartbeat', async ({ dream }) => dream.mailboxes.heartbeat(1, 'Worker')],
    ['next', async ({ dream }) => dream.messages.next(1, 'Worker')],
    ['route', async ({ dream }) => dream.router.route('S')],
    ['doctor --fix', async ({ dream }) => dream.inspect({ repair: true })],
  ] satisfies [string, (all: Awaited<ReturnType<typeof claimed>>) => Promise<unknown>][])(
    '[DO-5f] what an old copy has forgotten as processed is marked again by %s',
    async (_, act) => {
      const all = await claimed()
      const { dream, another, send, json, put } = all
      const { message } = await send()
      await dream.messages.next(1, 'Worker')
      await dream.messages.done(1, 'Worker', message.message_id)
      const now = await json(box)
      expect(now.processed_message_ids).toEqual([message.message_id])
      await put(box, { ...now, processed_message_ids: [] })
      const codes = async () => (await another().inspect()).map(({ code }) => code)
      expect(await codes()).toEqual(['UNMARKED_MESSAGE'])
      await act({ ...all, dream: another() })
      expect((await json(box)).processed_message_ids).toEqual([message.message_id])
      expect(await codes()).toEqual([])
    },
  )

  it('[DO-5e] what an old copy has forgotten as processed can be packed, and leaves no id behind', async () => {
    const { dream, another, send, json, put, clock, lines } = await claimed()
    const { message } = await send()
    await send('second')
    await dream.messages.next(1, 'Worker')
    await dream.messages.done(1, 'Worker', message.message_id)
    await put(box, { ...(await json(box)), processed_message_ids: [] })
    clock.advance(8 * 24 * 60 * minute)
    expect(await another().messages.compact(1, 'S')).toMatchObject({ outcome: 'packed', count: 1 })
    expect(await json(box)).toMatchObject({ messages: [{ command: 'second' }], processed_message_ids: [] })
    expect(await lines(`${shared}/archive/mailbox_1.jsonl`)).toHaveLength(1)
  })

  it('[DO-5c] is not in hand unless it was given', async () => {
    const { dream, tree, put, json, send } = await claimed()
    await send('first')
    await send('second')
    const replace = tree.replace.bind(tree)
    let isFirst = true
    Object.assign(tree, {
      async replace(...args: Parameters<typeof replace>) {
        if (isFirst && args[0] === box) await put(box, { ...(await json(box)), seen: true })
        isFirst = false
        return replace(...args)
      },
    })
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ message: { command: 'first' }, attempt: 1 })
    expect(await json(box)).toMatchObject({ seen: true })
    expect((await dream.mailboxes.list())[0]).toMatchObject({ waiting: 1, inHand: 1 })
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ message: { command: 'second' }, redelivered: false })
  })
})

describe('a mailbox that cannot be read', () => {
  it('[DO-5a] keeps nobody from another one, and its dead agents from nothing', async () => {
    const { dream, clock, put, read } = openDream()
    await dream.mailboxes.init(3)
    await put(box, '{ "status": "onl')
    clock.advance(minute)
    expect(await dream.mailboxes.claim('A')).toMatchObject({ outcome: 'claimed', mailbox: 2 })
    expect(await dream.mailboxes.claim('A')).toMatchObject({ outcome: 'unchanged', mailbox: 2 })
    expect(await dream.mailboxes.claim('B')).toMatchObject({ outcome: 'claimed', mailbox: 3 })
    await expect(dream.mailboxes.claim('C')).rejects.toMatchObject({ code: 'BAD_MAILBOX', exit: 5 })
    clock.advance(5 * minute)
    const { notices } = await dream.router.route('S')
    expect(notices.filter((one) => one.includes('gone'))).toEqual([
      'The agent of mailbox 2 is gone.',
      'The agent of mailbox 3 is gone.',
    ])
    expect(await read(box)).toBe('{ "status": "onl')
  })

  it('[DO-5f] is read again while somebody writes it in place', async () => {
    const { dream, another, put, read, send } = await claimed()
    await send('first')
    const whole = (await read(box))!
    await put(box, whole.slice(0, 40))
    setTimeout(() => void put(box, whole), 5)
    expect(await another().messages.next(1, 'Worker')).toMatchObject({ message: { command: 'first' } })
    await put(box, '')
    setTimeout(() => void put(box, whole), 5)
    expect(await dream.messages.send({ mailbox: 1, from: 'B', command: 'second', params: {} })).toMatchObject({
      outcome: 'sent',
    })
    expect((await dream.mailboxes.list())[0]).toMatchObject({ waiting: 1, inHand: 1, problems: [] })
  })

  it('[DO-5f] does not undo what was sent before it was broken', async () => {
    const { dream, clock, tree, put, read, send, json } = await claimed()
    await send('first')
    const whole = (await read(box))!
    const append = tree.append.bind(tree)
    Object.assign(tree, {
      async append(...args: Parameters<typeof append>) {
        const appended = await append(...args)
        if (args[0].includes('sent')) await put(box, '{')
        clock.advance(minute)
        return appended
      },
    })
    const { outcome, message, notices } = await send('second')
    expect({ outcome, notices }).toEqual({
      outcome: 'sent',
      notices: [expect.stringContaining('has broken mailbox 1')],
    })
    await dream.close()
    expect(await read(box)).toBe('{')
    await put(box, whole)
    await dream.router.route('S')
    expect((await json(box)).messages).toMatchObject([{ command: 'first' }, message])
  })
})

describe('a whole number that is too large to be exact', () => {
  const large = '12345678901234567890'
  const message = `{"message_id": "m", "sender_agent_id": "A", "timestamp_dispatched": "2026-01-01T00:00:00Z", "command": "c a", "params": {"id": ${large}}}`
  const text = `{"status": "online", "assigned_agent_id": "W", "last_seen_utc": null, "messages": [${message}], "processed_message_ids": []}`

  it('[DO-5c] is told where a message is given, and keeps its digits wherever it is written', async () => {
    const { dream, clock, put, read } = openDream()
    await put(box, text)
    expect(await dream.messages.next(1, 'W')).toMatchObject({
      notes: [expect.stringContaining('params.id is a whole')],
    })
    await dream.messages.done(1, 'W', 'm')
    expect(await read(box)).toContain(`"id": ${large}`)
    clock.advance(8 * 24 * 60 * minute)
    await dream.messages.compact(1, 'W')
    expect(await read(`${shared}/archive/mailbox_1.jsonl`)).toBe(
      `${message.replaceAll('": ', '":').replaceAll(', "', ',"')}\n`,
    )
    const event = `{"type": "NOTE", "source_id": "M", "target_id": "W", "data": {"id": ${large}}}`
    await put('temp/cursor_output.json', event)
    const fetched = await dream.prompts.fetch({ dispatch: true })
    expect(await read((fetched as { dispatched: string }).dispatched)).toBe(event)
    expect(await dream.claiming.take('W')).toMatchObject({ notes: [expect.stringContaining('data.id is a whole')] })
  })

  it('[DO-4b] is refused where it would be written as another one', async () => {
    const { dream } = openDream()
    const task = { task_id: 't', action: 'A', params: { id: Number(large) } }
    await expect(dream.sending.send('W', task)).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('id'),
    })
    await expect(dream.sending.send('W', { note: Number(large) })).rejects.toMatchObject({ code: 'INEXACT_NUMBER' })
    const whole = { ...task, target_agent: 'W', status: 'PENDING', priority: 1, depends_on: [] }
    expect(await dream.planning.answer({ plan: 'p', planner: 'P', results: [whole] })).toMatchObject({
      outcome: 'refused',
      reasons: [expect.stringContaining('results[0].params.id')],
    })
    expect(() => dream.given.objectFrom(`{"id": ${large}}`, 'The params')).toThrow('The params: id is a whole number')
    expect(dream.given.objectOrItsText(`{"id": ${large}}`, 'The variables')).toBe(`{"id": ${large}}`)
    expect(dream.given.jsonFrom('{"id": 9007199254740991, "far": 1e300}', 'The output')).toBeDefined()
  })
})

it('[DO-5c] a caller that has gone holds no message: the next one gets it as if nobody had asked', async () => {
  const { dream, tree, send, clock } = await claimed()
  await send()
  for (const attempt of [1, 2]) {
    const gone = new AbortController()
    // The caller goes away while the message is being given to it.
    const replace = tree.replace.bind(tree)
    vi.spyOn(tree, 'replace').mockImplementationOnce((...given) => {
      gone.abort()
      return replace(...given)
    })
    expect(await dream.messages.next(1, 'Worker', { signal: gone.signal })).toMatchObject({ outcome: 'nothing' })
    expect(gone.signal.aborted).toBe(true)
    expect(await dream.messages.next(1, 'Worker')).toMatchObject({ outcome: 'given', attempt })
    clock.advance(11 * minute)
  }
})

describe('a mailbox that grows', () => {
  it('[DO-5e] lets go of what was processed a week ago, and remembers its ids', async () => {
    const { dream, another, clock, send, json, lines, put, read } = await claimed()
    const { message } = await send('old')
    await dream.messages.next(1, 'Worker')
    await dream.messages.done(1, 'Worker', message.message_id)
    const copy = (await read(box))!
    const kept = await send('young')
    expect(await dream.messages.compact(1, 'Worker')).toMatchObject({ outcome: 'unchanged', count: 0 })
    clock.advance(8 * 24 * 60 * minute)
    expect(await dream.messages.compact(1, 'Worker')).toMatchObject({ outcome: 'packed', count: 1 })
    expect(await json(box)).toMatchObject({ messages: [kept.message], processed_message_ids: [] })
    expect(await lines(`${shared}/archive/mailbox_1.jsonl`)).toEqual([message])
    await put(box, copy.replace('"processed_message_ids": [\n    ', '"processed_message_ids": [\n    "x", '))
    await another().mailboxes.claim('Worker')
    const { messages } = await json(box)
    expect(messages).toHaveLength(1)
    expect(await another().messages.next(1, 'Worker')).toMatchObject({ outcome: 'nothing' })
    // For 30 days more, and no longer.
    const remembered = async () => (await lines('.signalbox/state/delivery/dream/mailbox_1.processed.jsonl')).length
    clock.advance(28 * 24 * 60 * minute)
    await dream.messages.compact(1, 'Worker')
    expect(await remembered()).toBe(1)
    clock.advance(2 * 24 * 60 * minute)
    await dream.messages.compact(1, 'Worker')
    expect(await remembered()).toBe(0)
  })

  it('is refused above its limit, with the command that packs it', async () => {
    const { dream, put, read } = openDream({ largestMessage: 65_536 })
    await dream.mailboxes.init(1)
    await dream.mailboxes.claim('A')
    const send = () =>
      dream.messages.send({ mailbox: 1, from: 'B', command: 'c', params: { text: 'x'.repeat(20_000) } })
    const { message } = await send()
    await dream.messages.next(1, 'A')
    await dream.messages.done(1, 'A', message.message_id)
    await send()
    await send()
    const large = (await read(box))!
    await expect(send()).rejects.toMatchObject({
      code: 'MAILBOX_TOO_LARGE',
      exit: 5,
      hint: expect.stringContaining('mailbox compact {"mailbox":1}'),
    })
    expect(await read(box)).toBe(large)
    await put(box, large.replace('"params": {', `"params": { "more": "${'y'.repeat(20_000)}",`))
    await expect(dream.messages.next(1, 'A')).rejects.toMatchObject({ code: 'MAILBOX_TOO_LARGE' })
    expect(await dream.messages.compact(1, 'A')).toMatchObject({ outcome: 'packed', count: 1 })
    expect(await dream.messages.next(1, 'A')).toMatchObject({ outcome: 'given' })
  })
})

describe('a locked mailbox', () => {
  const lock = `${box}.lock`
  const locked = async (content: string, age = 0) => {
    const all = openDream({ lockWait: 0 })
    await all.dream.mailboxes.init(1)
    await all.put(lock, content)
    all.clock.advance(age)
    return { ...all, send: () => all.dream.messages.send({ mailbox: 1, from: 'A', command: 'c', params: {} }) }
  }

  it('is left alone when its holder lives or is young, and the error says whose lock it is', async () => {
    for (const [content, whose] of [
      ['', 'a program that left no name'],
      [`${process.pid}`, `${process.pid}`],
      ['{"pid": 1}', 'pid'],
      ['somebody else', 'somebody else'],
    ] as const) {
      const { send, read } = await locked(content, content === '' ? 29_000 : 3_600_000)
      await expect(send()).rejects.toMatchObject({
        code: 'MAILBOX_LOCKED',
        exit: 8,
        message: expect.stringContaining(whose),
      })
      expect(await read(lock)).toBe(content)
    }
  })

  it.each([
    ['no name and too old', '', 30_000],
    ['a dead process', '{"pid": 999999999}', 0],
    ['one of ours that was killed', 'signalbox 4711 A 2026-01-01T12:00:00.000Z\n', 0],
  ])('is broken for %s, which is told once', async (_, content, age) => {
    const { send, read, lines } = await locked(content, age)
    await send()
    expect(await read(lock)).toBeUndefined()
    expect(await lines('governance_memory.jsonl')).toMatchObject([{ event_type: 'LOCK_BROKEN', details: { lock } }])
  })

  it('of a busy program that lives is no lock that was left behind', async () => {
    const { dream, tree } = await claimed()
    const lock = treePath(`${box}.lock`)
    const said: string[] = []
    for (let n = 0; n < 20; n++) {
      await tree.create(lock, '')
      const routing = dream.router.route('S')
      await tree.remove(lock)
      said.push(...(await routing).notices)
    }
    expect(said).toEqual([])
    await tree.create(lock, '999999999')
    expect((await dream.router.route('S')).notices).toEqual([
      'The lock of mailbox 1 was left behind by 999999999; it is gone.',
    ])
  })

  it('an outcome that an earlier version is just recording is not called that of a killed process', async () => {
    const { dream, another, send, put, clock, lines } = await claimed()
    const { message } = await send()
    await dream.messages.next(1, 'Worker')
    const line = { message_id: message.message_id, task_id: null, agent_id: 'Worker', status: 'COMPLETED' }
    const note = { agent: 'Worker', attempt: 1, mailbox: 1, message: message.message_id }
    const path = '.signalbox/state/delivery/dream/finishing/x.json'
    const whole = { ...line, timestamp: '2026-01-01T12:00:00.000Z', output: null, error_details: null }
    await put(path, { ...note, line: whole })
    expect(await another().inspect()).toEqual([])
    clock.advance(minute)
    expect((await another().inspect()).map(({ code }) => code)).toEqual(['UNFINISHED_CHANGE'])
    await put(path, { ...note, line: whole })
    expect((await another().router.route('S')).notices).toEqual([])
    expect(await lines(`${shared}/completed_tasks.json`)).toHaveLength(1)
  })

  it('is waited for, without keeping the turn', async () => {
    const { tree, put, dream, clock } = openDream({ lockWait: 5000 })
    void clock
    await dream.mailboxes.init(1)
    await put(lock, '')
    const sending = dream.messages.send({ mailbox: 1, from: 'A', command: 'c', params: {} })
    // Somebody of ours can have the turn meanwhile.
    await tree.exclusively(`dream ${box}`, async () => {})
    await tree.remove(lock as never)
    expect(await sending).toMatchObject({ outcome: 'sent' })
  })
})
