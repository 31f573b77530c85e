/** Dream.OS: shared mailboxes, inboxes and outboxes, plans, and a bridge to a model, all in plain files. */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import {
  coordinationPath,
  governancePath,
  promptPath,
  reportFolders,
  reportsPath,
  responsePath,
  runtimePath,
  supervisorPath,
  templatesPath,
  tempPath,
} from './layout.ts'
import type { DreamPorts } from './ports.ts'
import { type DreamSettings, defaultSettings, section, settingsFrom } from './settings.ts'
import type { Dream } from './store/dream.ts'

export type { PlainMessage } from './format.ts'
export type { DreamPorts, RenderRequest } from './ports.ts'
export type * from './schema.ts'
export type { Documented } from './store/documents.ts'
export type { Dream } from './store/dream.ts'
export type * from './store/outcomes.ts'

export const dream: Protocol<'dream', typeof section, DreamSettings, Dream, Partial<DreamPorts>> = {
  name: 'dream',
  title: 'Dream.OS',
  summary: 'Dream.OS: shared mailboxes, inboxes, plans and prompts, with a log of what was decided.',
  section,
  defaults: defaultSettings,
  settingsFrom,
  folders: ({ places }) => [
    runtimePath(places),
    coordinationPath(places),
    places.mailboxes,
    tempPath(places),
    templatesPath(places),
    ...reportFolders.map((folder) => reportsPath(places, folder)),
  ],
  leaves: ({ places }) => [governancePath(places), places.taskList],
  async isHere(tree, { places }) {
    // Many projects have `logs/` and `templates/`; only those that use Dream.OS have these.
    const own = [coordinationPath(places), places.mailboxes, governancePath(places), places.taskList]
    const bridge = [supervisorPath(places), promptPath(places), responsePath(places)]
    for (const path of [...own, ...bridge]) if (await tree.look(path)) return true
    for (const { name, kind } of await tree.list(runtimePath(places))) {
      if (kind === 'folder' && (await hasChannel(tree, childOf(runtimePath(places), name)))) return true
    }
    return false
  },
  open: async (surroundings) => new (await import('./store/dream.ts')).Dream(surroundings),
  chapter: async () => (await import('./chapter.ts')).dreaming,
}

async function hasChannel(tree: { look(path: TreePath): Promise<unknown> }, agent: TreePath): Promise<boolean> {
  for (const channel of ['inbox', 'outbox']) if (await tree.look(childOf(agent, channel))) return true
  return false
}
