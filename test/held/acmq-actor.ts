/** Somebody who works on one mission of AC-MQ (agent, supervisor, person or stranger), and the answers they got. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import { Missions } from '../../src/protocols/ac-mq/store/missions.ts'
import type { SendInput } from '../../src/protocols/ac-mq/store/sending.ts'
import type { AcmqView } from '../../src/protocols/ac-mq/store/view.ts'
import { fileOf, headerOf, missionFolder, unmetIn } from './acmq-files.ts'
import type { Actor, Answer, Company } from './story.ts'
import { tell } from './tell.ts'

export const messageId = 'm1'

type Told = Record<string, unknown>

export class AcmqActor implements Actor {
  readonly answers: Answer[] = []
  readonly #company: Company
  readonly #missions: Missions
  #opened: Promise<Mission> | undefined
  /** What it claimed last, as a worker remembers it. */
  #claimed: AcmqView | undefined

  constructor(company: Company) {
    const { tree, clock } = company
    this.#company = company
    this.#missions = new Missions({
      tree,
      clock,
      settings: { ...acmq.defaults, largestBody: 200, clusterSize: 2 },
      root: treePath(acmq.defaults.root),
    })
  }

  get outside() {
    return this.#company.outside
  }

  create = () => this.#missions.create('alpha', { objective: 'Hold it' })

  send = (more: Partial<SendInput> = {}) =>
    this.#tell('send', { id: more.id ?? messageId }, async (mission) => {
      const at = this.#company.clock.now()
      const input = { from: 'claude', to: 'gemini', body: 'Please do it.\n', id: messageId, ...more }
      const { outcome, message } = await mission.sending.send({ timestamp: new Date(at).toISOString(), ...input })
      return { outcome, name: message.name }
    })

  /** Claims the best message, or the one with this id, and reads its file at once. */
  claim = (agent = 'gemini', id?: string) =>
    this.#tell('claim', { agent, byId: id !== undefined }, async (mission) => {
      const claimed = await mission.claims.next({ agent, ...(id === undefined ? {} : { id }) })
      if (claimed.outcome !== 'claimed') return { outcome: claimed.outcome }
      const { message } = claimed
      this.#claimed = message
      const files = await this.outside.files()
      const now = files.find(({ path }) => path === message.path)
      const inFile = now && headerOf(now.text)
      const unmet = unmetIn(files, [...message.dependencies, ...(inFile?.dependencies ?? [])])
      const kept = message.dependencies.find((one) => one.startsWith('path:context/'))?.slice(5)
      const keptBody = kept === undefined ? undefined : files.find(({ path }) => path === `${missionFolder}/${kept}`)
      return {
        outcome: 'claimed',
        id: message.id,
        attempt: message.attempt,
        body: message.body,
        inFile,
        ...(unmet.length > 0 ? { unmet } : {}),
        ...(keptBody === undefined ? {} : { keptBody: keptBody.text }),
      }
    })

  renew = (attempt = 1) =>
    this.#tell('renew', { id: messageId, attempt }, (mission) =>
      mission.settling.renew(this.#ref, { agent: 'gemini', attempt }),
    )

  complete = (attempt = 1, text = `Result of attempt ${attempt}`) =>
    this.#tell('complete', { id: messageId, attempt, text }, (mission) =>
      mission.settling.complete(this.#ref, { agent: 'gemini', attempt }, { text }),
    )

  /** Completes without a result, so that only the status changes. */
  completeBarely = (attempt = 1) =>
    this.#tell('complete', { id: messageId, attempt }, (mission) =>
      mission.settling.complete(this.#ref, { agent: 'gemini', attempt }),
    )

  fail = (attempt = 1, reason = `Failure of attempt ${attempt}`) =>
    this.#tell('fail', { id: messageId, attempt, text: reason }, (mission) =>
      mission.settling.fail(this.#ref, { agent: 'gemini', attempt }, { reason }),
    )

  get #ref() {
    return this.#claimed ?? messageId
  }

  retry = () =>
    this.#tell('retry', { id: messageId }, async (mission) => {
      const { outcome, message } = await mission.settling.retry(messageId)
      return { outcome, attempt: message.attempt }
    })

  supervise = () =>
    this.#tell('supervise', {}, async (mission) => {
      const { outcome, stalled } = await (await mission.upkeep()).supervise()
      return { outcome, stalled: stalled.map(({ message }) => ({ id: message.id, attempt: message.attempt })) }
    })

  reconcile = () => this.#tell('reconcile', {}, async (mission) => (await mission.upkeep()).reconcile('gemini'))

  archive = () =>
    this.#tell('archive', {}, async (mission) =>
      (await mission.upkeep()).archive({ olderThanMs: 0, by: this.#company.who }),
    )

  bus = () =>
    this.#tell('bus', {}, async (mission) => {
      const { outcome, documents } = await (await mission.memory()).bus()
      return { outcome, paths: documents.map(({ path }) => path) }
    })

  organize = () =>
    this.#tell('organize', {}, async (mission) => ({ outcome: (await (await mission.memory()).organize()).outcome }))

  undoOrganize = () =>
    this.#tell('undo', {}, async (mission) => ({ outcome: (await (await mission.memory()).undoOrganize()).outcome }))

  merge = () =>
    this.#tell('merge', {}, async (mission) => {
      const { snapshots, archived } = await (await mission.memory()).merge({ by: this.#company.who })
      return { outcome: snapshots.length + archived > 0 ? 'merged' : 'nothing', archived }
    })

  snapshot = (queue: 'pending' | 'completed' = 'completed') =>
    this.#tell('snapshot', {}, async (mission) => {
      const [taken] = await (await mission.memory()).snapshot([queue])
      return { outcome: 'taken', name: taken!.path.split('/').at(-1)! }
    })

  report = () =>
    this.#tell('report', {}, async (mission) => {
      const { outcome } = await (await mission.memory()).report({ mode: 'bottom-up', out: 'findings/report.md' })
      return { outcome }
    })

  pin = (file: string) =>
    this.#tell('pin', { pinned: file }, async (mission) => {
      await (await mission.memory()).pin([`context/${file}`])
      return { outcome: 'pinned' }
    })

  deny = () =>
    this.#tell('deny', { id: messageId, text: 'Rather not' }, async (mission) =>
      (await mission.approvals()).deny(messageId, 'person', 'Rather not'),
    )

  /** Approves. Every text that the message had meanwhile counts as approved. */
  approve = () =>
    this.#tell('approve', { id: messageId }, async (mission) => {
      const before = await this.#body()
      await (await mission.approvals()).approve(messageId, { by: 'person', at: '2026-01-01T00:00:00Z' })
      return { outcome: 'approved', texts: [before, await this.#body()] }
    })

  /** `doctor --fix`, of the engine and of the protocol. */
  doctor = () =>
    this.#tell('doctor', {}, async (mission) => {
      await this.#company.tree.inspect({ repair: true, within: [treePath('llm')] })
      await (await mission.inspection()).run()
      await (await mission.inspection()).run({ repair: true })
      return { outcome: 'looked' }
    })

  /** Runs what a stranger does, and records whether there was anything to do it to. */
  async stranger(verb: string, work: () => Promise<Told | undefined>): Promise<void> {
    const told = await work()
    this.answers.push({ verb, outcome: told ? 'done' : 'nothing', ...told })
  }

  async #body(): Promise<string | undefined> {
    const file = fileOf(await this.outside.files(), messageId)
    return file && headerOf(file.text)?.body
  }

  #tell(verb: string, told: Told, work: (mission: Mission) => Promise<Told | { outcome: string }>): Promise<boolean> {
    return tell(this.answers, verb, told, async () => {
      this.#opened ??= this.#missions.open('alpha')
      const answer = await work(await this.#opened)
      return { ...plain(answer), outcome: String(answer.outcome) }
    })
  }
}

/** The parts of an answer that the checks need; only these are sent to the other thread. */
const looked = ['attempt', 'name', 'body', 'inFile', 'id', 'unmet', 'keptBody', 'stalled', 'texts', 'archived']
const plain = (answer: Told | { outcome: string }): Told =>
  Object.fromEntries(Object.entries(answer).filter(([key, value]) => looked.includes(key) && value !== undefined))
