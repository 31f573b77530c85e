/**
 * The measurements of this process, and reports of those of all processes. They are added up in memory; a line is written every
 * second or hundred measurements, and when the process ends. A killed process loses what it has not written; evictions are counted
 * from their log instead.
 */
import type { Clock } from '../../../kernel/clock.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { Metric } from '../hooks.ts'
import type { MrSettings } from '../settings.ts'
import { type Alert, alertFor, type Measured, standingAlerts } from './alerts.ts'
import { MetricsJournal } from './journal.ts'
import type { MrMetrics } from './metrics.ts'
import { addLatency, emptySnapshot, isLatency, mergeSnapshots } from './snapshot.ts'

/** More alerts are forgotten, the oldest first: a program may never ask for them. */
const mostAlerts = 100
const writeEveryMs = 1000
const writeEvery = 100

/** Messages in each inbox. */
type Depths = Measured['depths']

interface Parts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: Pick<MrSettings, 'thresholds'>
}

export class Measuring {
  readonly #parts: Parts
  readonly #journal: MetricsJournal
  #alerts: Alert[] = []
  #unwritten = emptySnapshot
  #count = 0
  #writtenAt: number
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#journal = new MetricsJournal(parts.tree)
    this.#writtenAt = parts.clock.now()
  }

  observe = (metric: Metric, value: number, agent: string): void => {
    const { clock, settings } = this.#parts
    const alert = alertFor(metric, value, agent, settings.thresholds)
    if (alert) this.#alerts = [...this.#alerts, alert].slice(-mostAlerts)
    if (!isLatency(metric)) return
    const now = clock.now()
    this.#unwritten = addLatency(this.#unwritten, metric, value, now, settings.thresholds)
    this.#count++
    if (this.#count >= writeEvery || Math.abs(now - this.#writtenAt) >= writeEveryMs) void this.close()
  }

  /** The alerts since the last call. */
  takeAlerts(): readonly Alert[] {
    const taken = this.#alerts
    this.#alerts = []
    return taken
  }

  /** What is wrong now: slow steps of the last minutes, and inboxes that are nearly full. */
  async standingAlerts(depths: Depths): Promise<readonly Alert[]> {
    const { tree, settings } = this.#parts
    return standingAlerts({ latencies: await this.#journal.read(), depths }, await tree.now(), settings.thresholds)
  }

  async report(depths: Depths, evictions: number): Promise<MrMetrics> {
    await this.close()
    const { reportOf } = await import('./metrics.ts')
    return reportOf({ latencies: await this.#journal.read(), depths, evictions }, await this.standingAlerts(depths))
  }

  /** Writes down what was measured. */
  close(): Promise<void> {
    this.#writtenAt = this.#parts.clock.now()
    this.#writing = this.#writing.then(() => this.#writeLine())
    return this.#writing
  }

  /** If writing fails, the measurements are kept for the next line: no message fails because of them. */
  async #writeLine(): Promise<void> {
    if (this.#count === 0) return
    const [snapshot, count] = [this.#unwritten, this.#count]
    this.#unwritten = emptySnapshot
    this.#count = 0
    try {
      await this.#journal.append(snapshot, this.#parts.clock.now())
    } catch {
      this.#unwritten = mergeSnapshots(this.#unwritten, snapshot)
      this.#count += count
    }
  }
}
