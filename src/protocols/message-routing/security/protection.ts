/** Signatures, encryption and rate limits. Nothing of them is loaded before a workspace or a message needs it. */
import type { Clock } from '../../../kernel/clock.ts'
import { once } from '../../../kernel/once.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { Hooks } from '../hooks.ts'
import type { MrPorts } from '../ports.ts'
import type { MrSettings, SecuritySettings } from '../settings.ts'
import type { KeyRing } from './keys.ts'

export interface Protection {
  readonly hooks: Hooks
  keys(): Promise<KeyRing>
  close(): Promise<void>
}

interface Parts extends Partial<MrPorts> {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: MrSettings
}

/** Whether the settings ask for any of them. */
export const isGuarded = ({ signing, encryption, messagesPerMinute }: SecuritySettings): boolean =>
  signing !== 'off' || encryption || messagesPerMinute > 0

export function protect({ tree, clock, settings, ...ports }: Parts): Protection {
  const { security } = settings
  const keys = once(async () => (await import('./keys.ts')).openRing(clock, settings.keys, ports))
  const guards = once(async () => {
    const { Guards } = await import('./guards.ts')
    // `sealing` is asked for only after a key was found, and without ports there are no keys.
    return new Guards({ tree, keys, sealing: () => ports.sealing!(), settings: security })
  })
  const hooks: Hooks = isGuarded(security)
    ? {
        admit: async (from, to, now) => (await guards()).admit(from, to, now),
        seal: async (message) => (await guards()).seal(message),
        open: async (incoming) => (await guards()).open(incoming),
        recover: async (agent, message) => (await guards()).recover(agent, message),
      }
    : {
        // An encrypted payload is opened whatever the settings are.
        open: async (incoming) =>
          'encrypted' in incoming.message.payload
            ? (await guards()).open(incoming)
            : { outcome: 'opened', message: incoming.message },
      }
  if (security.signing !== 'off') {
    hooks.verify = async (agent, message) => (await guards()).verify(agent, message)
    hooks.vouch = async (message) => (await guards()).vouch(message)
  }
  return { hooks, keys, close: async () => (await keys.made())?.close() }
}
