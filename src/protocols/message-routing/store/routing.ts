/** Message Routing in one workspace: what `openWorkspace(…).mr` offers. */
import { invalidInput } from '../../../kernel/errors.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Surroundings } from '../../contract.ts'
import { payloadFrom } from '../draft.ts'
import type { Hooks } from '../hooks.ts'
import { validateFile } from '../judge.ts'
import { agentId, messageId } from '../layout.ts'
import type { Alert } from '../metrics/alerts.ts'
import { Measuring } from '../metrics/measuring.ts'
import type { MrMetrics } from '../metrics/metrics.ts'
import type { MrPorts } from '../ports.ts'
import type { Payload } from '../schema.ts'
import type { KeyRing } from '../security/keys.ts'
import { isGuarded, type Protection, protect } from '../security/protection.ts'
import type { MrSettings } from '../settings.ts'
import { Acks } from './acks.ts'
import { Agents } from './agents.ts'
import { Delivery } from './delivery.ts'
import { KeptMessages } from './kept.ts'
import { countEvictions } from './logs.ts'
import type { MrNeutral } from './neutral.ts'
import type {
  Acknowledged,
  AgentStatus,
  Initialised,
  Kept,
  MrBroadcast,
  MrReceived,
  MrSendInput,
  MrSent,
  MrView,
  ReceiveOptions,
  Recovered,
  RecoverOptions,
  Replied,
  RoutingStatus,
  Unacknowledged,
  Validated,
} from './outcomes.ts'
import { statusOf, statusOfAll } from './overview.ts'
import type { RoutingParts } from './parts.ts'
import { Foreign } from './reading.ts'
import { Receiving } from './receive.ts'
import { ReceivedNumbers } from './received.ts'
import { Remarks } from './remarks.ts'
import { Scanner } from './scan.ts'
import { Sending } from './send.ts'

/** How it is opened. Without ports there are no keys; everything that needs none works. */
export interface Opening extends Surroundings<MrSettings>, Partial<MrPorts> {
  /** In place of those that the settings ask for, one by one. */
  readonly hooks?: Hooks
}

export class Routing {
  readonly #parts: RoutingParts
  readonly #ports: Partial<MrPorts>
  readonly #protection: Protection
  readonly #measuring: Measuring
  readonly #agents: Agents
  readonly #sending: Sending
  readonly #receiving: Receiving
  readonly #acks: Acks
  readonly #kept: KeptMessages
  readonly #scanner: Scanner

