/** CIRCE: Markdown messages with intents, workspaces, task files, and questions to people. */
import { treePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import { stateFolder } from './layout.ts'
import { type CirceSettings, defaultSettings, section, settingsFrom } from './settings.ts'
import type { Circe } from './store/circe.ts'

export type { CirceEvent, EventName } from './events.ts'
export { intentRows } from './intents.ts'
export type { CirceState } from './lifecycle.ts'
export {
  isWhole as isWholeMessage,
  type MessageStatus,
  messageStatuses,
  type SettableCheck,
  settableChecks,
  type TaskStatus,
  taskStatuses,
} from './schema.ts'
export type { Circe } from './store/circe.ts'
export type * from './store/outcomes.ts'
export type { Checks } from './task.ts'

export const circe: Protocol<'circe', typeof section, CirceSettings, Circe> = {
  name: 'circe',
  title: 'CIRCE',
  summary: 'CIRCE: Markdown messages with intents, a workspace for each agent, tasks with owners and checks.',
  section,
  notes: [stateFolder],
  defaults: defaultSettings,
  settingsFrom,
  folders: ({ root }) => [treePath(root)],
  open: async (surroundings) => new (await import('./store/circe.ts')).Circe(surroundings),
  chapter: async () => (await import('./chapter.ts')).circeChapter,
}
