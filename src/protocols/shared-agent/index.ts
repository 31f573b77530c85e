/** The Shared Agent Protocol: sessions in which agents and people speak in short commands. */
import type { Protocol } from '../contract.ts'
import { rolesPath, sessionsFolder } from './layout.ts'
import type { SessionPorts } from './ports.ts'
import { defaultSettings, type SessionSettings, section, settingsFrom } from './settings.ts'
import type { Sessions } from './store/sessions.ts'

export type { CommandSpec } from './commands/spec.ts'
export type { LanguageModel } from './language/model.ts'
export type { RolesFile, SessionPorts } from './ports.ts'
export type * from './store/outcomes.ts'
export type { Sessions } from './store/sessions.ts'

/** Where a session is kept. */
export const sessionFolder = (session: string): string => `${sessionsFolder}/${session}`

export const sharedAgent: Protocol<'session', typeof section, SessionSettings, Sessions, Partial<SessionPorts>> & {
  readonly library: 'sessions'
} = {
  name: 'session',
  library: 'sessions',
  title: 'Shared Agent Protocol',
  summary: 'Shared Agent Protocol: sessions in which agents and people speak in short commands.',
  section,
  traces: [sessionsFolder, rolesPath],
  defaults: defaultSettings,
  settingsFrom,
  // Sessions lie in the workspace's own folder, which is kept apart from messages for all protocols alike.
  folders: () => [],
  looseLeaves: async (tree, settings) => (await import('./store/context.ts')).contextFiles(tree, settings),
  open: async (surroundings) => new (await import('./store/sessions.ts')).Sessions(surroundings),
  chapter: async () => (await import('./chapter.ts')).sessions,
}
