/** Stories of the verbs for every agent, in a home whose claims end (AC-MQ) and in one whose claims do not (Message Routing). */
import type { NeutralActor } from './neutral-actor.ts'
import type { Story, World } from './story.ts'

type Act = (actor: NeutralActor) => Promise<unknown>
const story = (act: Act): Story<NeutralActor> => ({ act })
const inTurn = (...acts: readonly Act[]): Story<NeutralActor> => ({
  act: async (actor) => {
    for (const act of acts) if ((await act(actor)) === false) return
  },
  isMeanwhile: true,
})

const send: Act = (a) => a.send()
const sendOnce: Act = (a) => a.send('k')
const take: Act = (a) => a.take()
const done: Act = (a) => a.done()
const release: Act = (a) => a.release()
const free: Act = (a) => a.free()
const act: Act = (a) => a.act()
const lock: Act = (a) => a.lock()
const gone: Act = (a) => a.note('gone')
const busy: Act = (a) => a.note('busy')

const setUp =
  (...acts: readonly Act[]): Act =>
  async (actor) => {
    for (const one of acts) await one(actor)
  }

const worldsAt = (home: string): Readonly<Record<string, World<NeutralActor>>> => {
  const listed: Act = (a) => a.add({ home })
  return {
    [`waiting, ${home}`]: {
      setUp: setUp(listed, send),
      stories: {
        'send once': story(sendOnce),
        take: story(take),
        'take, release': inTurn(take, release),
        'take, done': inTurn(take, done),
      },
      closely: ['send once/send once', 'send once/take', 'take/take', 'take/take, release', 'take/take, done'],
    },
    [`taken, ${home}`]: {
      setUp: setUp(listed, send, take),
      stories: {
        done: story(done),
        release: story(release),
        'release, take': inTurn(release, take),
        'release, take, done': inTurn(release, take, done),
      },
      closely: ['done/done', 'done/release', 'done/release, take', 'release/release, take', 'release/done'],
    },
    [`gone, ${home}`]: {
      setUp: setUp(listed, send, busy, take, lock, gone),
      stories: {
        free: story(free),
        act: story(act),
        take: story(take),
        'act, release, take': inTurn(act, release, take),
        done: story(done),
        'free, take': inTurn(free, take),
      },
      closely: [
        'free/free',
        'free/act',
        'free/act, release, take',
        'free/done',
        'act/free',
        'free/free, take',
        'take/free',
        'done/free',
      ],
    },
  }
}

export const neutralWorlds: Readonly<Record<string, World<NeutralActor>>> = {
  ...worldsAt('acmq:shop'),
  ...worldsAt('mr'),
  'files and notes': {
    setUp: setUp((a) => a.add({ home: 'mr' }), busy),
    stories: {
      'add a client': story((a) => a.add({ client: 'codex' })),
      'change the home': story((a) => a.add({ home: 'acmq:shop' })),
      remove: story((a) => a.remove()),
      'note busy': story(busy),
      'note gone': story(gone),
      act: story(act),
      doctor: { ...story((a) => a.doctor()), isMeanwhile: true },
    },
    closely: [
      'add a client/change the home',
      'change the home/add a client',
      'add a client/remove',
      'remove/add a client',
      'note busy/note gone',
      'note gone/act',
      'act/note gone',
      'note busy/act',
      'act/note busy',
    ],
  },
}
