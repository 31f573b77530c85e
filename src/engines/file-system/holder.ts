/**
 * Who holds something: this process, named so that others can tell whether it still lives. A pid alone does not
 * do: it is used again after a restart, and means something else in another container.
 */
import { absolute, type Disk, openFlags, unless } from './disk.ts'

/** `pid-start-machine-instance`, letters and digits only. */
export type HolderId = string & { readonly __holder?: never }

/** Tells apart the copies of this module in one process (worker threads have the pid in common). */
const instance = Math.random().toString(36).slice(2, 6).padEnd(4, '0')

export type Life = 'alive' | 'dead' | 'unknown'

export class Holders {
  readonly #disk: Disk
  #self: HolderId | undefined
  #machine: string | undefined

  constructor(disk: Disk) {
    this.#disk = disk
  }

  get self(): HolderId {
    this.#self ??= `${process.pid.toString(36)}-${this.#startOf(process.pid) ?? '0'}-${this.#thisMachine}-${instance}`
    return this.#self
  }

  /** `unknown` for holders in another container or from before a restart: only time can tell then. */
  lifeOf(id: HolderId): Life {
    if (id === this.self) return 'alive'
    const [pidText, start, machine] = id.split('-')
    const pid = Number.parseInt(pidText ?? '', 36)
    if (!(pid > 0) || machine !== this.#thisMachine) return 'unknown'
    const startNow = this.#startOf(pid)
    if (startNow !== undefined) return startNow === start ? 'alive' : 'dead'
    if (process.platform === 'linux') return 'dead'
    return this.#answers(pid) ? 'alive' : 'dead'
  }

  get #thisMachine(): string {
    if (this.#machine === undefined) {
      const boot = this.#text('/proc/sys/kernel/random/boot_id') ?? 'no-boot-id'
      const space = unless(['ENOENT', 'EACCES'], () => this.#disk.readLink('/proc/self/ns/pid')) ?? ''
      this.#machine = shortHash(`${boot.trim()} ${space}`)
    }
    return this.#machine
  }

  /** When the process started, in clock ticks since boot: field 22, counted after the name in brackets. */
  #startOf(pid: number): string | undefined {
    const stat = this.#text(`/proc/${pid}/stat`)
    if (stat === undefined) return undefined
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie is dead: its parent has just not looked yet.
    if (fields[0] === 'Z' || fields[0] === 'X') return 'dead'
    return Number(fields[19]).toString(36)
  }

  #answers(pid: number): boolean {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return (error as { code?: string }).code === 'EPERM'
    }
  }

  #text(path: string): string | undefined {
    return unless(['ENOENT', 'EACCES', 'ESRCH', 'ENOTDIR'], () => {
      const fd = this.#disk.open(absolute(path), openFlags.read)
      try {
        const bytes = Buffer.alloc(1024)
        return bytes.toString('latin1', 0, this.#disk.read(fd, bytes, 0, bytes.length, 0))
      } finally {
        this.#disk.close(fd)
      }
    })
  }
}

/** FNV-1a, enough to tell machines and stripes apart; not a safeguard against anybody. */
export function shortHash(text: string): string {
  return fnv(text).toString(36)
}

export function fnv(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
