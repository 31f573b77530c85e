/**
 * The folders of the benchmark. All of them are removed when it ends, for whatever reason, and never in between: some file
 * systems make files several times more slowly for minutes after many were deleted.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const fileSystems = new Map([
  [0x01021994, 'tmpfs'],
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x794c7630, 'overlayfs'],
  [0x2fc12fc1, 'zfs'],
])

/** In bytes: several times what the sections need. */
const roomNeeded = 2 * 1024 ** 3

export interface Place {
  readonly fileSystem: string
  /** A new folder in it. */
  folder(name: string): string
}

export class Places {
  readonly #bases = new Map<string, string>()
  readonly #dir: string | undefined
  readonly #memory: string

  /** `dir`: work there, instead of in the places chosen below. */
  constructor(dir: string | undefined) {
    this.#dir = dir
    this.#memory =
      dir ?? (fileSystemOf('/dev/shm') === 'tmpfs' && roomIn('/dev/shm') > roomNeeded ? '/dev/shm' : tmpdir())
    process.on('exit', () => this.remove())
  }

  /** In memory where possible: for what is about calls and not about the disk. */
  get memory(): Place {
    return this.#place(this.#memory)
  }

  /** On a disk, or `undefined` when there is only memory to write to. */
  get disk(): Place | undefined {
    const candidates = this.#dir === undefined ? [tmpdir(), '/var/tmp', process.cwd()] : [this.#dir]
    const found = candidates.find((path) => !['tmpfs', 'none'].includes(fileSystemOf(path)))
    return found === undefined ? undefined : this.#place(found)
  }

  remove(): void {
    for (const base of this.#bases.values()) rmSync(base, { recursive: true, force: true, maxRetries: 5 })
    this.#bases.clear()
  }

  #place(parent: string): Place {
    return {
      fileSystem: fileSystemOf(parent),
      folder: (name) => {
        const base = this.#bases.get(parent) ?? spreading(mkdtempSync(join(parent, 'signalbox-bench-')))
        this.#bases.set(parent, base)
        return mkdtempSync(join(base, `${name}-`))
      },
    }
  }
}

/**
 * Asks ext4 to put each folder made in this one elsewhere on the disk, away from files that were deleted recently: near
 * those, making files is slow for minutes. If that is not possible, nothing changes.
 */
function spreading(folder: string): string {
  spawnSync('chattr', ['+T', folder], { stdio: 'ignore' })
  return folder
}

function fileSystemOf(path: string): string {
  try {
    return fileSystems.get(Number(statfsSync(path).type)) ?? 'an unknown file system'
  } catch {
    return 'none' // Missing or not readable: nothing can be measured there.
  }
}

function roomIn(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return Number(bavail) * Number(bsize)
}
