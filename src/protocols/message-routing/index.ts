/** Message Routing: an inbox of JSON messages for each agent, delivered at most once. */
import { treePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import { defaultSettings, type MrSettings } from './settings.ts'
import { Routing } from './store/routing.ts'

export const messageRouting: Protocol<MrSettings, Routing> = {
  name: 'mr',
  title: 'Message Routing',
  capabilities: ['send', 'claim', 'wait', 'broadcast'],
  folders: [defaultSettings.root],
  defaults: defaultSettings,
  open: ({ tree, clock, settings }) => new Routing({ tree, clock, settings, root: treePath(settings.root), hooks: {} }),
}
