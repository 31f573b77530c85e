/** Message Routing: an inbox of JSON messages for each agent, delivered at most once. */
import { treePath } from '../../kernel/tree-path.ts'
import { stateOf } from '../../tree/home.ts'
import type { Protocol } from '../contract.ts'
import type { MrPorts } from './ports.ts'
import { defaultSettings, type MrSettings, section, settingsFrom } from './settings.ts'
import type { Routing } from './store/routing.ts'

export type { Alert } from './metrics/alerts.ts'
export type { Latencies, MrMetrics } from './metrics/metrics.ts'
export type { MrPorts } from './ports.ts'
export { type MessageType, type MrMessage, messageTypes, type Payload } from './schema.ts'
export type { KeyRing, KeyView } from './security/keys.ts'
export type * from './store/outcomes.ts'
export type { Routing } from './store/routing.ts'
export type { FieldProblem as Issue } from './validate.ts'

export const messageRouting: Protocol<'mr', typeof section, MrSettings, Routing, Partial<MrPorts>> = {
  name: 'mr',
  title: 'Message Routing',
  summary: 'Message Routing: an inbox of JSON messages for each agent, numbered, limited and acknowledged.',
  section,
  usersOwn: ['keys'],
  traces: [stateOf('keys')],
  defaults: defaultSettings,
  settingsFrom,
  folders: ({ root }) => [treePath(root)],
  open: async (surroundings) => new (await import('./store/routing.ts')).Routing(surroundings),
  chapter: async () => (await import('./chapter.ts')).routing,
}
