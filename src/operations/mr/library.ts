/** Message Routing as programs get it: the store's verbs, what was measured, and the keys. */
import type { KeyRing } from '../../protocols/message-routing/security/keys.ts'
import type { Routing } from '../../protocols/message-routing/store/routing.ts'
import { type AssemblyParts, assemble } from './assembly.ts'
import { type MrMetrics, readMetrics } from './measured.ts'

export interface MessageRouting extends Routing {
  /** Latencies, depths and evictions of all processes of this workspace, and what is wrong now. */
  metrics(): Promise<MrMetrics>
  /** Who can sign and who is trusted. Used once `mr.signing` or `mr.encryption` is configured. */
  keys(): Promise<KeyRing>
}

export async function openMessageRouting(
  parts: AssemblyParts,
): Promise<{ readonly mr: MessageRouting; close(): Promise<void> }> {
  const assembly = assemble(parts)
  // Programs may ask for it with any call, and there is no time to load it then.
  await assembly.prepareCompat()
  const metrics = async () => {
    await assembly.flush()
    return readMetrics(assembly)
  }
  return { mr: Object.assign(assembly.routing, { metrics, keys: assembly.keys }), close: assembly.close }
}
