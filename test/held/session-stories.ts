/** Stories of sessions: what those do who speak in one, by what was said before. */
import { carried, reader, type SessionActor } from './session-actor.ts'
import type { Story, World } from './story.ts'

type Act = (actor: SessionActor) => Promise<unknown>
const story = (act: Act): Story<SessionActor> => ({ act })
const inTurn = (...acts: readonly Act[]): Story<SessionActor> => ({
  act: async (actor) => {
    for (const act of acts) await act(actor)
  },
  isMeanwhile: true,
})

const save: Act = (a) => a.say(`#STATE:save:${a.agent}:1:persistent`)
const saveShared: Act = (a) => a.say(`#STATE:save:shared:${a.agent}:persistent`)
const broadcast: Act = (a) => a.say(`#BROADCAST:news:from ${a.agent}`)
const lock: Act = (a) => a.say('#LOCK:r:600')
const unlock: Act = (a) => a.say('#UNLOCK:r')
const force: Act = (a) => a.say('#UNLOCK:r:force', 'Orchestrator')
const signal: Act = (a) => a.say('#SIGNAL:c')
const read: Act = (a) => a.read()
const take: Act = (a) => a.take()
const end: Act = (a) => a.end()

const common = {
  save: story(save),
  'save the same': story(saveShared),
  broadcast: story(broadcast),
  read: story(read),
  end: story(end),
  doctor: story((a) => a.doctor()),
} as const

const setUp =
  (...acts: readonly Act[]): Act =>
  async (actor) => {
    await actor.say('#SUBSCRIBE:news', reader)
    for (const act of acts) await act(actor)
  }

export const sessionWorlds: Readonly<Record<string, World<SessionActor>>> = {
  talking: {
    setUp: setUp(broadcast),
    stories: {
      ...common,
      subscribe: inTurn((a) => a.say('#SUBSCRIBE:news')),
      hear: story((a) => a.hear()),
      signal: story(signal),
      'signal false': inTurn((a) => a.say('#SIGNAL:c:false')),
      look: inTurn((a) => a.say('#WAIT:c:0')),
      'save, broadcast, read': inTurn(save, broadcast, read),
      'end, save': inTurn(end, save),
    },
    closely: ['read/read', 'hear/hear', 'hear/read', 'read/hear', 'save/save', 'broadcast/read', 'end/save'],
  },
  working: {
    setUp: setUp((a) => a.say(`#DELEGATE:${reader}:work`)),
    stories: {
      take: story(take),
      done: story((a) => a.say('#DONE:work:fine', reader)),
      delegate: story((a) => a.say(`#DELEGATE:${reader}:more`)),
      retry: story((a) => a.say(`#RETRY:${reader}:work`)),
      'take, done': inTurn(take, (a) => a.say('#DONE:work:fine', reader)),
    },
    closely: ['take/take', 'take/done'],
  },
  carried: {
    setUp: setUp(
      (a) => a.say(`#DELEGATE:${carried}:work`),
      (a) => a.reply(),
    ),
    stories: {
      work: story((a) => a.work()),
      delegate: story((a) => a.say(`#DELEGATE:${carried}:more`)),
      retry: inTurn((a) => a.say(`#RETRY:${carried}:work`)),
      'work, reply, work': inTurn(
        (a) => a.work(),
        (a) => a.reply(),
        (a) => a.work(),
      ),
    },
    closely: ['work/work'],
  },
  locked: {
    setUp: setUp(),
    stories: {
      lock: story(lock),
      unlock: story(unlock),
      force: story(force),
      'lock, unlock': inTurn(lock, unlock),
      'wait for it': story((a) => a.say('#WAIT:lock=r:0')),
      end: story(end),
    },
    closely: ['lock/lock', 'lock/end', 'lock/lock, unlock'],
  },
  'a page full': {
    setUp: setUp(async (a) => {
      for (let n = 0; n < 63; n++) await a.say(`#STATE:save:n:${n}`)
    }),
    stories: { save: story(save), broadcast: story(broadcast), read: story(read), 'save the same': story(saveShared) },
  },
}
