/** Stories of Dream.OS: what agents, a supervisor and strangers do at one mailbox, one list, one outbox and one bridge. */
import { box, type DreamActor, task } from './dream-actor.ts'
import type { Story, World } from './story.ts'

type Act = (actor: DreamActor) => Promise<unknown>
const story = (act: Act): Story<DreamActor> => ({ act })
const inTurn = (...acts: readonly Act[]): Story<DreamActor> => ({
  act: async (actor) => {
    for (const act of acts) if ((await act(actor)) === false) return
  },
  isMeanwhile: true,
})
const foreign = (
  verb: string,
  act: (actor: DreamActor) => Promise<Record<string, unknown> | undefined>,
): Story<DreamActor> => ({
  act: (actor) => actor.stranger(verb, () => act(actor)),
  isForeign: true,
})

const fileAt = async ({ outside }: DreamActor, path: string) => (await outside.files()).find((one) => one.path === path)

/** Another program adds a message without the lock, to what it reads in that moment. */
const added = foreign('add', async (actor) => {
  const file = await fileAt(actor, box)
  if (!file) return undefined
  const mailbox = JSON.parse(file.text)
  const message_id = 'foreign-1'
  mailbox.messages.push({
    message_id,
    sender_agent_id: 'User',
    timestamp_dispatched: '2026-01-01T00:00:00Z',
    command: 'x',
    params: {},
  })
  await actor.outside.write(box, JSON.stringify(mailbox))
  return { id: message_id }
})
const removed = (path: string) =>
  foreign('rm', async (actor) => ((await actor.outside.remove(path)) ? { path } : undefined))
const doctor = story((a) => a.doctor())

export const dreamWorlds: Readonly<Record<string, World<DreamActor>>> = {
  mailbox: {
    setUp: (a) => a.mailbox(),
    stories: {
      send: story((a) => a.send()),
      next: story((a) => a.next()),
      done: { begin: (a) => a.next(), act: (a) => a.doneMessage() },
      'release, claim': inTurn(
        (a) => a.release(),
        (a) => a.claim(),
      ),
      'next, done': inTurn(
        (a) => a.next(),
        (a) => a.doneMessage(),
      ),
      doctor: { ...doctor, isMeanwhile: true },
      add: added,
    },
    closely: ['next/next', 'done/done'],
  },
  tasks: {
    setUp: async (a) => a.put('runtime/task_list.json', [task('a'), task('b', { depends_on: ['a'] })]),
    stories: {
      dispatch: story((a) => a.dispatch()),
      'dispatch, take, done': inTurn(
        (a) => a.dispatch(),
        (a) => a.take(),
        (a) => a.doneTask(),
      ),
      answer: story((a) => a.answerPlan('P1', 'x', 'y')),
      'another answer': inTurn((a) => a.answerPlan('P2', 'z')),
    },
    closely: ['answer/another answer'],
  },
  taken: {
    setUp: async (a) => {
      await a.put('runtime/task_list.json', [task('a'), task('b', { depends_on: ['a'] })])
      await a.put('runtime/TaskExecutorAgent/inbox/.keep', 0)
      await a.dispatch()
    },
    stories: {
      take: story((a) => a.take()),
      done: story((a) => a.doneTask()),
      'take, done': inTurn(
        (a) => a.take(),
        (a) => a.doneTask(),
      ),
      'give back': { begin: (a) => a.take(), act: (a) => a.giveBack() },
      'take, give back': inTurn(
        (a) => a.take(),
        (a) => a.giveBack(),
      ),
      rm: removed('runtime/Bob/inbox/task_a.json'),
    },
    closely: ['take/take', 'done/done', 'give back/take'],
  },
  sent: {
    setUp: async (a) => a.put('runtime/Bob/inbox/.keep', 0),
    stories: {
      send: story((a) => a.sendTask()),
      'send, take, delete': inTurn(
        (a) => a.sendTask(),
        (a) => a.take(),
        (a) => a.outside.remove('runtime/Bob/working/task_s.json'),
      ),
      'send once': story((a) => a.sendOnce()),
      'send once, take': inTurn(
        (a) => a.sendOnce(),
        (a) => a.take(),
      ),
      doctor: { ...doctor, isMeanwhile: true },
    },
    closely: ['send/send', 'send once/send once'],
  },
  outbox: {
    setUp: async (a) => {
      for (const agent of ['Bob', 'Eve']) await a.put(`runtime/${agent}/inbox/.keep`, 0)
      const event = (target_id: string) => ({ type: 'NOTE', source_id: 'Ann', target_id, data: { x: 1 } })
      await a.put('runtime/Ann/outbox/msg_1.json', event('Bob'))
      await a.put('runtime/Ann/outbox/msg_2.json', event('broadcast'))
    },
    stories: {
      route: story((a) => a.route()),
      take: story((a) => a.take()),
      'take, take': inTurn(
        (a) => a.take(),
        (a) => a.take(),
      ),
      'route, take': inTurn(
        (a) => a.route(),
        (a) => a.take(),
      ),
      rm: removed('runtime/Ann/outbox/msg_1.json'),
    },
    closely: ['take/route'],
  },
  bridge: {
    setUp: async (a) => {
      await a.outside.write('templates/a.j2', 'Prompt {{ n }}')
      await a.outside.write('temp/cursor_input.txt', 'Prompt 0')
      await a.put('temp/cursor_output.json', { type: 'NOTE', source_id: 'Ann', target_id: 'Bob', data: {} })
    },
    stories: {
      'stage 1': story((a) => a.stage(1)),
      'stage 2': inTurn((a) => a.stage(2)),
      fetch: story((a) => a.fetch()),
      rm: removed('temp/cursor_output.json'),
    },
    closely: ['fetch/fetch'],
  },
}
