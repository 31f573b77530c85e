/**
 * CIRCE by nothing but the tree: what every engine must let it do. Foreign programs speak by the tree too, so that any engine
 * can stand below; those with a real shell are in the scenarios.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, heldClock, systemClock } from '../../src/kernel/clock.ts'
import { defaultsOf, type InputOf } from '../../src/kernel/field.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { AgentDirectory } from '../../src/messaging/agents/directory.ts'
import { type Circe, type History, circe as protocol } from '../../src/protocols/circe/index.ts'
import { Circe as Store } from '../../src/protocols/circe/store/circe.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { mortal, survives } from '../support/mortal-tree.ts'
import type { EnginePlace } from './every-engine.ts'

type Settings = Partial<InputOf<typeof protocol.section>>

/** What one process has open. */
interface Process {
  readonly tree: Tree
  readonly circe: Circe
}

const { section } = protocol
const root = protocol.defaults.root
const task = 'AUTH-012'
const work = { from: 'coordinator', to: 'all', intent: 'implement_feature', task, summary: 'JWT login' } as const
const results = { from: 'qa', to: 'engineer', intent: 'test_results', task, summary: '47 of 47' } as const
const escalation = {
  ...{ from: 'engineer', to: 'coordinator', intent: 'escalate', task, status: 'blocked', summary: 'RS256 or HS256?' },
  sections: [{ name: 'Options', text: '1. RS256\n2. HS256' }],
} as const

const question = { from: 'qa', to: 'engineer', intent: 'question', summary: 'Why?' } as const

/** A message as another program writes it. */
const foreign = (from: string, to: string, intent: string, more: { status?: string; id?: string; at?: string } = {}) =>
  [
    '# MESSAGE',
    ...[`from: ${from}`, `to: ${to}`, `intent: ${intent}`, ...(more.id === '' ? [] : [`task_id: ${more.id ?? task}`])],
    ...[
      `status: ${more.status ?? 'new'}`,
      `created_at: ${more.at ?? '2025-11-21T17:00:00Z'}`,
      '',
      '## Summary',
      'By hand',
      '',
    ],
  ].join('\n')

