/** AC-MQ: missions with queues of Markdown messages. */
import { treePath } from '../../kernel/tree-path.ts'
import type { Protocol } from '../contract.ts'
import { type AcmqSettings, defaultSettings } from './settings.ts'
import { Missions } from './store/missions.ts'

export const acmq: Protocol<AcmqSettings, Missions> = {
  name: 'acmq',
  title: 'AC-MQ',
  capabilities: ['send', 'claim', 'renew', 'complete', 'fail', 'retry', 'archive', 'wait', 'broadcast'],
  folders: [defaultSettings.root],
  defaults: defaultSettings,
  open: ({ tree, clock, settings }) => new Missions({ tree, clock, settings, root: treePath(settings.root) }),
}
