/** AC-MQ: missions with queues of Markdown messages. */
import { treePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import { type AcmqSettings, defaultSettings, section, settingsFrom } from './settings.ts'
import type { Missions } from './store/missions.ts'

export const acmq: Protocol<'acmq', typeof section, AcmqSettings, Missions> = {
  name: 'acmq',
  title: 'AC-MQ',
  summary: 'AC-MQ: missions with queues of Markdown messages, dependencies and claims.',
  section,
  marks: [[defaultSettings.root]],
  defaults: defaultSettings,
  settingsFrom,
  folders: ({ root }) => [treePath(root)],
  async open({ tree, clock, settings }) {
    const { Missions } = await import('./store/missions.ts')
    return new Missions({ tree, clock, settings, root: treePath(settings.root) })
  },
  chapter: async () => (await import('./chapter.ts')).mission,
}
