/** Each row of the specification's table of formats, under a root that is configured. */
import { describe, expect, it } from 'vitest'
import { openDream } from '../../../../test/support/dream.ts'
import { notFound } from '../../../kernel/errors.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { dreamPorts } from '../../../operations/dream/ports.ts'

const at = (path: string) => `Dream.os/${path}`
const open = () => openDream({ root: 'Dream.os' }, dreamPorts)
const event = { type: 'NOTE', source_id: 'Ann', target_id: 'Bob', data: { x: 1 } }

describe('the ten channels', () => {
  it('[DO-1][DO-1b] 1: tasks in the inbox of an agent', async () => {
    const { dream, names } = open()
    await dream.sending.send('Bob', { task_id: 't', action: 'RUN' })
    expect(await names(at('runtime/Bob/inbox'))).toEqual(['task_t.json'])
  })
  it('[DO-1][DO-1b] 2: messages in the outbox of an agent', async () => {
    const { dream, put, names } = open()
    await dream.claiming.take('Bob')
    await put(at('runtime/Ann/outbox/msg_1.json'), event)
    await dream.router.route('S')
    expect(await names(at('runtime/Bob/inbox'))).toEqual(['msg_1@Ann.json'])
  })
  it('[DO-1][DO-1b][DO-3a] 3: templates of prompts', async () => {
    const { dream, put } = open()
    await put(at('templates/part.j2'), 'for {{ who }}')
    await put(
      at('templates/a.j2'),
      '{% for n in names %}{{ n|upper }}{{ "," if not loop.last }}{% endfor %} {% include "part.j2" %}\n',
    )
    expect(await dream.prompts.render('a.j2', { names: ['x', 'y'], who: 'you' })).toBe('X,Y for you')
    await expect(dream.prompts.render('a.j2', { names: [] })).rejects.toMatchObject({
      code: 'TEMPLATE_UNDEFINED',
      message: "part.j2, line 1: 'who' is undefined",
    })
  })
  it('[DO-1][DO-1b][DO-3c] 4: the staged prompt, whole, and the one before it is kept', async () => {
    const { dream, put, read } = open()
    await put(at('templates/a.j2'), 'Hello {{ n }}')
    await dream.prompts.stage('a', { n: 1 })
    const second = await dream.prompts.stage('a', { n: 2 })
    expect(await read(at('temp/cursor_input.txt'))).toBe('Hello 2')
    expect(await read(second.kept!)).toBe('Hello 1')
  })
  it('[DO-1][DO-1b][DO-3c] 5: the response, fetched once', async () => {
    const { dream, another, put, names } = open()
    await put(at('temp/cursor_output.json'), { result: 'ok' })
    const both = await Promise.all([dream.prompts.fetch(), another().prompts.fetch()])
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['fetched', 'nothing'])
    expect(both.find((one) => one.outcome === 'fetched')).toMatchObject({ response: { result: 'ok' } })
    expect(await names(at('temp/archive'))).toHaveLength(1)
  })
  it('[DO-1][DO-1b][DO-8b] 6: state of the system and of an agent', async () => {
    const { dream, read, put } = open()
    await dream.documents.setState('build', { phase: 'one' })
    await put(at('runtime/Bob/memory.json'), '{"2": 1.0, "1": 2}')
    await dream.documents.setState('memory', { seen: true }, 'Bob')
    expect(await dream.documents.state('build')).toEqual({ path: at('temp/build.json'), state: { phase: 'one' } })
    expect(await read(at('runtime/Bob/memory.json'))).toBe('{"2": 1.0, "1": 2, "seen": true}')
    await expect(dream.documents.state('none')).rejects.toMatchObject({ exit: 3 })
    await expect(dream.documents.setState('cursor_output', {})).rejects.toMatchObject({ exit: 2 })
    await expect(dream.documents.state('../x')).rejects.toMatchObject({ exit: 2 })
  })
  it('[DO-1][DO-1b][DO-8][DO-8b] 7: reports in both their places', async () => {
    const { dream, read } = open()
    await dream.documents.report('weekly', '# Fine')
    await dream.documents.report('today', 'Deployed.', { in: 'logs' })
    expect(await read(at('analysis/weekly.md'))).toBe('# Fine\n')
    expect(await dream.documents.report('weekly', '# Fine')).toMatchObject({ outcome: 'unchanged' })
    await expect(dream.documents.report('weekly', '# Other')).rejects.toMatchObject({ code: 'REPORT_EXISTS', exit: 4 })
    await dream.documents.report('today', 'Rolled back.', { in: 'logs', over: 'add' })
    expect(await read(at('logs/today.md'))).toBe('Deployed.\n\nRolled back.\n')
    await dream.documents.report('weekly', '# Other', { over: 'replace' })
    expect(await read(at('analysis/weekly.md'))).toBe('# Other\n')
  })
  it('[DO-1][DO-1b][DO-7] 8: the governance log, asked by type, agent and time', async () => {
    const { dream, clock, read, tree } = open()
    await dream.logs.add('DECISION_MADE', 'Ann', { what: 'x' })
    clock.advance(60_000)
    await dream.logs.add('DECISION_MADE', 'Bob', {})
    await dream.logs.add('OTHER', 'Bob', {})
    const of = async (query: object) => (await dream.logs.events(query)).events.length
    expect([
      await of({}),
      await of({ type: 'OTHER' }),
      await of({ agent: 'Bob' }),
      await of({ since: clock.now() }),
    ]).toEqual([3, 1, 2, 2])
    const [line] = (await read(at('governance_memory.jsonl')))!.split('\n')
    expect(JSON.parse(line!)).toEqual({
      event_id: expect.stringMatching(/^event-20260101-[0-9a-f]{6}$/),
      timestamp: '2026-01-01T12:00:00.000Z',
      event_type: 'DECISION_MADE',
      agent_source: 'Ann',
      details: { what: 'x' },
    })
    // A torn tail and remarks are passed over and counted; the next line starts on one of its own.
    await tree.append(treePath(at('governance_memory.jsonl')), '// a remark')
    await tree.append(treePath(at('governance_memory.jsonl')), '{"event_id": "torn')
    await dream.logs.add('OTHER', 'Bob', {})
    expect(await dream.logs.events({ type: 'OTHER' })).toMatchObject({ matching: 2, unreadable: 2 })
    await expect(dream.logs.add('no type', 'Bob', {})).rejects.toMatchObject({ exit: 2 })
  })
  it('[DO-1][DO-1b][DO-8] 9: reflections of an agent', async () => {
    const { dream, read } = open()
    await dream.documents.reflect('Bob', 'Test first.')
    await dream.documents.reflect('Bob', 'And last.')
    const folder = at('_agent_coordination/Bob/reflection')
    expect(await read(`${folder}/20260101T120000Z.md`)).toBe(
      '# Reflection of Bob\n\n2026-01-01T12:00:00.000Z\n\nTest first.\n',
    )
    expect(await read(`${folder}/20260101T120000Z~2.md`)).toContain('And last.')
  })
  it('[DO-1][DO-1b][DO-8] 10: the state of the supervisor survives, with what others wrote into it', async () => {
    const { dream, another, put, json } = open()
    expect(await dream.supervisor.show()).toBeUndefined()
    await put(at('runtime/supervisor_state.json'), { mood: 'calm', system_notes: [], agent_states: { Old: 'online' } })
    await dream.planning.plan({ from: 'Ann', to: 'Bob', goal: 'Ship it' })
    expect(await another().supervisor.show()).toMatchObject({
      mood: 'calm',
      agent_states: { Old: 'online' },
      system_notes: [{ note: expect.stringContaining('Ann asked Bob') }],
    })
    expect(Object.keys(await json(at('runtime/supervisor_state.json')))[0]).toBe('mood')
    await put(at('runtime/supervisor_state.json'), '[1]')
    await expect(dream.planning.plan({ from: 'Ann', to: 'Bob', goal: 'x' })).rejects.toMatchObject({
      code: 'BAD_STATE',
      exit: 5,
    })
  })
})

