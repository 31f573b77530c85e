/** Message Routing in one workspace: what `openWorkspace(…).mr` offers. */
import { treePath } from '../../../kernel/tree-path.ts'
import { findingsOf } from '../../../messaging/inspection/expected.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Neutral, Surroundings } from '../../contract.ts'
import type { Hooks } from '../hooks.ts'
import { validateFile } from '../judge.ts'
import { Measuring } from '../metrics/measuring.ts'
import type { MrPorts } from '../ports.ts'
import type { KeyRing } from '../security/keys.ts'
import { isGuarded, type Protection, protect } from '../security/protection.ts'
import type { MrSettings } from '../settings.ts'
import { Agents } from './agents.ts'
import { Claiming } from './claiming.ts'
import { Delivery } from './delivery.ts'
import { Inbox } from './inbox.ts'
import type { Validated } from './outcomes.ts'
import { Overview } from './overview.ts'
import type { RoutingParts, StoreParts } from './parts.ts'
import { Foreign } from './reading.ts'
import { Recovering } from './recovering.ts'
import { Sending } from './sending.ts'
import { Settling } from './settling.ts'
import { ToldNotices } from './told-notices.ts'

/** Without ports there are no keys, and only what needs none works. */
export interface Opening extends Surroundings<MrSettings>, Partial<MrPorts> {
  /** Each of these replaces the one that the settings ask for. */
  readonly hooks?: Hooks
}

export class Routing {
  readonly agents: Agents
  readonly sending: Sending
  readonly claiming: Claiming
  /** Acknowledgements. */
  readonly settling: Settling
  /** Messages that left an inbox. */
  readonly recovering: Recovering
  readonly overview: Overview
  readonly measuring: Measuring
  readonly notices: ToldNotices
  readonly #parts: StoreParts
  readonly #ports: Partial<MrPorts>
  readonly #protection: Protection

  constructor({ tree, clock, settings, hooks, ...ports }: Opening) {
    this.#ports = ports
    this.#protection = protect({ tree, clock, settings, ...ports })
    this.measuring = new Measuring({ tree, clock, settings })
    this.notices = new ToldNotices(tree)
    const { observe } = this.measuring
    const parts: RoutingParts = {
      tree,
      clock,
      settings,
      root: treePath(settings.root),
      hooks: { observe, ...this.#protection.hooks, ...hooks },
      foreign: new Foreign(),
      notices: this.notices,
    }
    const delivery = new Delivery(parts)
    this.agents = new Agents(parts)
    this.#parts = { ...parts, agents: this.agents, delivery, inbox: new Inbox(parts, delivery.evictions) }
    this.sending = new Sending(this.#parts)
    this.recovering = new Recovering(parts, delivery.evictions)
    this.claiming = new Claiming(this.#parts, this.recovering)
    this.settling = new Settling(this.#parts)
    this.overview = new Overview(this.#parts, this.measuring)
  }

  async neutral(): Promise<Neutral> {
    return (await import('./neutral.ts')).mrNeutral(this, this.#parts)
  }

  /** Judges the bytes of one file. With `agent`, also its recipient; with `fileName`, also its name. */
  validate(bytes: Uint8Array, where: { readonly agent?: string; readonly fileName?: string } = {}): Validated {
    return validateFile(bytes, { ...where, size: bytes.length })
  }

  /** What `doctor` should know; with `repair`, what can be repaired is. */
  async inspect({ repair = false, isSeen }: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { keysFolder, outside, workspace } = this.#ports
    const { inspect } = await import('./inspect.ts')
    const findings = await inspect(this.#parts, repair, isSeen)
    if (!keysFolder || !outside || workspace === undefined) return findings
    const { inspectKeys } = await import('../security/inspect.ts')
    const look = () => inspectKeys({ keysFolder, outside, workspace }, this.#parts.settings.keys)
    return [...findings, ...(await findingsOf(workspace, look))]
  }

  /** The key ring. Used once `mr.signing` or `mr.encryption` is configured. */
  get keys(): () => Promise<KeyRing> {
    return this.#protection.keys
  }

  /** Whether messages are judged by time: copies, and senders that are too fast. */
  get isGuarded(): boolean {
    return isGuarded(this.#parts.settings.security)
  }

  /** Writes the measurements, and closes the key ring. */
  async close(): Promise<void> {
    await this.measuring.close()
    await this.#protection.close()
  }
}
