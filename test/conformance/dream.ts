/** Dream.OS by nothing but the tree: what every engine must let it do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { dreamPorts } from '../../src/operations/dream/ports.ts'
import type { Question } from '../../src/protocols/contract.ts'
import type { Dream } from '../../src/protocols/dream-os/store/dream.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { dreamOn, mailboxFile, shared } from '../support/dream.ts'
import { mortal, survives } from '../support/mortal-tree.ts'
import type { EnginePlace } from './every-engine.ts'

const minute = 60_000
const task = (task_id: string, more: object = {}) => ({
  task_id,
  action: 'RUN',
  params: {},
  target_agent: 'Bob',
  status: 'PENDING',
  priority: 3,
  depends_on: [],
  ...more,
})

export function describeDream(name: string, prepare: () => Promise<EnginePlace>): void {
  describe(`Dream.OS on ${name}`, () => {
    const clock = heldClock(Date.now())
    let tree: Tree
    let dream: Dream
    let other: Dream
    const opened: Tree[] = []
    let open: () => Promise<Tree>
    beforeEach(async () => {
      const place = await prepare()
      open = async () => {
        opened.push(await place.open(clock))
        return opened.at(-1)!
      }
      tree = await open()
      dream = dreamOn(tree, clock, {}, dreamPorts)
      other = dreamOn(await open(), clock, {}, dreamPorts)
    })
    afterEach(async () => {
      for (const one of new Set(opened.splice(0))) await one.close()
    })
    const put = async (path: string, value: unknown) =>
      void (await tree.create(treePath(path), typeof value === 'string' ? value : JSON.stringify(value)))
    // On a cluster, what the other one wrote reaches copies a moment later.
    const json = async (path: string) =>
      JSON.parse(Buffer.from((await tree.read(treePath(path), { fresh: true }))!.bytes).toString())
    const names = async (path: string) => (await tree.list(treePath(path), { fresh: true })).map((entry) => entry.name)

    it('[DO-5a][DO-5c][X-cluster] a mailbox day: sent by two, given once, taken over, recorded once', async () => {
      await dream.mailboxes.init(1)
      expect(await dream.mailboxes.claim('Old')).toMatchObject({ outcome: 'claimed', mailbox: 1 })
      const send = (who: Dream, n: number) =>
        who.messages.send({ mailbox: 1, from: 'Ann', command: 'run', params: { n } })
      await Promise.all(Array.from({ length: 10 }, (_, n) => send(n % 2 === 0 ? dream : other, n)))
      const { messages } = await json(mailboxFile(1))
      expect(messages).toHaveLength(10)
      const given = await Promise.all([dream.messages.next(1, 'Old'), other.messages.next(1, 'Old')])
      expect(new Set(given.map((one) => one.outcome === 'given' && one.message.message_id)).size).toBe(2)
      clock.advance(6 * minute)
      expect(await other.mailboxes.claim('New')).toMatchObject({ outcome: 'taken-over', from: 'Old' })
      const again = await other.messages.next(1, 'New')
      expect(again).toMatchObject({ outcome: 'given', attempt: 2, redelivered: true })
      const id = again.outcome === 'given' ? again.message.message_id : ''
      await expect(dream.messages.done(1, 'Old', id)).rejects.toMatchObject({ exit: 4 })
      const outcomes = await Promise.all(
        [dream, other].map((one) => one.messages.done(1, 'New', id, { output: { ok: 1 } })),
      )
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['recorded', 'unchanged'])
      expect((await dream.logs.completed()).events).toHaveLength(1)
      expect((await json(mailboxFile(1))).processed_message_ids).toEqual([id])
      expect(await tree.look(treePath(`${mailboxFile(1)}.lock`))).toBeUndefined()
    })

    it('[DO-4][DO-4d][X-cluster] planning with expansion, by two processes at once', async () => {
      const { plan } = await dream.planning.plan({ from: 'Ann', to: 'Planner', goal: 'Ship' })
      const answers = await Promise.all([
        dream.planning.answer({ plan, planner: 'P1', results: [task('a'), task('b', { depends_on: ['a'] })] }),
        other.planning.answer({ plan, planner: 'P2', results: [task('c')] }),
      ])
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['joined', 'late'])
      const { tasks } = await dream.tasks.list({ runnable: true })
      const dispatched = await Promise.all([dream.tasks.dispatch('S'), other.tasks.dispatch('S')])
      expect(dispatched.flatMap(({ tasks: all }) => all)).toHaveLength(tasks.length)
      const taken = await Promise.all([dream.claiming.take('Bob'), other.claiming.take('Bob')])
      expect(taken.filter(({ outcome }) => outcome === 'taken')).toHaveLength(1)
      const first = taken.find((one) => one.outcome === 'taken')
      if (first?.outcome === 'taken')
        expect(await other.settling.done('Bob', first.message.file)).toMatchObject({ outcome: 'recorded' })
      expect((await json('runtime/task_list.json'))[0].status).toBe('COMPLETED')
    })

    it('[DO-7][X-cluster] a failure waits for a person, whose answer counts once, told by one line', async () => {
      await put('runtime/task_list.json', [task('a'), task('b', { depends_on: ['a'] })])
      await dream.tasks.dispatch('S')
      await Promise.all([dream, other].map((one) => one.settling.done('Bob', 'task_a.json', { error: { code: 'E' } })))
      const questions: Question[] = []
      for await (const question of other.escalations.questions()) questions.push(question)
      expect(questions).toMatchObject([{ kind: 'escalation', answers: ['approve', 'deny', 'answer'] }])
      const yes = { verdict: 'approve', by: 'ada' } as const
      const answers = await Promise.all([dream, other].map((one) => one.escalations.answer(questions[0]!, yes)))
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['answered', 'unchanged'])
      await Promise.all([dream.router.route('S'), other.router.route('S')])
      const statuses = (await json('runtime/task_list.json')).map(({ status }: { status: string }) => status)
      expect(statuses).toEqual(['PENDING', 'PENDING'])
      const types = (await dream.logs.events()).events.map(({ event_type }) => event_type)
      expect(types.sort()).toEqual(['ESCALATION_ANSWERED', 'TASKS_BLOCKED', 'TASKS_DISPATCHED', 'TASK_FAILED'])
      expect(await names('runtime/TaskExecutorAgent/archive/inbox')).toHaveLength(1)
      expect((await names('runtime/Bob/inbox')).filter((name) => name.startsWith('msg_'))).toHaveLength(1)
    })

    it('[DO-2a][DO-2c][X-cluster] the router or the agent, never both; a broadcast once', async () => {
      for (const agent of ['Bob', 'Eve']) await dream.claiming.take(agent)
      const event = (target_id: string) => ({ type: 'NOTE', source_id: 'Ann', target_id, data: {} })
      await put('runtime/Ann/outbox/msg_1.json', event('Bob'))
      await put('runtime/Ann/outbox/msg_2.json', event('broadcast'))
      await Promise.all([dream.router.route('S'), other.router.route('S'), other.claiming.take('Bob')])
      const all = [...(await names('runtime/Bob/inbox')), ...(await names('runtime/Bob/working'))]
      expect(all.filter((one) => one.startsWith('msg_1'))).toHaveLength(1)
      expect(all.filter((one) => one.startsWith('msg_2'))).toHaveLength(1)
      expect(await names('runtime/Eve/inbox')).toHaveLength(1)
    })

    it('[DO-3c][DO-3e][X-cluster] a prompt goes out, and its response comes back once', async () => {
      await put('templates/a.j2', 'Hello {{ name }}')
      await dream.prompts.stage('a', { name: 'you' })
      const waiting = [dream.prompts.fetch({ waitMs: 500 }), other.prompts.fetch({ waitMs: 500 })]
      await put('temp/cursor_output.json', { type: 'NOTE', source_id: 'Ann', target_id: 'Bob', data: {} })
      expect((await Promise.all(waiting)).map(({ outcome }) => outcome).sort()).toEqual(['fetched', 'nothing'])
    })

    it('[DO-6][DO-7][DO-8][X-cluster] logs, documents and the supervisor', async () => {
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? dream : other).logs.add('NOTED', 'Ann', { n })),
      )
      expect(await dream.logs.events({ type: 'NOTED' })).toMatchObject({ matching: 10, unreadable: 0 })
      await dream.documents.reflect('Bob', 'Well done.')
      await dream.documents.report('weekly', 'Fine.')
      await Promise.all([dream.documents.setState('s', { a: 1 }), other.documents.setState('s', { b: 2 })])
      expect((await dream.documents.state('s')).state).toEqual(expect.objectContaining({ a: 1, b: 2 }))
      await Promise.all([
        dream.planning.plan({ from: 'A', to: 'B', goal: '1' }),
        other.planning.plan({ from: 'A', to: 'B', goal: '2' }),
      ])
      const goals = [
        (await dream.supervisor.show())?.active_goals.length,
        (await other.supervisor.show())?.active_goals.length,
      ]
      // Outside of a turn another process may see it a moment later.
      expect(Math.max(...goals.map(Number))).toBe(2)
    })

    const ask = { from: 'Ann', to: 'Bob', text: 'Once' } as const
    const filesOf = async (agent: string) => {
      const all: string[] = []
      for (const folder of ['inbox', 'working', 'archive/inbox'])
        all.push(...(await names(`runtime/${agent}/${folder}`)))
      return all
    }

    /** On a cluster it may come a moment later. */
    const soon = { waitMs: 10_000 }

    it('[X-crash] a key sends once, whoever repeats it and wherever the message is by then', async () => {
      const { message } = await dream.sending.sendDraft(ask, { key: 'k 1' })
      const again = async (by: Dream) => {
        const { outcome, message } = await by.sending.sendDraft(ask, { key: 'k 1' })
        return [outcome, message.id, message.state]
      }
      expect(await again(other)).toEqual(['unchanged', message.id, 'inbox'])
      expect(await other.claiming.take('Bob', soon)).toMatchObject({ outcome: 'taken', message: { id: message.id } })
      expect(await again(dream)).toEqual(['unchanged', message.id, 'working'])
      await other.settling.done('Bob', message.file)
      expect(await again(dream)).toEqual(['unchanged', message.id, 'archive/inbox'])
      await tree.remove(treePath(`runtime/Bob/archive/inbox/${message.file}`))
      expect((await again(other)).slice(0, 2)).toEqual(['unchanged', message.id])
      for (const changed of [{ text: 'Other words' }, { to: 'Eve' }, { kind: 'tell' } as const])
        await expect(other.sending.sendDraft({ ...ask, ...changed }, { key: 'k 1' })).rejects.toMatchObject({
          code: 'KEY_USED',
          exit: 4,
          message: `The key k 1 was used for another message, ${message.id}.`,
        })
      expect(await filesOf('Bob')).toEqual([])
      // Another sender has keys of its own.
      const theirs = await dream.sending.sendDraft({ ...ask, from: 'Eve' }, { key: 'k 1' })
      expect(theirs.outcome).toBe('sent')
      expect(await filesOf('Bob')).toEqual([theirs.message.file])
    })

    it('[X-held] of many that send one key at once one sends it', async () => {
      const senders = [dream, other, dreamOn(await open(), clock), dreamOn(await open(), clock)]
      const sent = await Promise.all(senders.map((one) => one.sending.sendDraft(ask, { key: 'k' })))
      expect(sent.map(({ outcome }) => outcome).sort()).toEqual(['sent', 'unchanged', 'unchanged', 'unchanged'])
      expect(await filesOf('Bob')).toEqual([sent[0]!.message.file])
    })

    for (const finisher of ['its sender', 'its reader', 'the router', 'doctor'] as const) {
      it(`[X-crash] a sender under a key is killed before any change, and ${finisher} makes it one message`, async () => {
        for (let lives = 0, isWhole = false; !isWhole; lives++) {
          const place = `killed before change ${lives}`
          const draft = { ...ask, to: `Bob-${lives}` }
          const key = `k${lives}`
          const sentBefore = await names('.signalbox/state/delivery/dream/sent')
          isWhole = await survives(dreamOn(mortal(await open(), lives), clock).sending.sendDraft(draft, { key }))
          const isNoted = (await names('.signalbox/state/delivery/dream/sent')).length > sentBefore.length
          if (finisher === 'its sender') await other.sending.sendDraft(draft, { key })
          if (finisher === 'the router') await other.router.route('S')
          if (finisher === 'doctor') {
            const found = await other.inspect({ repair: true })
            expect(found.filter(({ code }) => code === 'UNFINISHED_SEND').every(({ repaired }) => repaired)).toBe(true)
          }
          const isSent = isNoted || finisher === 'its sender'
          const taken = await other.claiming.take(draft.to, isSent ? soon : {})
          expect(taken.outcome, place).toBe(isSent ? 'taken' : 'nothing')
          expect((await other.claiming.take(draft.to)).outcome, place).toBe('nothing')
          expect((await other.sending.sendDraft(draft, { key })).outcome, place).toBe(isSent ? 'unchanged' : 'sent')
          expect(await filesOf(draft.to), place).toHaveLength(1)
          const unfinished = (await other.inspect()).filter(({ code }) => code === 'UNFINISHED_SEND')
          expect(unfinished, place).toEqual([])
        }
      })
    }

    it('[X-crash] a holder is killed while it gives a message back: it waits again, once', async () => {
      for (let lives = 0, isWhole = false; !isWhole; lives++) {
        const place = `killed before change ${lives}`
        const to = `Bob-${lives}`
        const { message } = await dream.sending.sendDraft({ ...ask, to })
        await dream.claiming.take(to, soon)
        const holder = dreamOn(mortal(await open(), lives), clock)
        isWhole = await survives(holder.claiming.giveBack(to, message.file, 1))
        if (!isWhole) clock.advance(61 * minute)
        expect(await other.claiming.take(to, soon), place).toMatchObject({ outcome: 'taken', attempt: 2 })
        expect(await filesOf(to), place).toEqual([message.file])
        await expect(dream.claiming.giveBack(to, message.file, 1), place).rejects.toMatchObject({ code: 'LOST_CLAIM' })
        await expect(dream.claiming.renew(to, message.file, 1), place).rejects.toMatchObject({ code: 'LOST_CLAIM' })
        await other.claiming.giveBack(to, message.file, 2)
        await expect(other.claiming.renew(to, message.file, 2), place).rejects.toMatchObject({ code: 'LOST_CLAIM' })
        expect(await dream.claiming.take(to, soon), place).toMatchObject({ outcome: 'taken', attempt: 3 })
      }
    })

    it('[X-notes] what a stranger staged goes where its note says or nowhere, and stops nobody', async () => {
      const home = '.signalbox/state/delivery/dream'
      const stage = async (key: string, id: string | undefined) => {
        const name = `${key}~00000000-0000-4000-8000-000000000000.json`
        await put(`${home}/staged/${name}`, task(key))
        await put(`${home}/sent/${key}.json`, { staged: name, digest: 'd', ...(id === undefined ? {} : { id }) })
      }
      await stage('a', undefined)
      await stage('b', '../../etc/task_b.json')
      await stage('c', 'Bob/../x.json')
      await stage('d', 'Bob/.hidden.json')
      await stage('e', 'Bob/task_e.json')
      expect(await other.claiming.take('Bob', soon)).toMatchObject({ outcome: 'taken', message: { id: 'e' } })
      expect(await other.claiming.take('Bob')).toMatchObject({ outcome: 'nothing' })
      const unfinished = (await other.inspect({ repair: true })).filter(({ code }) => code === 'UNFINISHED_SEND')
      expect(unfinished.map(({ repaired }) => repaired)).toEqual([false, false, false, false])
    })

    it('[X-cluster] a mailbox that is larger than a value may be', async () => {
      await dream.mailboxes.init(1)
      const text = 'x'.repeat(300_000)
      for (let n = 0; n < 5; n++)
        await dream.messages.send({ mailbox: 1, from: 'A', command: 'c', params: { text, n } })
      expect((await json(mailboxFile(1))).messages).toHaveLength(5)
      expect((await names(shared)).filter((one) => one.endsWith('.lock'))).toEqual([])
    })
  })
}
