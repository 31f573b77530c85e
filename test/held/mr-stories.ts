/** Stories of Message Routing: what senders, readers, persons and strangers do at one inbox, by what is in it before. */
import { dueId, type MrActor, reader, sender } from './mr-actor.ts'
import type { Story, World } from './story.ts'

type Act = (actor: MrActor) => Promise<unknown>
const story = (act: Act): Story<MrActor> => ({ act })
const inTurn = (...acts: readonly Act[]): Story<MrActor> => ({
  act: async (actor) => {
    for (const act of acts) if ((await act(actor)) === false) return
  },
  isMeanwhile: true,
})
const foreign = (
  verb: string,
  act: (actor: MrActor) => Promise<Record<string, unknown> | undefined>,
): Story<MrActor> => ({
  act: (actor) => actor.stranger(verb, () => act(actor)),
  isForeign: true,
})

/** The first message that was sent when the world was set up. */
export const firstId = 'msg_0000be11'
export const folderOf = (agent: string, folder: string): string => `state/agents/${agent}/${folder}`
const placeIn = (folder: string, id = firstId): string => `${folderOf(reader, folder)}/${id}.json`

const send: Act = (a) => a.send()
const sendOnce: Act = (a) => a.sendOnce()
const receive: Act = (a) => a.receive()
const ack: Act = (a) => a.ack(firstId)
const recover: Act = (a) => a.recover(firstId)

const fileAt = async ({ outside }: MrActor, path: string) => (await outside.files()).find((one) => one.path === path)

const moved = (from: string) =>
  foreign('mv', async (actor) => {
    const isMoved = await actor.outside.move(placeIn(from), `${folderOf(reader, 'taken')}/${firstId}.json`)
    return isMoved ? { id: firstId } : undefined
  })
const removed = (from: string) =>
  foreign('rm', async (actor) => ((await actor.outside.remove(placeIn(from))) ? { id: firstId } : undefined))
const edited = (from: string) =>
  foreign('edit', async (actor) => {
    const file = await fileAt(actor, placeIn(from))
    if (file) await actor.outside.write(file.path, file.text.replace('pause', 'resume'))
    return file && { id: firstId, mark: 'resume' }
  })
const copied = (from: string) =>
  foreign('cp', async (actor) => {
    const file = await fileAt(actor, placeIn(from))
    if (file) await actor.outside.write(placeIn('inbox', 'msg_0000c0c0'), file.text)
    return file && { id: firstId }
  })
/** The text of a file that a stranger puts where a message is about to go. */
export const inTheWay = '{"not": "a message, and not yours"}\n'
const put = (...folders: readonly string[]) =>
  foreign('put', async (actor) => {
    const paths: string[] = []
    for (const path of folders.map((folder) => placeIn(folder))) {
      if (await fileAt(actor, path)) continue
      await actor.outside.write(path, inTheWay)
      paths.push(path)
    }
    return paths.length > 0 ? { paths } : undefined
  })

const common = {
  send: story(send),
  receive: story(receive),
  unacked: story((a) => a.unacked()),
  doctor: story((a) => a.doctor()),
  'sender receives': story((a) => a.receive(sender)),
} as const

/** The same stories, only as what others do meanwhile: for worlds that are about something else. */
const meanwhile = Object.fromEntries(
  Object.entries(common).map(([name, one]) => [name, { ...one, isMeanwhile: true as const }]),
)

const setUp =
  (...acts: readonly Act[]): Act =>
  async (actor) => {
    await actor.init()
    for (const act of acts) await act(actor)
  }

export const mrWorlds: Readonly<Record<string, World<MrActor>>> = {
  'sending under a key': {
    setUp: setUp(send, send, send),
    stories: {
      ...meanwhile,
      'send once': story(sendOnce),
      'send once, receive': inTurn(sendOnce, receive),
      'receive, send once': inTurn(receive, sendOnce),
      'send once, doctor': inTurn(sendOnce, (a) => a.doctor()),
    },
    closely: ['send once/send once', 'send once/receive', 'send once/doctor'],
  },
  empty: {
    setUp: setUp(),
    stories: { ...common, 'send twice': inTurn(send, send), 'send, receive': inTurn(send, receive) },
    closely: ['send/send', 'send/send, receive', 'receive/send'],
  },
  waiting: {
    setUp: setUp(send),
    stories: {
      ...common,
      ack: story(ack),
      recover: story(recover),
      'receive, ack': inTurn(receive, ack),
      'receive, recover': inTurn(receive, recover),
      'receive, recover, receive': inTurn(receive, recover, receive),
      mv: moved('inbox'),
      cp: copied('inbox'),
      edit: edited('inbox'),
      rm: removed('inbox'),
      put: put('taken', 'rejected'),
    },
    closely: [
      'receive/receive',
      'receive/edit',
      'receive/put',
      'receive/receive, recover',
      'receive/receive, recover, receive',
    ],
  },
  full: {
    setUp: setUp(send, send, send),
    stories: {
      ...common,
      recover: story(recover),
      'send twice': inTurn(send, send),
      'send, recover': inTurn(send, recover),
      'receive, send': inTurn(receive, send),
      mv: moved('inbox'),
      edit: edited('inbox'),
      rm: removed('inbox'),
      put: put('evicted', 'taken'),
    },
    closely: ['send/receive', 'receive/send', 'send/put'],
  },
  taken: {
    setUp: setUp(send, receive),
    stories: {
      ...meanwhile,
      ack: story(ack),
      recover: story(recover),
      'ack, sender receives': inTurn(ack, (a) => a.receive(sender)),
      'recover, receive': inTurn(recover, receive),
      'recover, receive, ack': inTurn(recover, receive, ack),
      mv: moved('rejected'),
      edit: edited('taken'),
      rm: removed('taken'),
      put: put('inbox', 'evicted'),
    },
    closely: ['ack/ack', 'recover/recover, receive', 'recover/put'],
  },
  acknowledged: {
    setUp: setUp(send, receive, ack),
    stories: {
      ...meanwhile,
      unacked: common.unacked,
      'sender receives': common['sender receives'],
      ack: story(ack),
      recover: story(recover),
      'recover, receive': inTurn(recover, receive),
    },
    closely: ['ack/sender receives', 'unacked/sender receives', 'sender receives/unacked'],
  },
  evicted: {
    setUp: setUp(send, send, send, send),
    stories: {
      ...meanwhile,
      recover: story(recover),
      'recover, receive': inTurn(recover, receive),
      put: put('inbox', 'taken'),
      rm: removed('evicted'),
    },
    closely: ['recover/recover', 'recover/recover, receive', 'recover/send', 'recover/put'],
  },
  /** One message was received long ago. Receiving the next one deletes what is too old. */
  'kept for long': {
    setUp: async (actor) => {
      await setUp(send, receive, send)(actor)
      const second = 'msg_0000be12'
      const path = placeIn('inbox', second)
      const text = (await fileAt(actor, path))!.text.replace(second, dueId)
      await actor.outside.remove(path)
      await actor.outside.write(placeIn('inbox', dueId), text)
    },
    stories: {
      ...meanwhile,
      receive: common.receive,
      recover: story(recover),
      ack: story(ack),
      'recover, receive': inTurn(recover, (a) => a.receive(reader)),
    },
    closely: ['receive/recover, receive'],
  },
}
