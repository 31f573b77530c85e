/** Message Routing in the workspace that a command works on; what was measured is written when the workspace closes. */
import { messageRouting, type Routing } from '../../protocols/message-routing/index.ts'
import { tellClock } from '../clock-agreement.ts'
import type { Context } from '../define.ts'

export async function openRouting(context: Context): Promise<Routing> {
  const routing = await context.store(messageRouting)
  if (routing.isGuarded) await tellClock(context)
  return routing
}
