/** The engine's calls in two variants: portable, as a command starts with, and native, as it loads later. */
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'

export type Variant = 'portable' | 'native'

let native: ReturnType<typeof loadNative>

/** Why native calls are not available here; `undefined` if they are. */
export const withoutNative = (): string | undefined =>
  (native ??= loadNative()) ? undefined : 'no rename that never replaces is to be had on this system'

export function diskOf(variant: Variant): Disk {
  const disk = realDisk()
  if (variant === 'native') return Object.assign(disk, (native ??= loadNative()))
  // Ignores assignments, so that the engine does not load native calls during a story.
  return new Proxy(disk, { set: () => true })
}