describe('templates', () => {
  it('[DO-3a] are found as Jinja2 finds them, below their folder', async () => {
    const { dream, put } = openDream({}, dreamPorts)
    await put('templates/parts/p.j2', 'P')
    const include = (name: string) => `{% include "${name}" ignore missing %}`
    await put('templates/a.j2', ['./parts/p.j2', 'parts//p.j2', '../templates/a.j2', 'a\u0007b'].map(include).join('|'))
    expect(await dream.prompts.render('./a.j2', {})).toBe('P|P||')
    await expect(dream.prompts.render('templates/a.j2', {})).rejects.toMatchObject({
      exit: 3,
      hint: 'Did you mean a.j2?',
    })
    await expect(dream.prompts.render('/a.j2', {})).rejects.toMatchObject({ exit: 2 })
  })
})

describe('the bridge', () => {
  it('[DO-3c] half-written and malformed responses are waited for, then reported, and stay', async () => {
    const { dream, put, read } = openDream({ settle: 20 })
    const path = 'temp/cursor_output.json'
    for (const text of ['', '{"half', '[1]']) {
      await put(path, text)
      await expect(dream.prompts.fetch()).rejects.toMatchObject({ code: 'BAD_RESPONSE', exit: 5 })
      expect(await read(path)).toBe(text)
    }
    await put(path, '{"half')
    const fetching = dream.prompts.fetch({ waitMs: 10_000 })
    await put(path, '{"half": 1}')
    expect(await fetching).toMatchObject({ outcome: 'fetched', response: { half: 1 } })
    expect(await dream.prompts.fetch()).toEqual({ outcome: 'nothing' })
  })

  it('[DO-3e] a response that is an event is handed to its target', async () => {
    const { dream, another, put, names, tree } = openDream()
    await put('temp/cursor_output.json', event)
    expect(await dream.prompts.fetch({ dispatch: true })).toMatchObject({
      outcome: 'fetched',
      dispatched: expect.stringMatching(/^runtime\/Bob\/inbox\/msg_.*@Ann\.json$/),
    })
    await put('temp/cursor_output.json', { just: 'text' })
    expect(await dream.prompts.fetch({ dispatch: true })).toMatchObject({
      notices: ['The response is no event for an agent; it was handed to nobody.'],
    })
    for (const name of ['Ann', 'Cat']) await put(`runtime/${name}/inbox/task_1.json`, { task_id: 't' })
    await put('temp/cursor_output.json', { ...event, target_id: 'broadcast' })
    expect(await dream.prompts.fetch({ dispatch: true })).toMatchObject({
      copies: [expect.stringMatching(/^runtime\/Bob\/inbox\//), expect.stringMatching(/^runtime\/Cat\/inbox\//)],
      notices: ['Each of these got it: Bob, Cat.'],
    })
    expect(await names('runtime/Cat/inbox')).toHaveLength(2)
    expect(await names('runtime/Ann/inbox')).toEqual(['task_1.json'])
    // Killed between fetching and handing on: the router does the rest.
    await tree.create(treePath('temp/archive/cursor_output-x.pending.json'), JSON.stringify(event))
    await another().router.route('S')
    expect(await names('runtime/Bob/inbox')).toHaveLength(3)
    expect((await names('temp/archive')).filter((name) => name.includes('pending'))).toEqual([])
  })

  it('[DO-3e] of two who ask at once each gets the answer to its own prompt', async () => {
    const { dream, another, put, tree, read } = openDream({}, dreamPorts)
    await put('templates/q.j2', '{{ q }}')
    await put('temp/cursor_output.json', { answer: 'to somebody before' })
    const bridge = async () => {
      let last = ''
      for (let answered = 0; answered < 2; ) {
        const prompt = (await read('temp/cursor_input.txt')) ?? ''
        if (prompt !== last && (await tree.look(treePath('temp/cursor_output.json'))) === undefined) {
          last = prompt
          answered++
          await tree.create(treePath('temp/cursor_output.json'), JSON.stringify({ answer: prompt }))
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const bridging = bridge()
    const [one, two] = await Promise.all([
      dream.prompts.ask('q', { q: 'one' }, { by: 'A', waitMs: 20_000 }),
      another().prompts.ask('q', { q: 'two' }, { by: 'B', waitMs: 20_000 }),
    ])
    await bridging
    expect([one, two]).toMatchObject([{ response: { answer: 'one' } }, { response: { answer: 'two' } }])
  })

  it('[DO-3c] what was taken and not shown is handed out by the next fetch, once, and doctor tells of it until then', async () => {
    const { dream, another, put, names, clock } = openDream({ settle: 20 })
    await put('temp/cursor_output.json', { answer: 1 })
    // Killed before its answer was printed.
    const lost = await dream.prompts.fetch({ untilHandedOut: true })
    expect(lost).toMatchObject({ outcome: 'fetched', response: { answer: 1 } })
    clock.advance(1000)
    expect((await dream.inspect()).map(({ code }) => code)).toEqual(['UNTOLD_RESPONSE'])
    const again = await another().prompts.fetch({ untilHandedOut: true })
    expect(again).toMatchObject({ response: { answer: 1 }, notices: [expect.stringContaining('came before this')] })
    await another().prompts.handedOut((again as { path: string }).path)
    expect(await another().prompts.fetch()).toEqual({ outcome: 'nothing' })
    expect(await dream.inspect()).toEqual([])
    expect(await names('temp/archive')).toEqual([(again as { path: string }).path.replace('temp/archive/', '')])
  })

  it('[DO-3e] a response that was to be handed on and is for nobody is handed out, also by somebody else', async () => {
    const { dream, another, tree } = openDream({ settle: 0 })
    await tree.create(treePath('temp/archive/cursor_output-x.pending.json'), '{"just": "text"}')
    await dream.router.route('S')
    expect(await another().prompts.fetch()).toMatchObject({ outcome: 'fetched', response: { just: 'text' } })
    expect(await another().prompts.fetch()).toEqual({ outcome: 'nothing' })
  })

  it('[DO-3e] a response that comes after its asker has given up is never taken for the answer to another prompt', async () => {
    const { dream, another, put, read, tree } = openDream({ settle: 0 }, dreamPorts)
    await put('templates/q.j2', '{{ q }}')
    expect(await dream.prompts.ask('q', { q: 'one' }, { by: 'A' })).toMatchObject({ outcome: 'nothing' })
    await expect(another().prompts.ask('q', { q: 'two' }, { by: 'B' })).rejects.toMatchObject({
      code: 'BRIDGE_OWES',
      exit: 8,
      message: expect.stringContaining('prompt of A'),
    })
    expect(await read('temp/cursor_input.txt')).toBe('one')
    // The bridge answers late, while the next one waits.
    const asking = another().prompts.ask('q', { q: 'two' }, { by: 'B', waitMs: 20_000 })
    await put('temp/cursor_output.json', { answer: 'one' })
    while ((await read('temp/cursor_input.txt')) !== 'two') await new Promise((resolve) => setImmediate(resolve))
    await tree.create(treePath('temp/cursor_output.json'), JSON.stringify({ answer: 'two' }))
    expect(await asking).toMatchObject({
      response: { answer: 'two' },
      notices: ['A response to an earlier prompt is kept: `dream prompt fetch {}` hands it out.'],
    })
    expect(await dream.prompts.fetch()).toMatchObject({ outcome: 'fetched', response: { answer: 'one' } })
    expect(await dream.prompts.fetch()).toEqual({ outcome: 'nothing' })
  })

  it('[DO-3e] a prompt that was staged is owed an answer too; the same prompt again, or --anew, need not wait', async () => {
    const { dream, put, json } = openDream({ settle: 0 }, dreamPorts)
    await put('templates/q.j2', '{{ q }}')
    await dream.prompts.stage('q', { q: 'one' })
    await expect(dream.prompts.ask('q', { q: 'two' }, { by: 'B' })).rejects.toMatchObject({ code: 'BRIDGE_OWES' })
    await put('temp/cursor_output.json', { answer: 'one' })
    expect(await dream.prompts.ask('q', { q: 'one' }, { by: 'B' })).toMatchObject({ response: { answer: 'one' } })
    expect(await json('.signalbox/state/delivery/dream/prompts.json')).toEqual({ unanswered: [] })
    await dream.prompts.ask('q', { q: 'three' }, { by: 'B' })
    expect(await dream.prompts.ask('q', { q: 'four' }, { by: 'B', anew: true })).toMatchObject({ outcome: 'nothing' })
    await put('temp/cursor_output.json', { answer: 'four' })
    expect(await dream.prompts.ask('q', { q: 'four' }, { by: 'B' })).toMatchObject({ response: { answer: 'four' } })
  })

  it('whoever is killed between taking a response and noting that its prompt has one leaves no debt', async () => {
    const { dream, put, tree, json } = openDream({ settle: 0 }, dreamPorts)
    await put('templates/q.j2', '{{ q }}')
    await dream.prompts.stage('q', { q: 'one' })
    const { unanswered } = await json('.signalbox/state/delivery/dream/prompts.json')
    const name = `cursor_output-20260101T120000Z-${unanswered[0].id}.untold.json`
    await tree.create(treePath(`temp/archive/${name}`), '{"answer": "one"}')
    expect(await dream.prompts.ask('q', { q: 'two' }, { by: 'B' })).toMatchObject({ outcome: 'nothing' })
    expect(await dream.prompts.fetch()).toMatchObject({ response: { answer: 'one' } })
  })

  it('[X-recipient] a response for a name that nobody has seen is told of, or refused and left where it is', async () => {
    const { dream, put, names, read } = openDream()
    await dream.claiming.take('Bob')
    const refuse = async (agent: string): Promise<string[]> => {
      throw notFound('UNSEEN_AGENT', `Nobody has seen ${agent}.`)
    }
    await put('temp/cursor_output.json', { ...event, target_id: 'Bobb' })
    await expect(dream.prompts.fetch({ dispatch: true, recipient: refuse })).rejects.toMatchObject({ exit: 3 })
    expect(await read('temp/cursor_output.json')).toContain('Bobb')
    expect(await names('runtime')).not.toContain('Bobb')
    const recipient = async (agent: string) => [`Nobody has seen ${agent}.`]
    expect(await dream.prompts.fetch({ dispatch: true, recipient })).toMatchObject({
      notices: ['Nobody has seen Bobb.'],
    })
  })

  it('somebody who waits for an answer keeps the bridge for itself', async () => {
    const { dream, tree, put } = openDream({}, dreamPorts)
    await put('templates/q.j2', 'x')
    await put('temp/cursor_output.json', { for: 'A' })
    await tree.lease('dream prompt', 'A 1', 10_000)
    expect(await dream.prompts.fetch()).toEqual({ outcome: 'nothing' })
    await expect(dream.prompts.stage('q', {})).rejects.toMatchObject({
      code: 'BRIDGE_BUSY',
      exit: 8,
      message: expect.stringContaining('A waits'),
    })
    await expect(dream.prompts.ask('q', {}, { by: 'B' })).rejects.toMatchObject({ exit: 8 })
  })

  it.each([
    ['../x.j2', 'PATH_ESCAPES_ROOT', 2],
    ['none.j2', 'NO_SUCH_TEMPLATE', 3],
    ['bytes.j2', 'BAD_TEMPLATE', 5],
  ])('[DO-3b] the template %s is refused with %s', async (name, code, exit) => {
    const { dream, tree } = openDream({}, dreamPorts)
    await tree.create(treePath('x.j2'), 'outside')
    await tree.create(treePath('templates/bytes.j2'), Uint8Array.of(0xff, 0xfe))
    await expect(dream.prompts.render(name, {})).rejects.toMatchObject({ code, exit })
  })

  it('[DO-6] outcomes are never appended to a list', async () => {
    const { dream, put, read } = openDream()
    const path = '_agent_coordination/shared_mailboxes/completed_tasks.json'
    await put(path, '\n[{}]')
    await dream.sending.send('Bob', { task_id: 't' })
    await expect(dream.settling.done('Bob', 'task_t.json')).rejects.toMatchObject({ code: 'NOT_LINES', exit: 5 })
    expect(await read(path)).toBe('\n[{}]')
  })
})
