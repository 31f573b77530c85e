/**
 * Measures on the way: adds up in memory and writes a line at most every second or hundred measurements, and when the
 * process is done. Killed before that, it loses what it has not written; evictions are counted in their log instead.
 */
import type { Clock } from '../../../kernel/clock.ts'
import type { Hooks, Metric } from '../hooks.ts'
import type { Thresholds } from '../settings.ts'
import { type Alert, alertFor } from './alerts.ts'
import type { MetricsJournal } from './journal.ts'
import { addLatency, emptySnapshot, isLatency, mergeSnapshots, type Snapshot } from './snapshot.ts'

const writeEveryMs = 1000
const writeEvery = 100

export interface RecorderParts {
  readonly journal: MetricsJournal
  readonly clock: Clock
  /** The specification's unless given. */
  readonly thresholds?: Thresholds
  /** Called for each measurement above its threshold. */
  readonly onAlert?: (alert: Alert) => void
  /** Called when a line could not be written. What it held is kept for the next one; nobody's message fails for it. */
  readonly onFailure?: (error: unknown) => void
}

export class Recorder implements Required<Pick<Hooks, 'observe'>> {
  readonly #parts: RecorderParts
  #unwritten: Snapshot = emptySnapshot
  #count = 0
  #writtenAt: number
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: RecorderParts) {
    this.#parts = parts
    this.#writtenAt = parts.clock.now()
  }

  observe(metric: Metric, value: number, agent: string): void {
    const alert = alertFor(metric, value, agent, this.#parts.thresholds)
    if (alert) this.#parts.onAlert?.(alert)
    if (!isLatency(metric)) return
    const now = this.#parts.clock.now()
    this.#unwritten = addLatency(this.#unwritten, metric, value, now, this.#parts.thresholds)
    this.#count++
    if (this.#count >= writeEvery || Math.abs(now - this.#writtenAt) >= writeEveryMs) void this.#write(now)
  }

  async close(): Promise<void> {
    await this.#write(this.#parts.clock.now())
  }

  #write(now: number): Promise<void> {
    this.#writtenAt = now
    this.#writing = this.#writing.then(() => this.#writeLine())
    return this.#writing
  }

  async #writeLine(): Promise<void> {
    if (this.#count === 0) return
    const [snapshot, count] = [this.#unwritten, this.#count]
    this.#unwritten = emptySnapshot
    this.#count = 0
    try {
      await this.#parts.journal.append(snapshot, this.#parts.clock.now())
    } catch (error) {
      this.#unwritten = mergeSnapshots(this.#unwritten, snapshot)
      this.#count += count
      this.#parts.onFailure?.(error)
    }
  }
}
