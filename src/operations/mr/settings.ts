/** From what a workspace is set to, to what Message Routing and its guards ask for. */
import type { Thresholds } from '../../protocols/message-routing/metrics/alerts.ts'
import type { SecuritySettings } from '../../protocols/message-routing/security/guards.ts'
import { defaultSettings, type MrSettings } from '../../protocols/message-routing/settings.ts'
import type { Configuration } from '../workspace/configuration.ts'

export function mrSettings({ sections }: Configuration): MrSettings {
  const { root, inboxLimit, keepFor, keepBytes } = sections.mr
  return { ...defaultSettings, root: mrRoot(root), inboxLimit, keepMs: keepFor, keepBytes }
}

/** People write `./state/agents/`. */
export const mrRoot = (written: string): string => written.replace(/^\.\//, '').replace(/\/$/, '')

export function securitySettings({ sections }: Configuration): SecuritySettings {
  const { signing, encryption, messagesPerMinute, replayWindow } = sections.mr
  return { signing, encryption, messagesPerMinute, replayWindowMs: replayWindow }
}

/** Whether anything stands between a message and its file; if not, none of it is loaded. */
export const isGuarded = ({ signing, encryption, messagesPerMinute }: SecuritySettings): boolean =>
  signing !== 'off' || encryption || messagesPerMinute > 0

export function thresholdsOf({ sections }: Configuration): Thresholds {
  const { alertWriteMs, alertReadMs, alertDepth } = sections.mr
  return { message_write_latency_ms: alertWriteMs, message_read_latency_ms: alertReadMs, inbox_depth: alertDepth }
}
