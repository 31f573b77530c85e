/** Message Routing: an inbox of JSON messages for each agent, delivered at most once. */
import { treePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import { defaultSettings, type MrSettings, section, settingsFrom } from './settings.ts'
import type { Routing } from './store/routing.ts'

export const messageRouting: Protocol<'mr', typeof section, MrSettings, Routing> = {
  name: 'mr',
  title: 'Message Routing',
  summary: 'Message Routing: an inbox of JSON messages for each agent, numbered, limited and acknowledged.',
  section,
  usersOwn: ['keys'],
  marks: [[defaultSettings.root]],
  defaults: defaultSettings,
  settingsFrom,
  folders: ({ root }) => [treePath(root)],
  async open({ tree, clock, settings }) {
    const { Routing } = await import('./store/routing.ts')
    return new Routing({ tree, clock, settings, root: treePath(settings.root), hooks: {} })
  },
  chapter: async () => (await import('./chapter.ts')).routing,
}
