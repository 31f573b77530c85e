/** The engine's calls as a command has them at first, and as it has them once it has loaded the native ones. */
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'

export type Variant = 'portable' | 'native'

let native: ReturnType<typeof loadNative>

/** Why the native calls cannot be tried here, if they cannot. */
export const withoutNative = (): string | undefined =>
  (native ??= loadNative()) ? undefined : 'no rename that never replaces is to be had on this system'

export function diskOf(variant: Variant): Disk {
  const disk = realDisk()
  if (variant === 'native') return Object.assign(disk, (native ??= loadNative()))
  // It stays as it is, however long a story is.
  return new Proxy(disk, { set: () => true })
}
