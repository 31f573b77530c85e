/** What `openWorkspace(…).mr` offers. `Routing` in `routing.ts` is the one implementation. */
import type { Finding } from '../../../tree/tree.ts'
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

export interface RoutingFace {
  /** Makes the folders of an agent. With `reset` its numbers begin at 1 again; messages stay where they are. */
  init(agent: string, options?: { readonly reset?: boolean }): Promise<Initialised>
  /** Puts a message into the recipient's inbox, and the oldest out of it where it is full. */
  send(input: MrSendInput): Promise<MrSent>
  /** One message to every known agent but the sender, each with its own number and id. */
  broadcast(input: Omit<MrSendInput, 'to'>): Promise<MrBroadcast>
  /** Takes what waits, or looks at it. Each message goes to one reader, once. */
  receive(agent: string, options?: ReceiveOptions): Promise<MrReceived>
  /** Takes the first message whose `correlation_id` is `id`, and leaves the others where they are. */
  awaitReply(
    agent: string,
    id: string,
    options?: { readonly waitMs?: number; readonly compat?: boolean; readonly signal?: AbortSignal },
  ): Promise<Replied>
  /** Tells the sender of a message that it arrived: exactly once, whoever asks how often. */
  ack(agent: string, id: string, options?: { readonly text?: string }): Promise<Acknowledged>
  unacked(agent: string): Promise<readonly Unacknowledged[]>
  /** Judges the bytes of one file. With `agent` or `fileName`, also whether it may lie there. */
  validate(bytes: Uint8Array, where?: { readonly agent?: string; readonly fileName?: string }): Validated
  agents(): Promise<readonly string[]>
  status(): Promise<RoutingStatus>
  statusOf(agent: string): Promise<AgentStatus>
  taken(agent: string): Promise<readonly Kept[]>
  evicted(agent: string): Promise<readonly Kept[]>
  rejected(agent: string): Promise<readonly Kept[]>
  /** Moves a message back into the inbox, from `taken/` or else `evicted/`, so that it is handed out once more. */
  recover(agent: string, id: string): Promise<Recovered>
  /** What `doctor` should know; with `repair`, what can be put right is. */
  inspect(options?: { readonly repair?: boolean }): Promise<readonly Finding[]>
}
