/** Message Routing in one workspace: what `openWorkspace(…).mr` offers. */
import { invalidInput } from '../../../kernel/errors.ts'
import type { Finding } from '../../../tree/tree.ts'
import { parseMessage, payloadIssues } from '../format.ts'
import type { Issue } from '../issue.ts'
import { judgeFile } from '../judge.ts'
import { agentId, messageId } from '../layout.ts'
import { Acks } from './acks.ts'
import { Agents } from './agents.ts'
import { Delivery } from './delivery.ts'
import type { RoutingFace } from './face.ts'
import { Inspection } from './inspect.ts'
import { KeptMessages } from './kept.ts'
import type {
  Acknowledged,
  AgentStatus,
  Initialised,
  Kept,
  MrBroadcast,
  MrReceived,
  MrSendInput,
  MrSent,
  ReceiveOptions,
  Recovered,
  Replied,
  RoutingStatus,
  Unacknowledged,
  Validated,
} from './outcomes.ts'
import { Overview } from './overview.ts'
import type { RoutingParts } from './parts.ts'
import { Receiving } from './receive.ts'
import { ReceivedNumbers } from './received.ts'
import { Scanner } from './scan.ts'
import { Sending } from './send.ts'

export type { RoutingParts } from './parts.ts'

export class Routing implements RoutingFace {
  readonly #parts: RoutingParts
  readonly #agents: Agents
  readonly #sending: Sending
  readonly #receiving: Receiving
  readonly #acks: Acks
  readonly #kept: KeptMessages
  readonly #overview: Overview
  readonly #inspection: Inspection

  constructor(parts: RoutingParts) {
    this.#parts = parts
    const delivery = new Delivery(parts)
    const scanner = new Scanner(parts, delivery.evictions)
    const numbers = new ReceivedNumbers(parts)
    this.#agents = new Agents(parts)
    this.#sending = new Sending(parts, this.#agents, delivery)
    this.#receiving = new Receiving(parts, scanner, numbers)
    this.#acks = new Acks(parts, delivery, scanner)
    this.#kept = new KeptMessages(parts, delivery, numbers)
    this.#overview = new Overview(parts, this.#agents)
    this.#inspection = new Inspection(parts, this.#agents, scanner)
  }

  init(agent: string, options?: { readonly reset?: boolean }): Promise<Initialised> {
    return this.#agents.init(agent, options)
  }

  send(input: MrSendInput): Promise<MrSent> {
    return this.#sending.send(input)
  }

  broadcast(input: Omit<MrSendInput, 'to'>): Promise<MrBroadcast> {
    return this.#sending.broadcast(input)
  }

  async receive(agent: string, options?: ReceiveOptions): Promise<MrReceived> {
    if (options?.limit !== undefined && !(Number.isInteger(options.limit) && options.limit > 0)) {
      throw invalidInput('INVALID_LIMIT', `The limit must be a whole number above 0; it is ${options.limit}.`, {
        hint: 'Leave it out to receive everything.',
      })
    }
    return this.#receiving.receive(agentId(agent), options)
  }

  async awaitReply(
    agent: string,
    id: string,
    options?: { readonly waitMs?: number; readonly compat?: boolean; readonly signal?: AbortSignal },
  ): Promise<Replied> {
    return this.#receiving.awaitReply(agentId(agent), messageId(id), options)
  }

  async ack(agent: string, id: string, options?: { readonly text?: string }): Promise<Acknowledged> {
    return this.#acks.ack(agentId(agent), messageId(id), options)
  }

  async unacked(agent: string): Promise<readonly Unacknowledged[]> {
    return this.#acks.unacked(agentId(agent))
  }

  validate(bytes: Uint8Array, where: { readonly agent?: string; readonly fileName?: string } = {}): Validated {
    const { largestMessage } = this.#parts.settings
    const parsed = parseMessage(bytes)
    const judged = judgeFile(bytes, { ...where, size: bytes.length, largestMessage })
    const size = bytes.length
    if (judged.outcome === 'message') {
      const tooLarge = size > largestMessage ? [oversize(size, largestMessage)] : []
      const found = payloadIssues(judged.message)
      const isValid = found.length === 0 && tooLarge.length === 0
      return {
        outcome: isValid ? 'valid' : 'invalid',
        issues: tooLarge,
        payloadIssues: found,
        notes: judged.notes,
        size,
      }
    }
    // Where the schema itself has nothing against it, it is the version, the name or the place.
    const issues = parsed.outcome === 'invalid' ? parsed.issues : judged.issues.map(asIssue)
    return { outcome: 'invalid', issues, payloadIssues: [], notes: [], size }
  }

  async agents(): Promise<readonly string[]> {
    return (await this.#agents.known()).names
  }

  status(): Promise<RoutingStatus> {
    return this.#overview.status()
  }

  async statusOf(agent: string): Promise<AgentStatus> {
    return this.#overview.statusOf(agentId(agent))
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

  async recover(agent: string, id: string): Promise<Recovered> {
    return this.#kept.recover(agentId(agent), id)
  }

  inspect(options: { readonly repair?: boolean } = {}): Promise<readonly Finding[]> {
    return this.#inspection.inspect(options.repair === true)
  }
}

const asIssue = (message: string): Issue => ({
  field: '',
  expected: 'a message for this place',
  found: undefined,
  message,
})

const oversize = (size: number, largest: number): Issue => ({
  field: '',
  expected: `at most ${largest} bytes`,
  found: `${size} bytes`,
  message: `The message has ${size} bytes; ${largest} is the most`,
})
