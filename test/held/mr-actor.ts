/** Somebody at one inbox of Message Routing (sender, reader or person), and the answers they got. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { defaultSettings } from '../../src/protocols/message-routing/settings.ts'
import { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import type { Actor, Answer, Company, Who } from './story.ts'
import { tell } from './tell.ts'

export const [reader, sender] = ['coder-1', 'coordinator-main'] as const
export const inboxLimit = 3

/** Fixed ids, so that a failure is the same each time. None of these makes a reader prune; see `dueId`. */
const idsOf: Readonly<Record<Who, string>> = { before: '0000be', first: '0000f1', second: '00005e', third: '000073' }
/** Receiving a message with such an id deletes what has been kept for too long. */
export const dueId = 'msg_0000d000'

export class MrActor implements Actor {
  readonly answers: Answer[] = []
  readonly outside: Company['outside']
  readonly #company: Company
  readonly #routing: Routing
  #sent = 0

  constructor(company: Company) {
    // So small that pruning leaves one message in each folder.
    const settings = { ...defaultSettings, inboxLimit, keepBytes: 4096 }
    const { tree, clock } = company
    this.#company = company
    this.outside = company.outside
    this.#routing = new Routing({ tree, clock, settings, hooks: { observe() {} } })
  }

  init = async () => {
    await this.#routing.agents.init(reader)
    await this.#routing.agents.init(sender)
  }

  send = () =>
    this.#tell('send', {}, async () => {
      const id = `${idsOf[this.#company.who]}${11 + this.#sent++}`
      const input = {
        from: sender,
        to: reader,
        type: 'command',
        payload: { action: 'pause' },
        requiresAck: true,
      } as const
      const { outcome, message, evicted } = await withId(id, () => this.#routing.sending.send(input))
      return { outcome, id: message.id, sequence: message.sequence, evicted }
    })

  /** Under one key, whoever sends it. */
  sendOnce = () =>
    this.#tell('send once', {}, async () => {
      const id = `${idsOf[this.#company.who]}${11 + this.#sent++}`
      const input = {
        from: sender,
        to: reader,
        type: 'command',
        payload: { action: 'health_check' },
        requiresAck: true,
      } as const
      const { outcome, message } = await withId(id, () => this.#routing.sending.send(input, { key: 'k1' }))
      return { outcome, id: message.id }
    })

  receive = (agent: string = reader, limit?: number) =>
    this.#tell('receive', { agent }, async () => {
      const { outcome, messages, rejected } = await this.#routing.claiming.receive(
        agent,
        limit === undefined ? {} : { limit },
      )
      const files = await this.outside.files()
      const handed = messages.map(({ id, path, message }) => {
        const file = files.find((one) => one.path === path)
        return {
          id,
          text: JSON.stringify(message.payload),
          inFile: file && JSON.stringify(JSON.parse(file.text).payload),
        }
      })
      return { outcome, handed, rejected: rejected.map(({ file }) => file) }
    })

  ack = (id: string) =>
    this.#tell('ack', { id }, async () => {
      const { outcome } = await withId('0000ac11', () => this.#routing.settling.ack(reader, id))
      return { outcome }
    })

  /** What the sender still waits for. What it finds acknowledged is crossed off. */
  unacked = () =>
    this.#tell('unacked', {}, async () => {
      const missing = await this.#routing.settling.unacked(sender)
      return { outcome: 'told', missing: missing.map(({ id }) => id) }
    })

  recover = (id: string) =>
    this.#tell('recover', { id }, async () => ({
      outcome: (await this.#routing.recovering.recover(reader, id)).outcome,
    }))

  doctor = () =>
    this.#tell('doctor', {}, async () => {
      await this.#company.tree.inspect({ repair: true, within: [treePath('state')] })
      await this.#routing.inspect({ repair: true })
      return { outcome: 'looked' }
    })

  async stranger(verb: string, work: () => Promise<Record<string, unknown> | undefined>): Promise<void> {
    const told = await work()
    this.answers.push({ verb, outcome: told ? 'done' : 'nothing', ...told })
  }

  #tell(verb: string, details: Record<string, unknown>, work: () => Promise<{ outcome: string }>): Promise<boolean> {
    return tell(this.answers, verb, details, work as () => Promise<Answer>)
  }
}

/** The next message gets this id. An actor that plays meanwhile in the same thread has restored it by then. */
async function withId<T>(id: string, work: () => Promise<T>): Promise<T> {
  const before = crypto.randomUUID
  let next: string | undefined = `${id}-0000-4000-8000-000000000000`
  crypto.randomUUID = () => {
    const chosen = next ?? before.call(crypto)
    next = undefined
    return chosen as ReturnType<typeof before>
  }
  try {
    return await work()
  } finally {
    crypto.randomUUID = before
  }
}