  constructor({ tree, clock, settings, hooks, ...ports }: Opening) {
    this.#ports = ports
    this.#protection = protect({ tree, clock, settings, ...ports })
    this.#measuring = new Measuring({ tree, clock, settings })
    const { observe } = this.#measuring
    const parts: RoutingParts = {
      tree,
      clock,
      settings,
      root: treePath(settings.root),
      hooks: { observe, ...this.#protection.hooks, ...hooks },
      foreign: new Foreign(),
      remarks: new Remarks(tree),
    }
    this.#parts = parts
    const delivery = new Delivery(parts)
    const scanner = new Scanner(parts, delivery.evictions)
    this.#scanner = scanner
    const numbers = new ReceivedNumbers(parts)
    this.#agents = new Agents(parts, numbers)
    this.#sending = new Sending(parts, this.#agents, delivery)
    this.#receiving = new Receiving(parts, scanner, numbers)
    this.#acks = new Acks(parts, delivery, scanner)
    this.#kept = new KeptMessages(parts, delivery, numbers)
  }

  async neutral(): Promise<MrNeutral> {
    return new (await import('./neutral.ts')).MrNeutral(this, this.#parts, this.#agents)
  }

  /** Makes the folders of an agent. With `reset` its numbers begin at 1 again; messages stay where they are. */
  init(agent: string, options?: { readonly reset?: boolean }): Promise<Initialised> {
    return this.#agents.init(agent, options)
  }

  /** Puts a message into the recipient's inbox, and the oldest out of it where it is full. */
  send(input: MrSendInput): Promise<MrSent> {
    return this.#sending.send(input)
  }

  /** One message to every known agent but the sender, each with its own number and id. */
  broadcast(input: Omit<MrSendInput, 'to'>): Promise<MrBroadcast> {
    return this.#sending.broadcast(input)
  }

  /** Takes what waits, or looks at it. Each message goes to one reader, once. */
  async receive(agent: string, options?: ReceiveOptions): Promise<MrReceived> {
    if (options?.limit !== undefined && !(Number.isInteger(options.limit) && options.limit > 0)) {
      throw invalidInput('INVALID_LIMIT', `The limit must be a whole number above 0; it is ${options.limit}.`, {
        hint: 'Leave it out to receive everything.',
      })
    }
    return this.#receiving.receive(agentId(agent), options)
  }

  /**
   * Puts back what `receive` or `awaitReply` has given, because it did not reach its reader. Answers the paths of what could
   * not be put back, and is still in `taken/`.
   */
  putBack(agent: string, messages: readonly Pick<MrView, 'path' | 'state'>[]): Promise<readonly string[]> {
    return this.#kept.putBack(agentId(agent), messages)
  }

  /** Takes the first message whose `correlation_id` is `id`, and leaves the others where they are. */
  async awaitReply(
    agent: string,
    id: string,
    options?: { readonly waitMs?: number; readonly compat?: boolean; readonly signal?: AbortSignal },
  ): Promise<Replied> {
    return this.#receiving.awaitReply(agentId(agent), messageId(id), options)
  }

  /** Tells the sender of a message that it arrived: exactly once, whoever asks how often. */
  async ack(agent: string, id: string, options?: { readonly text?: string }): Promise<Acknowledged> {
    return this.#acks.ack(agentId(agent), id, options)
  }

  async unacked(agent: string): Promise<readonly Unacknowledged[]> {
    return this.#acks.unacked(agentId(agent))
  }

  /** Judges the bytes of one file. With `agent` or `fileName`, also whether it may lie there. */
  validate(bytes: Uint8Array, where: { readonly agent?: string; readonly fileName?: string } = {}): Validated {
    return validateFile(bytes, { ...where, size: bytes.length, largestMessage: this.#parts.settings.largestMessage })
  }

  /** The payload that somebody typed; throws BAD_PAYLOAD for what is no JSON object. */
  payloadFrom(text: string): Payload {
    return payloadFrom(text)
  }

  async agents(): Promise<readonly string[]> {
    return (await this.#agents.known()).names
  }

  status(): Promise<RoutingStatus> {
    return statusOfAll(this.#parts, this.#agents)
  }

  async statusOf(agent: string): Promise<AgentStatus> {
    return statusOf(this.#parts, agentId(agent))
  }

  async taken(agent: string): Promise<readonly Kept[]> {
    return this.#kept.list(agentId(agent), 'taken')
  }

  async evicted(agent: string): Promise<readonly Kept[]> {
    return this.#kept.list(agentId(agent), 'evicted')
  }

  async rejected(agent: string): Promise<readonly Kept[]> {
    return this.#kept.list(agentId(agent), 'rejected')
  }

  /**
   * Moves a message back into the inbox, from `taken/`, else `evicted/`, else `rejected/`, so that it is handed out once
   * more.
   */
  async recover(agent: string, id: string, options?: RecoverOptions): Promise<Recovered> {
    return this.#kept.recover(agentId(agent), id, options)
  }

  /** What `doctor` should know; with `repair`, what can be put right is. */
  async inspect({ repair = false, isSeen }: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { keysFolder, outside, workspace } = this.#ports
    const { Inspection } = await import('./inspect.ts')
    const findings = await new Inspection(this.#parts, this.#agents, this.#scanner).inspect(repair, isSeen)
    if (!keysFolder || !outside || workspace === undefined) return findings
    const { inspectKeys } = await import('../security/inspect.ts')
    return [...findings, ...(await inspectKeys({ keysFolder, outside, workspace }, this.#parts.settings.keys))]
  }

  /** The agent that may have been meant, when nobody has this name yet. */
  meant(agent: string, elsewhere: AsyncIterable<string>): Promise<string | undefined> {
    return this.#agents.meant(agent, elsewhere)
  }

  /** A sentence for whoever looks into an inbox that is not there; none when it is. */
  noticesAboutReader(agent: string): Promise<readonly string[]> {
    return this.#agents.noticesAboutReader(agent)
  }

  /** Throws NO_SUCH_AGENT when nobody has this name. */
  expectAgent(agent: string): Promise<void> {
    return this.#agents.expect(agent)
  }

  /** Latencies, depths and evictions of all processes of this workspace, and what is wrong now. */
  async metrics(): Promise<MrMetrics> {
    const { names } = await this.#agents.known()
    let evictions = 0
    for (const agent of names) evictions += await countEvictions(this.#parts, agent)
    return this.#measuring.report(depthsOf((await this.status()).agents), evictions)
  }

  /** The alerts that were raised since somebody last asked. */
  takeAlerts(): readonly Alert[] {
    return this.#measuring.takeAlerts()
  }

  /** Those of these alerts that people have been told while it lasts: their sentences. */
  async toldBefore(alerts: readonly Alert[], after: 'sending' | 'receiving'): Promise<readonly string[]> {
    const { remarks } = this.#parts
    const told: string[] = []
    for (const alert of alerts) {
      if (!(await remarks.isNewAlert(alert, after === 'sending'))) told.push(alert.message)
    }
    return told
  }

  /** What is wrong now with these agents, and with how long writing and reading took lately. */
  standingAlerts(agents: readonly AgentStatus[]): Promise<readonly Alert[]> {
    return this.#measuring.standingAlerts(depthsOf(agents))
  }

  /** Who can sign and who is trusted. Used once `mr.signing` or `mr.encryption` is configured. */
  keys(): Promise<KeyRing> {
    return this.#protection.keys()
  }

  /** Whether messages are judged by time: what counts as a copy, and who sends too fast. */
  get isGuarded(): boolean {
    return isGuarded(this.#parts.settings.security)
  }

  /** Writes down what was measured, and lets go of the keys. */
  async close(): Promise<void> {
    await this.#measuring.close()
    await this.#protection.close()
  }
}

const depthsOf = (agents: readonly AgentStatus[]) => new Map(agents.map(({ agent, depth }) => [agent, depth]))
