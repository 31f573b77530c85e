/** Somebody who speaks in a session, and the answers they got. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { actForOthers } from '../../src/messaging/agents/directory.ts'
import { carryIn } from '../../src/operations/session/bridging.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import { defaultSettings } from '../../src/protocols/shared-agent/settings.ts'
import { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { busOf } from '../support/bus.ts'
import type { Actor, Answer, Company, Who } from './story.ts'
import { tell } from './tell.ts'

export const session = 's'
/** Who speaks, by who acts. */
export const agentOf: Readonly<Record<Who, string>> = {
  before: 'Before',
  first: 'First',
  second: 'Second',
  third: 'Third',
}
export const reader = 'Reader'
/** Behind a message that was given before. */
export const again = ' again'
/** It is at home in another protocol, to which the bridge carries its tasks. */
export const carried = 'Carried'

export class SessionActor implements Actor {
  readonly answers: Answer[] = []
  readonly outside: Company['outside']
  readonly agent: string
  readonly #company: Company
  readonly #sessions: Sessions
  readonly #routing: Routing

  constructor(company: Company) {
    const { tree, clock } = company
    this.#company = company
    this.outside = company.outside
    this.agent = agentOf[company.who]
    this.#routing = new Routing({ tree, clock, settings: messageRouting.defaults })
    const opening = {
      clock,
      // A reader that is held is not waited for long.
      settings: { ...defaultSettings, handingMs: 5 },
      readRoles: async () => ({ path: 'session.yaml', text: `roles:\n  ${carried}:\n    via: mr\n    to: coder-1\n` }),
    }
    const own = forOthers(tree)
    const mr = new Routing({ tree: own, clock, settings: messageRouting.defaults })
    const carrying = new Sessions({ ...opening, tree: own })
    const bus = busOf(own, { mr: () => mr.neutral(), session: () => carrying.neutral() })
    this.#sessions = new Sessions({ ...opening, tree, carry: (...wanted) => carryIn(bus, ...wanted) })
  }

  say = (line: string, agent = this.agent) =>
    this.#tell('say', { line, agent }, async () => ({
      outcome: (await this.#sessions.say(line, { session, agent })).answer,
    }))

  read = () =>
    this.#tell('read', {}, async () => {
      const messages = await this.#sessions.inbox(reader, { session, untilHandedOut: true })
      // Written out here, whatever becomes of the next step.
      const texts = messages.map(({ text, redelivered }) => (redelivered ? `${text}${again}` : text))
      await this.#sessions.handedOut(reader, messages, session)
      return { outcome: messages.length > 0 ? 'read' : 'nothing', texts }
    })

  take = () =>
    this.#tell('take', {}, async () => {
      const taken = await (await this.#sessions.neutral()).take!(reader, { place: session })
      return taken.outcome === 'taken'
        ? { outcome: 'taken', id: taken.receipt.id, attempt: taken.receipt.attempt }
        : taken
    })

  /** The same as `read`, one message at a time. */
  hear = () =>
    this.#tell('hear', {}, async () => {
      const neutral = await this.#sessions.neutral()
      const taken = await neutral.take!(reader, { place: session })
      if (taken.outcome !== 'taken') return { outcome: 'nothing' }
      const text = await taken.message.text()
      await neutral.done!(taken.receipt)
      return { outcome: 'heard', texts: [taken.receipt.attempt === 1 ? text : `${text}${again}`] }
    })

  /** Hands over what waits, and writes down what was answered. */
  work = () =>
    this.#tell('work', {}, async () => {
      const done = await this.#sessions.work({ session })
      return { outcome: done.length > 0 ? 'worked' : 'nothing', tasks: done.map(({ task }) => task) }
    })

  /** What the agent of the other protocol does with the first message that it finds. */
  reply = () =>
    this.#tell('reply', {}, async () => {
      const [message] = (await this.#routing.claiming.receive('coder-1', { limit: 1 })).messages
      if (!message) return { outcome: 'nothing' }
      const about = { from: 'coder-1', to: message.from, replyTo: message.id } as const
      await this.#routing.sending.send({ ...about, type: 'result', payload: { status: 'success' } })
      return { outcome: 'replied' }
    })

  end = () => this.#tell('end', {}, async () => ({ outcome: (await this.#sessions.end(session)).outcome }))

  doctor = () =>
    this.#tell('doctor', {}, async () => {
      await this.#company.tree.inspect({ repair: true, within: [treePath('.signalbox/state')] })
      await this.#sessions.inspect({ repair: true })
      return { outcome: 'looked' }
    })

  #tell(verb: string, details: Record<string, unknown>, work: () => Promise<{ outcome: string }>): Promise<boolean> {
    return tell(this.answers, verb, details, work as () => Promise<Answer>)
  }
}

/** The same tree, on which nobody is seen for what the bridge does in its name. */
function forOthers(tree: Tree): Tree {
  const own = new Proxy(tree, {
    get(target, key: keyof Tree) {
      const found = target[key]
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  actForOthers(own)
  return own
}
