/** An agent, a sender, a person or a supervisor that uses the verbs for every agent, and the answers they got. */
import { addAgent, removeAgent } from '../../src/bridge/agent-files.ts'
import { Box } from '../../src/bridge/box.ts'
import type { Bus } from '../../src/bridge/bus.ts'
import { freeTheDead } from '../../src/bridge/free-the-dead.ts'
import { GlobLocks } from '../../src/bridge/locks.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { busOn } from '../support/bus.ts'
import type { Actor, Answer, Company } from './story.ts'
import { tell } from './tell.ts'

export const reader = 'coder'
/** In the text of every message, so that its file is found without any code of the library. */
export const mark = 'Work that is marked'
/** Where the receipt of what was taken before is written down, as an agent would remember it. */
const remembered = 'receipt.txt'

export class NeutralActor implements Actor {
  readonly answers: Answer[] = []
  readonly outside: Company['outside']
  readonly #company: Company
  readonly #bus: Bus

  constructor(company: Company) {
    this.#company = company
    this.outside = company.outside
    this.#bus = busOn(company.tree, ['acmq', 'mr'], company.clock)
  }

  get #box(): Box {
    return new Box(this.#bus)
  }

  add = (facts: { readonly home?: string; readonly client?: string }) =>
    this.#tell('add', { facts }, async () => ({ outcome: (await addAgent(this.#bus, reader, facts)).outcome }))

  remove = () => this.#tell('remove', {}, async () => ({ outcome: (await removeAgent(this.#bus, reader)).outcome }))

  send = (key?: string) =>
    this.#tell('send', { key }, async () => {
      const draft = { from: 'lead', to: reader, text: mark }
      const { outcome, message } = await this.#box.send(draft, key === undefined ? {} : { key })
      return { outcome, handle: message.handle }
    })

  take = () =>
    this.#tell('take', {}, async () => {
      const taken = await this.#box.take(reader)
      if (!taken) return { outcome: 'nothing' }
      const { receipt, isGivenAgain = false } = taken
      await this.#box.shown(taken, reader, 'test')
      if (this.#company.who === 'before') await this.outside.write(remembered, receipt)
      return { outcome: isGivenAgain ? 'given again' : 'taken', receipt }
    })

  done = () => this.#end('done', (receipt) => this.#box.done(receipt, { text: 'Did it' }, reader))
  release = () => this.#end('release', (receipt) => this.#box.release(receipt, reader))
  renew = () => this.#end('renew', (receipt) => this.#box.renew(receipt, reader))

  lock = () =>
    this.#tell('lock', {}, async () => {
      await this.#box.acts(reader)
      const wish = { glob: 'src/**', owner: reader, ttlMs: 24 * 3600_000 }
      return { outcome: (await new GlobLocks(this.#company.tree).take(wish)).outcome }
    })

  note = (state: 'busy' | 'idle' | 'gone', session = 's') =>
    this.#tell('note', { state }, async () => {
      const noted = await this.#bus.directory.note(reader, { state, session })
      return { outcome: noted ? 'noted' : 'nothing' }
    })

  act = () =>
    this.#tell('act', {}, async () => {
      await this.#bus.directory.acted(reader)
      return { outcome: 'acted' }
    })

  free = () =>
    this.#tell('free', {}, async () => {
      const freed = await freeTheDead(this.#bus)
      return { outcome: freed.length > 0 ? 'freed' : 'nothing', freed: freed.map(({ what }) => what) }
    })

  doctor = () =>
    this.#tell('doctor', {}, async () => {
      await this.#company.tree.inspect({ repair: true, within: [treePath('.signalbox')] })
      return { outcome: 'looked' }
    })

  /** With the receipt of what was taken before this story, or of what this actor took last. */
  #end(verb: string, end: (receipt: string) => Promise<{ readonly outcome: string }>) {
    const own = this.answers.findLast((one) => one.verb === 'take' && one.receipt !== undefined)?.receipt
    return this.#tell(verb, {}, async () => {
      const receipt = own ?? (await this.outside.files()).find(({ path }) => path === remembered)?.text ?? 'none@1'
      return { outcome: (await end(String(receipt))).outcome, receipt }
    })
  }

  #tell(verb: string, details: Record<string, unknown>, work: () => Promise<{ outcome: string }>): Promise<boolean> {
    return tell(this.answers, verb, details, work as () => Promise<Answer>)
  }
}