/** `brief`: without the tests of rules that need no agreement between processes. */
export function describeCirce(name: string, prepare: () => Promise<EnginePlace>, { brief = false } = {}): void {
  const ruled: (title: string, body: () => Promise<void>) => void = brief ? () => {} : it

  describe(`CIRCE on ${name}`, () => {
    let place: EnginePlace
    let tree: Tree
    let circe: Circe
    let other: Circe
    const opened: Process[] = []

    beforeEach(async () => {
      place = await prepare()
      const first = await start()
      tree = first.tree
      circe = first.circe
      other = (await start()).circe
    })
    afterEach(async () => {
      for (const process of opened.splice(0)) await process.tree.close()
    })

    async function start(settings: Settings = {}, clock: Clock = systemClock): Promise<Process> {
      const own = await place.open(clock)
      const process = {
        tree: own,
        circe: await protocol.open({
          ...{ tree: own, clock },
          settings: protocol.settingsFrom({ ...defaultsOf(section), ...settings }),
        }),
      }
      opened.push(process)
      return process
    }
    const at = (path: string) => treePath(`${root}/${path}`)
    /** In a turn nobody sees less than there is. */
    const now = <T>(look: (by: Tree) => Promise<T>, by = tree, turn = 'test'): Promise<T> =>
      place.lags ? by.exclusively(turn, () => look(by)) : look(by)
    const names = async (path: string) =>
      (await now((by) => by.list(at(path)))).filter(({ kind }) => kind === 'leaf').map((entry) => entry.name)
    const textAt = async (path: string) => {
      const leaf = await tree.read(at(path), { fresh: true })
      return leaf && Buffer.from(leaf.bytes).toString()
    }
    /** Every process has heard of everything. */
    async function caughtUp(): Promise<void> {
      if (!place.lags) return
      const hear = async ({ tree: by }: Process, n: number) =>
        now(
          async () => {
            const agents = (await by.list(at('AGENTS'))).map(({ name: agent }) => agent)
            const own = agents.flatMap((agent) => [`AGENTS/${agent}/INBOX`, `AGENTS/${agent}/WORKSPACE`])
            await Promise.all(['NEW_MESSAGES', 'TASKS', 'LOGS', ...own].map((folder) => by.list(at(folder))))
          },
          by,
          `test ${n}`,
        )
      await Promise.all(opened.map(hear))
    }
    async function put(path: string, text: string): Promise<void> {
      expect((await tree.create(at(path), Buffer.from(text))).outcome).toBe('created')
      await caughtUp()
    }
    async function mv(from: string, to: string): Promise<void> {
      expect((await tree.move(at(from), at(to))).outcome).toBe('moved')
      await caughtUp()
    }
    const fieldsOf = async (file: string) =>
      Object.fromEntries(
        ((await textAt(`TASKS/${file}`)) ?? '').split('\n').flatMap((line) => (line === '' ? [] : [line.split(': ')])),
      )
    const viewOf = async (id = task, by = circe) => (await by.overview.tasks(id))[0]!
    async function claimed(by: Circe, agent: string): Promise<string | undefined> {
      await caughtUp()
      const outcome = await by.claiming.claim(agent)
      return outcome.outcome === 'claimed' ? outcome.message.file : undefined
    }
    /** Asked for, claimed by the engineer, started. */
    async function begun(by = circe): Promise<string> {
      const { message } = await by.sending.send(work)
      expect(await claimed(by, 'engineer')).toBe(message.file)
      expect(await by.settling.start('engineer', message.file)).toMatchObject({ outcome: 'started' })
      await caughtUp()
      return message.file
    }
    const exit = (promise: Promise<unknown>) =>
      promise.then(
        () => 0,
        (error) => error.exit,
      )
    const everywhere = async () => {
      const agents = (await now((by) => by.list(at('AGENTS')))).map(({ name: agent }) => agent)
      const spots = [
        'NEW_MESSAGES',
        ...agents.flatMap((agent) => [`AGENTS/${agent}/INBOX`, `AGENTS/${agent}/WORKSPACE`]),
      ]
      const found: string[] = []
      for (const spot of spots) found.push(...(await names(spot)).map((file) => `${spot}/${file}`))
      return found
    }
    /** Every leaf of the tree with its bytes, but for the caches. */
    async function snapshot(): Promise<Record<string, string>> {
      const all: Record<string, string> = {}
      const walk = async (folder: string): Promise<void> => {
        for (const { name: child, kind } of await now((by) => by.list(treePath(folder)))) {
          const path = folder === '' ? child : `${folder}/${child}`
          if (kind === 'folder' && path !== '.signalbox/cache') await walk(path)
          if (kind === 'leaf')
            all[path] = Buffer.from((await tree.read(treePath(path)))?.bytes ?? '').toString('base64')
        }
      }
      await walk(root)
      return all
    }

    ruled('[CI-4] init makes the folders of an agent, once, whatever the case', async () => {
      expect(await circe.agents.init('Engineer')).toMatchObject([
        { outcome: 'created', agent: 'engineer', path: `${root}/AGENTS/engineer` },
      ])
      await caughtUp()
      // Engines without folders remember nothing of an empty one.
      expect(['created', 'unchanged']).toContain((await other.agents.init('ENGINEER'))[0]!.outcome)
      for (const bad of ['all', 'ROOSTER', '../x', 'a/b', 'a\0', '.a', 'x'.repeat(65)])
        expect(await exit(circe.agents.init(bad)), bad).toBe(2)
    })

    it('[X-key][X-crash] a key sends once, whichever change its sender is killed before, and however many send it', async () => {
      const { tree: theirs } = await start()
      const sendOn = (on: Tree, key: string) => sendingOn(on).sendOnce({ ...question, summary: key }, key)
      const sendingOn = (on: Tree) => new Store({ tree: on, clock: systemClock, settings: protocol.defaults }).sending
      let keys = 0
      for (let lives = 0, isAlive = false; !isAlive; lives++) {
        const key = `killed ${keys++}`
        isAlive = await survives(sendOn(mortal(theirs, lives), key))
        expect((await sendOn(tree, key)).message.summary).toBe(key)
      }
      const sent = await Promise.all([tree, theirs, tree, theirs].map((on) => sendOn(on, 'by many')))
      expect(new Set(sent.map(({ message }) => message.id)).size).toBe(1)
      expect(sent.filter(({ outcome }) => outcome === 'sent')).toHaveLength(1)
      await expect(circe.sending.sendOnce(question, 'by many')).rejects.toMatchObject({ code: 'KEY_USED', exit: 4 })
      await caughtUp()
      const summaries = (await other.overview.inbox('engineer')).messages.map(({ summary }) => summary)
      expect(new Set(summaries).size).toBe(summaries.length)
      expect(summaries).toHaveLength(keys + 1)
      expect(keys).toBeGreaterThan(4)
    })

    ruled('[CI-1a][CI-3] a message is sent with sections, artifacts and headers, or whole', async () => {
      const sent = await circe.sending.send({
        ...{
          ...work,
          to: 'Engineer',
          artifacts: ['docs/jwt.md'],
          headers: [
            ['priority', 'high'],
            ['due', '2026-02-01'],
          ],
        },
        sections: [{ name: 'Acceptance Criteria', text: '- refreshed' }],
      })
      const { message } = sent
      expect(message).toMatchObject({
        from: 'coordinator',
        to: 'engineer',
        state: 'new',
        headers: { priority: 'high', due: '2026-02-01' },
      })
      expect(message.file).toMatch(/^\d{8}_\d{6}_coordinator-engineer_implement-feature_AUTH-012\.md$/)
      expect(await textAt(`NEW_MESSAGES/${message.file}`)).toBe(
        `# MESSAGE\nfrom: coordinator\nto: engineer\nintent: implement_feature\ntask_id: AUTH-012\nstatus: new\ncreated_at: ${message.createdAt}\npriority: high\ndue: 2026-02-01\n\n## Summary\nJWT login\n\n## Acceptance Criteria\n- refreshed\n\n## Artifacts\n- docs/jwt.md\n`,
      )
      const whole = foreign('qa', 'engineer', 'question', { id: '' })
      const asked = await other.sending.sendWhole(whole)
      expect(asked.message.file).toBe('20251121_170000_qa-engineer_question.md')
      expect(await textAt(`NEW_MESSAGES/${asked.message.file}`)).toBe(whole)
      await caughtUp()
      expect((await other.overview.inbox('engineer')).messages).toMatchObject([
        { file: asked.message.file },
        { headers: { priority: 'high' } },
      ])
      expect((await viewOf()).messages).toMatchObject([{ headers: { priority: 'high', due: '2026-02-01' } }])
      for (const bad of [
        ...[
          { ...work, intent: 'implement-feature' },
          { ...work, task: 'a/b' },
          { ...work, to: '../x' },
          { ...work, status: 'claimed' },
        ],
        ...[
          { from: 'a', to: 'b', intent: 'test', summary: 'x' },
          { from: 'all', to: 'b', intent: 'inform', summary: 'x' },
        ],
        { ...work, headers: [['from', 'evil']] as const },
      ])
        expect(await exit(circe.sending.send(bad))).toBe(2)
      expect(await exit(circe.sending.sendWhole('# MESSAGE\nfrom: a\n'))).toBe(2)
      expect((await names('NEW_MESSAGES')).length).toBe(2)
    })

    it('[CI-3b] a name is given once, also when its first bearer was claimed, started or logged', async () => {
      const clock = heldClock(Date.now())
      const [one, two] = [await start({}, clock), await start({}, clock)]
      const given: string[] = []
      const send = async ({ circe: by }: Process) => {
        given.push((await by.sending.send({ ...results, intent: 'test', from: 'engineer', to: 'qa' })).message.file)
        await caughtUp()
      }
      await send(one)
      await send(two)
      await one.circe.claiming.claim('qa', { file: given[0]! })
      await send(two)
      await one.circe.settling.start('qa', given[0]!)
      await send(one)
      await one.circe.settling.done('qa', given[0]!)
      await send(two)
      const stem = given[0]!.replace('.md', '')
      expect(given).toEqual([`${stem}.md`, `${stem}.2.md`, `${stem}.3.md`, `${stem}.4.md`, `${stem}.5.md`])
      // They come in the order in which they were sent.
      expect((await one.circe.overview.inbox('qa')).messages.map(({ file }) => file)).toEqual(given.slice(1))
      expect(await claimed(two.circe, 'qa')).toBe(given[1])
    })

    it('[CI-4] the oldest is claimed first, from both places, once; others get nothing', async () => {
      await put('NEW_MESSAGES/z.md', foreign('a', 'qa', 'inform', { id: '', at: '2025-11-21T17:00:02Z' }))
      await put('AGENTS/qa/INBOX/y.md', foreign('a', 'qa', 'inform', { id: '', at: '2025-11-21T17:00:01Z' }))
      await put('AGENTS/qa/INBOX/x.md', foreign('a', 'QA', 'inform', { id: '', at: '2025-11-21T17:00:03Z' }))
      expect((await other.overview.inbox('QA')).messages.map(({ file, isClaimed }) => [file, isClaimed])).toEqual([
        ['y.md', false],
        ['z.md', false],
        ['x.md', false],
      ])
      expect([await claimed(circe, 'qa'), await claimed(other, 'qa'), await claimed(circe, 'QA')]).toEqual([
        'y.md',
        'z.md',
        'x.md',
      ])
      expect([await claimed(circe, 'qa'), await claimed(other, 'engineer')]).toEqual([undefined, undefined])
      expect(await names('AGENTS/qa/INBOX')).toEqual(['x.md', 'y.md', 'z.md'])
      expect(await exit(circe.claiming.claim('qa', { file: 'nothing.md' }))).toBe(3)
      const waiting = other.claiming.claim('qa', { waitMs: 60_000 })
      const { message } = await circe.sending.send({ from: 'a', to: 'qa', intent: 'inform', summary: 'At last' })
      expect(await waiting).toMatchObject({
        outcome: 'claimed',
        message: { file: message.file, body: '## Summary\nAt last\n' },
      })
    })

    it('[CI-4][CI-5b] of all who claim work one owns its task; who loses leaves every file as it was', async () => {
      const { message } = await circe.sending.send(work)
      await put(`TASKS/${task}.md`, 'A definition\n')
      const tried = await Promise.all(
        [circe, other, (await start()).circe].map((by, n) =>
          by.claiming.claim(`engineer-${n + 1}`, { file: message.file }),
        ),
      )
      expect(tried.map(({ outcome }) => outcome).sort()).toEqual(['claimed', 'nothing', 'nothing'])
      const owner = `engineer-${tried.findIndex(({ outcome }) => outcome === 'claimed') + 1}`
      expect(await names(`AGENTS/${owner}/INBOX`)).toEqual([message.file])
      const { claimed_at: when } = await fieldsOf(`${task}.owner`)
      expect(await textAt(`TASKS/${task}.owner`)).toBe(`owner: ${owner}\nclaimed_at: ${when}\n`)
      expect(await textAt(`TASKS/${task}.status`)).toBe(
        `task_id: ${task}\nstatus: claimed\nowner: ${owner}\nstarted_at: ${when}\nupdated_at: ${when}\n`,
      )
      expect(await textAt(`TASKS/${task}.checks`)).toBe(
        'tests_passed: false\ncoverage_threshold_met: false\npeer_reviewed: false\nready_for_merge: false\n',
      )
      await circe.sending.send({ ...work, intent: 'fix_bug' })
      await caughtUp()
      await other.overview.tasks()
      const before = await snapshot()
      expect(await other.claiming.claim('qa')).toMatchObject({ outcome: 'nothing', owned: [{ task, owner }] })
      expect(await snapshot()).toEqual(before)
      expect(await textAt(`TASKS/${task}.md`)).toBe('A definition\n')
      // QA takes the test request of a task that the engineer owns.
      const test = await circe.sending.send({ from: owner, to: 'qa', intent: 'test', task, summary: 'Please test' })
      expect(await claimed(other, 'qa')).toBe(test.message.file)
      expect(await viewOf()).toMatchObject({ owner, status: 'claimed' })
    })

    it('[CI-4] start, ack and done each say so once', async () => {
      const { message } = await circe.sending.send({ from: 'a', to: 'qa', intent: 'inform', summary: 'Read this' })
      const { file } = message
      await caughtUp()
      expect(await other.settling.ack('qa', file)).toMatchObject({
        outcome: 'acknowledged',
        message: { state: 'inbox' },
      })
      expect([await names('LOGS'), await names('AGENTS/qa/INBOX')]).toEqual([[file, 'events.log'], [file]])
      await caughtUp()
      expect(await circe.settling.ack('qa', file)).toMatchObject({ outcome: 'unchanged' })
      expect(await circe.settling.start('qa', file)).toMatchObject({
        outcome: 'started',
        message: { state: 'workspace' },
      })
      await caughtUp()
      expect(await other.settling.start('qa', file)).toMatchObject({ outcome: 'unchanged' })
      expect(await other.settling.done('qa', file)).toMatchObject({ outcome: 'handled', message: { state: 'logged' } })
      await caughtUp()
      for (const again of [
        circe.settling.done('qa', file),
        other.settling.ack('qa', file),
        circe.settling.start('qa', file),
      ])
        expect(await again).toMatchObject({ outcome: 'unchanged', message: { state: 'logged' } })
      expect([await everywhere(), await names('LOGS')]).toEqual([[], [file, 'events.log']])
      const { entries } = await circe.overview.log()
      expect(entries.map(({ event }) => event)).toEqual(['message', 'claimed', 'acknowledged', 'started', 'handled'])
      expect(await exit(circe.settling.done('qa', 'nothing.md'))).toBe(3)
      const own = await circe.sending.send({ from: 'a', to: 'qa', intent: 'inform', summary: 'Not yours' })
      await caughtUp()
      expect(await exit(other.settling.ack('engineer', own.message.file))).toBe(4)
    })

    it('[CI-4e][CI-8] a message to all reaches everybody once, and the log once', async () => {
      for (const agent of ['coordinator', 'engineer', 'qa']) await put(`AGENTS/${agent}/WORKSPACE/notes.txt`, 'x')
      const sent = await circe.sending.send({ from: 'Coordinator', to: 'all', intent: 'inform', summary: 'Lunch' })
      const { file } = sent.message
      expect(sent.delivered).toEqual(['engineer', 'qa'])
      await caughtUp()
      expect(await other.settling.done('qa', file)).toMatchObject({ outcome: 'handled' })
      await put('NEW_MESSAGES/by-hand.md', foreign('coordinator', 'ALL', 'coordinate', { id: '' }))
      await other.overview.inbox('engineer')
      await caughtUp()
      // Late, and not known at that moment.
      await put('AGENTS/late/WORKSPACE/notes.txt', 'x')
      for (const by of [circe, other]) await by.overview.inbox('late')
      await caughtUp()
      const copies = ['AGENTS/engineer/INBOX/by-hand.md', 'AGENTS/qa/INBOX/by-hand.md', `AGENTS/engineer/INBOX/${file}`]
      expect((await everywhere()).filter((path) => path.endsWith('.md')).sort()).toEqual(copies.sort())
      expect(await names('LOGS')).toEqual([file, 'by-hand.md', 'events.log'].sort())
      for (const agent of ['engineer', 'qa']) await circe.settling.done(agent, 'by-hand.md')
      await caughtUp()
      await other.settling.done('engineer', file)
      expect((await everywhere()).filter((path) => path.endsWith('.md'))).toEqual([])
      expect(await names('LOGS')).toEqual([file, 'by-hand.md', 'events.log'].sort())
      const { entries } = await circe.overview.log()
      const told = entries.filter((entry) => entry.file === file).map(({ event, agent }) => `${event} ${agent}`)
      expect(told.filter((line) => line.startsWith('acknowledged')).sort()).toEqual([
        'acknowledged engineer',
        'acknowledged qa',
      ])
      expect(told.filter((line) => line.startsWith('delivered')).length).toBe(1)
    })

    it('[CI-4e] to nobody it waits until there is somebody', async () => {
      const sent = await circe.sending.send({ from: 'coordinator', to: 'all', intent: 'inform', summary: 'Anybody?' })
      expect([sent.delivered, sent.notices]).toEqual([
        [],
        ['No other agent is known yet: it waits until there is one.'],
      ])
      await put('AGENTS/qa/WORKSPACE/notes.txt', 'x')
      expect((await other.overview.inbox('qa')).messages.map(({ file }) => file)).toEqual([sent.message.file])
      expect(await names('NEW_MESSAGES')).toEqual([])
    })

    it('[CI-5d] a released task is free for others, with its message', async () => {
      const file = await begun()
      expect(await exit(other.tasks.release('qa', task))).toBe(6)
      expect(await other.tasks.release('Engineer', task)).toMatchObject({
        outcome: 'changed',
        task: { status: 'new', owner: undefined },
      })
      expect([await names('NEW_MESSAGES'), await names('TASKS')]).toEqual([
        [file],
        [`${task}.checks`, `${task}.status`],
      ])
      expect(await circe.tasks.release('engineer', task)).toMatchObject({ outcome: 'unchanged' })
      expect(await claimed(circe, 'engineer-2')).toBe(file)
      expect(await viewOf()).toMatchObject({ owner: 'engineer-2', status: 'claimed' })
      // By a message too, and after the work was put away.
      await caughtUp()
      await other.settling.done('engineer-2', file)
      await caughtUp()
      expect(
        await exit(
          circe.sending.send({
            from: 'engineer',
            to: 'coordinator',
            intent: 'release_task',
            task,
            summary: 'Not mine',
          }),
        ),
      ).toBe(6)
      await circe.sending.send({
        from: 'engineer-2',
        to: 'coordinator',
        intent: 'release_task',
        task,
        summary: 'Cannot',
      })
      expect(await claimed(other, 'engineer')).toBe(file)
      expect(await viewOf()).toMatchObject({ owner: 'engineer', status: 'claimed' })
      expect((await names('LOGS')).filter((name) => name === file)).toEqual([file])
    })

    ruled('[CI-5] who may set what: the owner, whoever has the role qa, and nobody what is derived', async () => {
      const { circe: ruled } = await start({ roles: ['tester=qa'] })
      await begun()
      expect(await other.tasks.check(task, 'qa')).toMatchObject({
        outcome: 'unchanged',
        task: { checks: { tests_passed: false } },
      })
      expect(await exit(other.tasks.check(task, 'qa', { tests_passed: true }))).toBe(6)
      expect(await exit(other.tasks.check(task, 'engineer', { ready_for_merge: true }))).toBe(2)
      expect(await exit(other.tasks.check(task, 'engineer', { tests: true }))).toBe(2)
      expect(await exit(other.tasks.check('NONE-1', 'engineer', { tests_passed: true }))).toBe(3)
      expect(await exit(ruled.tasks.check(task, 'tester', { coverage_threshold_met: true }))).toBe(6)
      expect(await ruled.tasks.check(task, 'tester', { tests_passed: true })).toMatchObject({ outcome: 'changed' })
      await caughtUp()
      expect(
        await other.tasks.check(task, 'Engineer', { coverage_threshold_met: true, peer_reviewed: true }),
      ).toMatchObject({
        ...{ outcome: 'changed', task: { checks: { tests_passed: true, ready_for_merge: true } } },
      })
      expect(await textAt(`TASKS/${task}.checks`)).toBe(
        'tests_passed: true\ncoverage_threshold_met: true\npeer_reviewed: true\nready_for_merge: true\n',
      )
      expect(await other.tasks.check(task, 'engineer', { peer_reviewed: true })).toMatchObject({ outcome: 'unchanged' })
      await caughtUp()
      expect(await circe.tasks.check(task, 'engineer', { peer_reviewed: false })).toMatchObject({
        task: { checks: { ready_for_merge: false } },
      })
      expect(await exit(circe.tasks.status(task, 'blocked', 'qa'))).toBe(6)
      for (const bad of ['new', 'busy']) expect(await exit(circe.tasks.status(task, bad, 'engineer'))).toBe(2)
      expect(await circe.tasks.status(task, 'blocked', 'engineer')).toMatchObject({
        outcome: 'changed',
        task: { status: 'blocked' },
      })
      await caughtUp()
      expect(await other.tasks.status(task, 'blocked', 'engineer')).toMatchObject({ outcome: 'unchanged' })
    })

    it('[CI-5][CI-4c][CI-4b] a task about code is completed when its tests passed, and everything of it is archived', async () => {
      const file = await begun()
      const update = {
        from: 'engineer',
        to: 'coordinator',
        intent: 'status_update',
        task,
        status: 'completed',
        summary: 'Ready',
      } as const
      expect(await exit(circe.tasks.status(task, 'completed', 'qa'))).toBe(6)
      for (const who of ['engineer', 'coordinator'])
        expect(await exit(other.tasks.status(task, 'completed', who))).toBe(4)
      expect(await exit(other.sending.send(update))).toBe(4)
      expect(await names('NEW_MESSAGES')).toEqual([])
      await circe.sending.send({ ...results, status: 'failed', summary: 'No' })
      await caughtUp()
      expect(await exit(other.tasks.status(task, 'completed', 'engineer'))).toBe(4)
      const passed = await other.sending.send({ ...results, status: 'completed' })
      await put(`AGENTS/engineer/WORKSPACE/${task}/deep/draft.txt`, 'a draft')
      await put(`AGENTS/engineer/WORKSPACE/plan-${task}.txt`, 'a plan')
      await put('AGENTS/engineer/WORKSPACE/reply.md', foreign('engineer', 'qa', 'question'))
      await put('AGENTS/engineer/WORKSPACE/AUTH-0123.txt', 'of another')
      const review = await circe.sending.send({
        from: 'engineer',
        to: 'qa',
        intent: 'review_code',
        task,
        summary: 'Look',
      })
      await put('AGENTS/late/INBOX/late.md', foreign('coordinator', 'late', 'inform'))
      expect(await claimed(circe, 'qa')).toBe(review.message.file)
      await caughtUp()
      expect(await other.tasks.status(task, 'completed', 'Coordinator')).toMatchObject({
        outcome: 'changed',
        task: { status: 'completed' },
      })
      await caughtUp()
      expect(await circe.tasks.status(task, 'completed', 'engineer')).toMatchObject({ outcome: 'unchanged' })
      expect(await everywhere()).toEqual(['AGENTS/engineer/WORKSPACE/AUTH-0123.txt'])
      const logged = await names('LOGS')
      for (const one of [file, passed.message.file, review.message.file, 'late.md']) expect(logged).toContain(one)
      const kept = `LOGS/workspaces/${task}/engineer`
      expect([await names(kept), await names(`${kept}/deep`)]).toEqual([
        [`plan-${task}.txt`, 'reply.md'],
        ['draft.txt'],
      ])
      expect(await names('TASKS')).toEqual([`${task}.checks`, `${task}.owner`, `${task}.status`])
      expect(await exit(circe.tasks.status(task, 'in_progress', 'engineer'))).toBe(4)
      // New work opens it again, for anybody.
      const again = await other.sending.send({ ...work, intent: 'fix_bug', to: 'qa', summary: 'It leaks' })
      await caughtUp()
      expect(await viewOf()).toMatchObject({
        status: 'new',
        owner: undefined,
        checks: { tests_passed: false },
        request: { intent: 'fix_bug' },
      })
      expect(await claimed(circe, 'qa')).toBe(again.message.file)
      expect(await fieldsOf(`${task}.owner`)).toMatchObject({ owner: 'qa' })
      expect(await viewOf()).toMatchObject({ status: 'claimed', owner: 'qa', checks: { tests_passed: false } })
    })

    it('[CI-5] a claimed task of which nothing was heard is told as stalled, and unread messages with their age', async () => {
      const past = await start({}, heldClock(Date.now() - 31 * 60_000))
      const old = await start({}, heldClock(Date.now() - 29 * 60_000))
      await begun(past.circe)
      const waiting = await past.circe.sending.send({
        from: 'engineer',
        to: 'qa',
        intent: 'test',
        task: 'OTHER-1',
        summary: 'Test it',
      })
      // In memory it is now again.
      await start()
      await caughtUp()
      const [view] = await circe.overview.tasks(task)
      expect(view!.stalledSeconds).toBeGreaterThanOrEqual(31 * 60 - 1)
      const findings = await other.inspect()
      const told = findings.filter(({ code }) => code === 'STALLED_TASK' || code === 'UNACKNOWLEDGED')
      expect(told.map(({ code, path }) => [code, path])).toEqual([
        ['STALLED_TASK', `${root}/TASKS/${task}.status`],
        ['UNACKNOWLEDGED', `${root}/NEW_MESSAGES/${waiting.message.file}`],
      ])
      expect(told[0]!.message).toContain('engineer owns it')
      expect((await other.overview.inbox('qa')).messages[0]!.ageSeconds).toBeGreaterThanOrEqual(31 * 60 - 1)
      await old.circe.sending.send({
        from: 'engineer',
        to: 'coordinator',
        intent: 'status_update',
        task,
        status: 'in_progress',
        summary: 'On it',
      })
      await caughtUp()
      expect((await viewOf()).stalledSeconds).toBeUndefined()
      await past.circe.tasks.status(task, 'blocked', 'engineer')
      await caughtUp()
      expect((await viewOf()).stalledSeconds).toBeUndefined()
    })

    ruled('[CI-5] an agent that sends or claims has been seen, one that is only written to has not', async () => {
      await circe.sending.send({ from: 'Scribe', to: 'qa', intent: 'inform', summary: 'Hello' })
      await caughtUp()
      const directory = new AgentDirectory(tree)
      expect(await directory.seen('scribe')).toMatchObject({ anyCase: true })
      expect(await directory.seen('qa')).toBeUndefined()
      await other.claiming.claim('qa')
      await caughtUp()
      expect(await directory.seen('QA')).toMatchObject({ anyCase: true })
    })

    it('[CI-6][CI-6b] an escalation waits for a person; one answer goes back, linked, and unblocks the task', async () => {
      await begun()
      const asked = await circe.sending.send(escalation)
      await caughtUp()
      expect(await viewOf()).toMatchObject({ status: 'blocked' })
      const open = async (by: Circe) => {
        const found = []
        for await (const question of by.people.open()) found.push([question.name, question.message.asks])
        return found
      }
      expect(await open(other)).toEqual([[asked.message.file, 'escalation']])
      const answered = await other.people.answer(asked.message.file, { text: 'RS256' })
      expect(answered).toMatchObject({
        ...{
          outcome: 'answered',
          message: {
            from: 'ROOSTER',
            to: 'engineer',
            intent: 'answer',
            task,
            headers: { in_reply_to: asked.message.file },
          },
        },
      })
      await caughtUp()
      expect([await open(circe), (await viewOf()).status]).toEqual([[], 'in_progress'])
      expect(await circe.people.answer(asked.message.file, { text: 'RS256' })).toMatchObject({
        outcome: 'unchanged',
        message: { file: answered.message.file },
      })
      expect(await exit(circe.people.answer(asked.message.file, { text: 'HS256' }))).toBe(4)
      expect(await claimed(circe, 'engineer')).toBe(answered.message.file)
      // Whoever else it went to still has it.
      expect(await claimed(other, 'coordinator')).toBe(asked.message.file)
      // The caches are worth nothing: the same answers without them.
      await forget()
      expect(await circe.people.answer(asked.message.file, { text: 'RS256' })).toMatchObject({ outcome: 'unchanged' })
      expect(await exit(other.people.answer(asked.message.file, { text: 'HS256' }))).toBe(4)
      expect(await open(other)).toEqual([])
      expect(await exit(circe.people.answer('nothing.md', { text: 'x' }))).toBe(3)
    })

    ruled('[CI-6b] what waits for no person is answered once too', async () => {
      const asked = await circe.sending.send({
        from: 'engineer',
        to: 'qa',
        intent: 'question',
        task,
        summary: 'How many?',
      })
      await caughtUp()
      const given = await other.people.answer(asked.message.file, { text: 'Seven', by: 'qa' })
      await caughtUp()
      for (const put of [
        () => circe.overview.tasks(),
        () => circe.settling.done('engineer', given.message.file),
        forget,
      ]) {
        await put()
        await caughtUp()
        expect(await other.people.answer(asked.message.file, { text: 'Seven', by: 'qa' })).toMatchObject({
          outcome: 'unchanged',
        })
        expect(await exit(circe.people.answer(asked.message.file, { text: 'Eight', by: 'qa' }))).toBe(4)
      }
    })

    it('[CI-6b] questions to ROOSTER and approvals are told from others; a foreign answer counts without a link', async () => {
      const ask = async (more: object) =>
        (await circe.sending.send({ from: 'engineer', to: 'ROOSTER', intent: 'question', summary: 'Which?', ...more }))
          .message.file
      const question = await ask({})
      const approval = await ask({ to: 'coordinator', intent: 'approval_request', task, summary: 'ROOSTER, may we?' })
      await ask({ to: 'coordinator', intent: 'approval_request', task: 'OTHER-1', summary: 'May we?' })
      const direct = await ask({ intent: 'inform', task: 'OTHER-2' })
      await put('LOGS/straight.md', foreign('qa', 'coordinator', 'escalate', { id: 'OTHER-3' }))
      const open = async (by: Circe) => {
        const found: Record<string, string | undefined> = {}
        for await (const { name, message } of by.people.open()) found[name] = message.asks
        return found
      }
      await caughtUp()
      const all = { [question]: 'question', [approval]: 'approval', [direct]: 'question', 'straight.md': 'escalation' }
      expect(await open(other)).toEqual(all)
      await forget()
      expect(await open(circe)).toEqual(all)
      await put(
        'NEW_MESSAGES/answer one.md',
        foreign('rooster', 'engineer', 'answer', { id: 'OTHER-2', at: new Date(Date.now() + 1000).toISOString() }),
      )
      await put(
        'NEW_MESSAGES/answer-two.md',
        foreign('stranger', 'engineer', 'answer', { at: new Date(Date.now() + 1000).toISOString() }),
      )
      const { [direct]: _, ...left } = all
      expect(await open(other)).toEqual(left)
      expect(await exit(circe.people.answer(direct, { text: 'Other words' }))).toBe(4)
      await forget()
      expect(await circe.people.answer(direct, { text: 'By hand' })).toMatchObject({ outcome: 'unchanged' })
      expect(await exit(circe.people.answer(direct, { text: 'By hand', verdict: 'deny' }))).toBe(4)
      await put(
        'NEW_MESSAGES/answer three.md',
        foreign('ROOSTER', 'qa', 'answer', { id: 'OTHER-3', status: 'completed' }),
      )
      expect(await circe.people.answer('straight.md', { text: 'By hand' })).toMatchObject({ outcome: 'unchanged' })
      await forget()
      expect(await other.people.answer('straight.md', { text: 'By hand' })).toMatchObject({
        ...{ outcome: 'unchanged', message: { file: 'answer three.md' } },
      })
      expect(await exit(circe.people.answer(approval, { text: 'Yes', by: 'qa' }))).toBe(6)
      expect(await circe.people.answer(approval, { text: 'Yes', by: 'coordinator' })).toMatchObject({
        message: { from: 'coordinator' },
      })
      await caughtUp()
      // What was for the person alone is put away.
      expect(await other.people.answer(question, { text: 'That one' })).toMatchObject({ outcome: 'answered' })
      await caughtUp()
      expect([await open(circe), (await names('LOGS')).includes(question)]).toEqual([{}, true])
    })

    it('[CI-5c] a foreign program that claims by a move alone, or writes .owner by hand, counts like any other', async () => {
      const { message } = await circe.sending.send(work)
      await mv(`NEW_MESSAGES/${message.file}`, `AGENTS/Engineer/INBOX/${message.file}`)
      expect(await viewOf()).toMatchObject({ owner: 'engineer', status: 'claimed' })
      expect(await fieldsOf(`${task}.owner`)).toMatchObject({ owner: 'engineer' })
      await mv(`AGENTS/Engineer/INBOX/${message.file}`, `AGENTS/Engineer/WORKSPACE/${message.file}`)
      await put(
        'NEW_MESSAGES/update.md',
        foreign('engineer', 'coordinator', 'status_update', { status: 'in_progress' }),
      )
      expect(await viewOf(task, other)).toMatchObject({ owner: 'engineer', status: 'in_progress' })
      await put('LOGS/results.md', foreign('qa', 'engineer', 'test_results', { status: 'completed' }))
      expect(await viewOf()).toMatchObject({ checks: { tests_passed: true } })
      expect(await circe.tasks.status(task, 'completed', 'coordinator')).toMatchObject({
        task: { status: 'completed' },
      })
      expect(await everywhere()).toEqual([])

      const two = 'FEAT-2'
      const second = await other.sending.send({ ...work, task: two })
      await put(`TASKS/${two}.owner`, 'owner: QA\nclaimed_at: 2026-01-01T00:00:00Z\nwhy: because\n')
      expect(await circe.claiming.claim('engineer', { task: two })).toMatchObject({
        outcome: 'nothing',
        owned: [{ task: two, owner: 'qa' }],
      })
      await caughtUp()
      expect(await viewOf(two, other)).toMatchObject({ owner: 'qa', status: 'claimed' })
      expect(await fieldsOf(`${two}.status`)).toMatchObject({ task_id: two, status: 'claimed', owner: 'qa' })
      expect(await names('TASKS')).toContain(`${two}.checks`)
      expect(await textAt(`TASKS/${two}.owner`)).toBe('owner: QA\nclaimed_at: 2026-01-01T00:00:00Z\nwhy: because\n')
      expect(await claimed(circe, 'qa')).toBe(second.message.file)
      expect((await circe.overview.log({ task: two })).entries.map(({ event, agent }) => `${event} ${agent}`)).toEqual([
        'message coordinator',
        'claimed qa',
        'claimed qa',
      ])
      // A claim by a message, and one that comes too late.
      await put('NEW_MESSAGES/claim.md', foreign('scribe', 'coordinator', 'claim_task', { id: 'FEAT-3' }))
      await put('NEW_MESSAGES/late.md', foreign('engineer', 'coordinator', 'claim_task', { id: 'FEAT-3' }))
      expect(await viewOf('FEAT-3')).toMatchObject({ owner: 'scribe', status: 'claimed' })
      expect((await other.overview.log({ task: 'FEAT-3' })).entries.map(({ event }) => event)).toEqual([
        'message',
        'claimed',
        'refused',
      ])
    })

    it('[CI-7][CI-8] the six steps leave everything in the log once, and the story is told in order', async () => {
      const request = await circe.sending.send(work)
      expect(await claimed(other, 'engineer')).toBe(request.message.file)
      await caughtUp()
      await other.settling.start('engineer', request.message.file)
      await other.sending.send({
        from: 'engineer',
        to: 'coordinator',
        intent: 'status_update',
        task,
        status: 'in_progress',
        summary: 'Half',
      })
      const test = await other.sending.send({
        from: 'engineer',
        to: 'qa',
        intent: 'test',
        task,
        summary: 'Please test',
      })
      expect(await claimed(circe, 'qa')).toBe(test.message.file)
      await circe.settling.done('qa', test.message.file)
      await circe.sending.send({ ...results, to: 'coordinator', status: 'completed' })
      await caughtUp()
      await other.tasks.status(task, 'completed', 'coordinator')
      await caughtUp()
      expect(await everywhere()).toEqual([])
      expect((await names('LOGS')).length).toBe(5)
      const told = (story: History) =>
        story.entries.map(
          ({ event, agent, summary }) => `${event} ${agent}${summary === undefined ? '' : `: ${summary}`}`,
        )
      const story = [
        ...[
          'message coordinator: JWT login',
          'claimed engineer: JWT login',
          'acknowledged engineer: JWT login',
          'started engineer: JWT login',
        ],
        ...[
          'message engineer: Half',
          'message engineer: Please test',
          'claimed qa: Please test',
          'acknowledged qa: Please test',
          'handled qa: Please test',
        ],
        ...['message qa: 47 of 47', 'completed coordinator'],
      ]
      expect(told(await circe.overview.log({ task }))).toEqual(story)
      await forget()
      expect(told(await other.overview.log({ task }))).toEqual(story)
      expect(await other.overview.log({ task, limit: 2 })).toMatchObject({
        leftOut: 9,
        entries: [{ agent: 'qa' }, { event: 'completed' }],
      })
      expect(await other.overview.log({ task: 'NONE-1' })).toMatchObject({ outcome: 'nothing', entries: [] })
    })

    /** Deletes what is only remembered. */
    async function forget(): Promise<void> {
      const walk = async (folder: string): Promise<void> => {
        for (const { name: child, kind } of await now((by) => by.list(treePath(folder)))) {
          if (kind === 'folder') await walk(`${folder}/${child}`)
          else await tree.remove(treePath(`${folder}/${child}`))
        }
      }
      await walk('.signalbox/cache/circe')
      await caughtUp()
    }

    it('[CI-5][CI-8] with every cache deleted the answers are the same, and nothing counts twice', async () => {
      await begun()
      await circe.sending.send({ from: 'engineer', to: 'qa', intent: 'review_code', task, summary: 'Look' })
      await circe.sending.send({
        from: 'qa',
        to: 'engineer',
        intent: 'answer',
        task,
        status: 'completed',
        summary: 'Fine',
      })
      await circe.sending.send({ ...results, status: 'completed' })
      await put('AGENTS/qa/INBOX/foreign.md', foreign('coordinator', 'qa', 'inform'))
      await circe.sending.send({ ...work, task: 'OTHER-1', intent: 'document', to: 'scribe' })
      await caughtUp()
      const before = [await circe.overview.tasks(), (await circe.overview.log()).entries, await names('LOGS')]
      const ages = (text: string) => text.replace(/"ageSeconds":\d+/g, '"ageSeconds":0')
      await forget()
      expect(
        ages(JSON.stringify([await other.overview.tasks(), (await other.overview.log()).entries, await names('LOGS')])),
      ).toBe(ages(JSON.stringify(before)))
      expect(await viewOf()).toMatchObject({
        checks: { tests_passed: true, peer_reviewed: true },
        request: { from: 'coordinator' },
      })
    })

    ruled('[CI-4d] what is no message is set aside with its reason, and stops nothing', async () => {
      const { circe: patient } = await start()
      await put('NEW_MESSAGES/bad.md', '# MESSAGE\nfrom: a\n')
      await put('AGENTS/qa/INBOX/bad.md', 'nothing at all')
      const { message } = await circe.sending.send({ from: 'a', to: 'qa', intent: 'inform', summary: 'Good' })
      await caughtUp()
      let rejected: readonly { file: string; code: string }[] = []
      const until = Date.now() + 20_000
      while (rejected.length < 2 && Date.now() < until) {
        const inbox = await patient.overview.inbox('qa', { waitMs: 0 })
        expect(inbox.messages.map(({ file }) => file)).toEqual([message.file])
        rejected = [...rejected, ...inbox.rejected]
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect(rejected.map(({ file, code }) => [file, code])).toEqual([
        ['bad.md', 'MISSING_HEADER'],
        ['bad.md', 'BAD_HEADER'],
      ])
      expect(await names('LOGS/rejected')).toEqual(['bad.md', 'bad.md.reason', 'bad~2.md', 'bad~2.md.reason'])
      expect(await textAt('LOGS/rejected/bad.md.reason')).toContain('no `to` among the headers')
    })

    ruled(
      '[CI-5b] a task whose files cannot be believed is told, stops no other, and is rebuilt from its messages',
      async () => {
        await begun()
        await circe.sending.send({ ...results, status: 'completed' })
        await circe.sending.send({ ...work, task: 'OTHER-1' })
        for (const file of ['status', 'checks']) {
          await tree.remove(at(`TASKS/${task}.${file}`))
          await put(`TASKS/${task}.${file}`, 'not: [yaml\n')
        }
        expect(await viewOf()).toMatchObject({
          notices: [expect.stringContaining(`${task}.status: Line`), expect.stringContaining(`${task}.checks: Line`)],
        })
        expect(await exit(other.tasks.status(task, 'completed', 'engineer'))).toBe(5)
        expect(await circe.claiming.claim('qa', { task: 'OTHER-1' })).toMatchObject({ outcome: 'claimed' })
        const findings = (await other.inspect({ repair: true })).filter(({ code }) => code === 'BAD_TASK_FILE')
        expect(findings.map(({ path, repaired }) => [path, repaired])).toEqual([
          [`${root}/TASKS/${task}.status`, true],
          [`${root}/TASKS/${task}.checks`, true],
        ])
        await caughtUp()
        expect(await viewOf()).toMatchObject({
          owner: 'engineer',
          status: 'in_progress',
          checks: { tests_passed: true },
          notices: [],
        })
        expect(await textAt(`TASKS/${task}.status.bad`)).toBe('not: [yaml\n')
        expect(await circe.tasks.status(task, 'completed', 'engineer')).toMatchObject({ outcome: 'changed' })
      },
    )
  })
}
