/** Somebody in a workspace of CIRCE (an agent or a person), and the answers they got. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { defaultSettings } from '../../src/protocols/circe/settings.ts'
import { Circe } from '../../src/protocols/circe/store/circe.ts'
import type { Actor, Answer, Company, Who } from './story.ts'
import { tell } from './tell.ts'

export const task = 'FEAT-1'
export const agents = ['coordinator', 'engineer', 'qa', 'scribe'] as const

/** Both of a pair act within one second, so that their messages want the same names; no two things at the same millisecond. */
const offsetOf: Readonly<Record<Who, number>> = { before: 0, first: 0, second: 400, third: 800 }
const later = 2 * 60 * 60 * 1000

export class CirceActor implements Actor {
  readonly answers: Answer[] = []
  readonly outside: Company['outside']
  /** Whom they speak for unless a story says otherwise. */
  readonly me: string
  readonly #circe: Circe
  readonly #company: Company

  constructor(company: Company) {
    const { tree, clock, who } = company
    const second = Math.floor(clock.now() / 1000) * 1000
    const start = (who === 'before' ? second : Math.floor(second / later) * later) + offsetOf[who]
    let ticks = 0
    this.#company = company
    this.outside = company.outside
    this.me = who === 'second' ? 'scribe' : 'engineer'
    const circe = { tree, clock: { now: () => start + ticks++ }, settings: { ...defaultSettings, settleMs: 0 } }
    this.#circe = new Circe(circe)
  }

  init = async () => {
    for (const agent of agents) await this.#circe.agents.init(agent)
  }

  send = (to: string, intent: string, { from = this.me, status = 'new', about = task as string | undefined } = {}) =>
    this.#tell('send', { intent, status }, async () => {
      const { outcome, message, delivered } = await this.#circe.sending.send({
        from,
        to,
        intent,
        status,
        summary: 'Words',
        ...(about === undefined ? {} : { task: about }),
      })
      return { outcome, file: message.file, delivered }
    })

  /** Under a key, whoever sends it. All of them want the same name. */
  sendOnce = (key = 'k1') =>
    this.#tell('send once', { key }, async () => {
      const input = { from: 'coordinator', to: 'qa', intent: 'question', task, summary: 'Words' }
      const { outcome, message } = await this.#circe.sending.sendOnce(input, key)
      return { outcome, file: message.file }
    })

  claim = (agent = this.me) =>
    this.#tell('claim', { agent }, async () => {
      const claimed = await this.#circe.claiming.claim(agent)
      return { outcome: claimed.outcome, ...(claimed.outcome === 'claimed' ? { file: claimed.message.file } : {}) }
    })

  start = (agent = this.me) => this.#settle('start', agent, (file) => this.#circe.settling.start(agent, file))
  ack = (agent = this.me) => this.#settle('ack', agent, (file) => this.#circe.settling.ack(agent, file))
  done = (agent = this.me) => this.#settle('done', agent, (file) => this.#circe.settling.done(agent, file))

  giveBack = (agent = this.me) => this.#settle('give back', agent, (file) => this.#circe.settling.giveBack(agent, file))

  release = (agent = 'engineer') =>
    this.#tell('release', { agent }, async () => ({ outcome: (await this.#circe.tasks.release(agent, task)).outcome }))

  status = (status: string, agent = 'engineer') =>
    this.#tell('status', { status, agent }, async () => ({
      outcome: (await this.#circe.tasks.status(task, status, agent)).outcome,
    }))

  check = (set: Readonly<Record<string, boolean>>) =>
    this.#tell('check', {}, async () => ({ outcome: (await this.#circe.tasks.check(task, 'engineer', set)).outcome }))

  answer = (text: string) =>
    this.#tell('answer', { text }, async () => {
      const files = await this.outside.files()
      const file = files.map(({ path }) => /([^/]*_escalate_[^/]*\.md)$/.exec(path)?.[1]).find(Boolean)
      const { outcome, message } = await this.#circe.people.answer(file!, { text })
      return { outcome, file: message.file }
    })

  tasks = () =>
    this.#tell('tasks', {}, async () => ({ outcome: 'told', count: (await this.#circe.overview.tasks()).length }))

  doctor = () =>
    this.#tell('doctor', {}, async () => {
      await this.#company.tree.inspect({ repair: true, within: [treePath('AI_MANAGER')] })
      await this.#circe.inspect({ repair: true })
      return { outcome: 'looked' }
    })

  async stranger(verb: string, work: () => Promise<boolean>): Promise<void> {
    this.answers.push({ verb, outcome: (await work()) ? 'done' : 'nothing' })
  }

  /** The oldest message that this agent has. */
  #settle(verb: string, agent: string, work: (file: string) => Promise<{ outcome: string }>): Promise<boolean> {
    return this.#tell(verb, { agent }, async () => {
      const own = new RegExp(`AGENTS/${agent}/(?:INBOX|WORKSPACE)/(\\d{8}_[^/]+\\.md)$`)
      const mine = (await this.outside.files()).flatMap(({ path }) => own.exec(path)?.[1] ?? []).sort()
      return mine[0] === undefined ? { outcome: 'nothing' } : { outcome: (await work(mine[0])).outcome, file: mine[0] }
    })
  }

  #tell(verb: string, details: Record<string, unknown>, work: () => Promise<{ outcome: string }>): Promise<boolean> {
    return tell(this.answers, verb, details, work as () => Promise<Answer>)
  }
}
