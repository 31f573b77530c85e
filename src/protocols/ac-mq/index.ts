/** AC-MQ: missions with queues of Markdown messages. */
import { treePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import type { AcmqPorts } from './ports.ts'
import { type AcmqSettings, defaultSettings, section, settingsFrom } from './settings.ts'
import type { Missions } from './store/missions.ts'

export type { AcmqDraft } from './draft.ts'
export type { Hydration } from './hydrate/hydrate.ts'
export type { MissionAddress } from './layout.ts'
export type { Manifest } from './manifest/manifest.ts'
export type { AcmqPorts } from './ports.ts'
export { type QueueName, queueNames, reportModes } from './schema.ts'
export type { BusDocument, BusMade, BusOptions } from './store/memory/bus.ts'
export type { Kept } from './store/memory/keeping.ts'
export type { Merged, TakenSnapshot } from './store/memory/merging.ts'
export type { Organized } from './store/memory/organize.ts'
export type { Reported, ReportOptions } from './store/memory/report.ts'
export type { FoundMessage, Searched, SearchOptions } from './store/memory/search.ts'
export type { Mission } from './store/mission.ts'
export type { Missions } from './store/missions.ts'
export type { Blocked, Claimed, Holding, MessageRef, Settled } from './store/outcomes.ts'
export type { Unreadable } from './store/overview.ts'
export type { Repair } from './store/reconcile.ts'
export type { Stalled, Swept } from './store/supervising.ts'
export type { AcmqView, AcmqViewWithBody } from './store/view.ts'

export const acmq: Protocol<'acmq', typeof section, AcmqSettings, Missions, Partial<AcmqPorts>> = {
  name: 'acmq',
  title: 'AC-MQ',
  summary: 'AC-MQ: missions with queues of Markdown messages, dependencies and claims.',
  section,
  defaults: defaultSettings,
  settingsFrom,
  folders: ({ root }) => [treePath(root)],
  async open({ tree, clock, settings, meaning, writer }) {
    const { Missions } = await import('./store/missions.ts')
    const ports = { ...(meaning ? { meaning } : {}), ...(writer ? { writer } : {}) }
    return new Missions({ tree, clock, settings, root: treePath(settings.root), ports })
  },
  chapter: async () => (await import('./chapter.ts')).mission,
}
