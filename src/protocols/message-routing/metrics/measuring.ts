/** What this process measures and, together with all others of the workspace, has measured. */
import type { Clock } from '../../../kernel/clock.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { Metric } from '../hooks.ts'
import type { MrSettings } from '../settings.ts'
import { type Alert, standingAlerts } from './alerts.ts'
import { MetricsJournal } from './journal.ts'
import type { MrMetrics } from './metrics.ts'
import { Recorder } from './recorder.ts'

/** Programs that never ask for them must not pile them up. */
const mostAlerts = 100

export type Depths = ReadonlyMap<string, number>

export class Measuring {
  readonly #tree: Tree
  readonly #settings: MrSettings
  readonly #journal: MetricsJournal
  readonly #recorder: Recorder
  #alerts: Alert[] = []

  constructor({ tree, clock, settings }: { tree: Tree; clock: Clock; settings: MrSettings }) {
    this.#tree = tree
    this.#settings = settings
    this.#journal = new MetricsJournal(tree)
    const onAlert = (alert: Alert) => {
      this.#alerts = [...this.#alerts, alert].slice(-mostAlerts)
    }
    this.#recorder = new Recorder({ journal: this.#journal, clock, thresholds: settings.thresholds, onAlert })
  }

  observe = (metric: Metric, value: number, agent: string): void => this.#recorder.observe(metric, value, agent)

  /** The alerts that were raised since somebody last asked. */
  takeAlerts(): readonly Alert[] {
    const taken = this.#alerts
    this.#alerts = []
    return taken
  }

  /** What is wrong now: slow steps of the last minutes, and inboxes that are nearly full. */
  async standingAlerts(depths: Depths): Promise<readonly Alert[]> {
    const latencies = await this.#journal.read()
    return standingAlerts({ latencies, depths }, await this.#tree.now(), this.#settings.thresholds)
  }

  async report(depths: Depths, evictions: number): Promise<MrMetrics> {
    await this.close()
    const { reportOf } = await import('./metrics.ts')
    const latencies = await this.#journal.read()
    const alerts = standingAlerts({ latencies, depths }, await this.#tree.now(), this.#settings.thresholds)
    return reportOf({ latencies, depths, evictions }, alerts)
  }

  /** Writes down what was measured. */
  close = (): Promise<void> => this.#recorder.close()
}
