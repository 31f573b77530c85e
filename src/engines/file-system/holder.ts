/**
 * Names this process, so that other processes can find out whether it still lives. A pid alone would not do: it is used again
 * after a restart, and means another process in another container. See docs/decisions/0030-who-holds-what.md.
 */
import { absolute, codeOf, type Disk, openFlags, unless } from './disk.ts'

/** `pid-start-host_boot_space-instance`, letters and digits only. */
export type HolderId = string & { readonly __holder?: never }

/** Tells apart worker threads of one process, which share a pid. */
const instance = Math.random().toString(36).slice(2, 8).padEnd(6, '0')

export type Life = 'alive' | 'dead' | 'unknown'

interface Holder {
  readonly pid: number
  /** When it started, in clock ticks since boot. */
  readonly start: string
  /** The machine, across restarts; `nowhere` unless it is certain. */
  readonly host: string
  /** The id of one run of the machine. */
  readonly boot: string
  /** The pid namespace: each container has one. */
  readonly space: string
}

type Here = Pick<Holder, 'host' | 'boot' | 'space'>

/** Stands for an unknown value; never equal to another one. */
const nowhere = '0'
/** The namespaces outside all containers: the same numbers on every Linux. */
const outermost = { pid: 'pid:[4026531836]', uts: 'uts:[4026531838]' }
/** Names that many machines have. */
const commonNames = ['', 'localhost', 'localhost.localdomain', '(none)']

export class Holders {
  readonly #disk: Disk
  readonly #answers: (pid: number) => boolean
  readonly #dead = new Set<HolderId>()
  #self: HolderId | undefined
  #here: Here | undefined

  constructor(disk: Disk, answers = answersSignals) {
    this.#disk = disk
    this.#answers = answers
  }

  get self(): HolderId {
    if (this.#self === undefined) {
      const { host, boot, space } = this.#whereWeAre
      const start = this.#startOf(process.pid) ?? '0'
      this.#self = `${process.pid.toString(36)}-${start}-${host}_${boot}_${space}-${instance}`
    }
    return this.#self
  }

  /**
   * `unknown` for processes on another machine or in a container that we cannot see into, and for names that are no
   * holder's. A stopped process is alive, for however long it is stopped.
   */
  lifeOf(id: HolderId): Life {
    if (id === this.self) return 'alive'
    if (this.#dead.has(id)) return 'dead'
    const life = this.#look(id)
    if (life === 'dead') this.#dead.add(id)
    return life
  }

  #look(id: HolderId): Life {
    const that = parseHolder(id)
    if (!that) return 'unknown'
    const here = this.#whereWeAre
    const isSameHost = that.host !== nowhere && that.host === here.host
    if (that.boot !== here.boot) return isSameHost && that.boot !== nowhere ? 'dead' : 'unknown'
    if (that.boot === nowhere && !isSameHost) return 'unknown'
    return that.space === here.space ? this.#lifeHere(that) : this.#lifeInside(that)
  }

  #lifeHere({ pid, start }: Holder): Life {
    const startNow = this.#startOf(pid)
    if (startNow !== undefined) return startNow === start ? 'alive' : 'dead'
    if (!this.#answers(pid)) return 'dead'
    // There is such a process, but the system does not say since when. On Linux it may be another one by now.
    return process.platform === 'linux' ? 'unknown' : 'alive'
  }

  /** For a process in a container of this machine. Only from outside all containers can we see every process. */
  #lifeInside({ pid, start, space }: Holder): Life {
    const canSeeAll = this.#link('/proc/self/ns/pid') === outermost.pid && this.#text('/proc/1/stat') !== undefined
    if (!canSeeAll) return 'unknown'
    let isInDoubt = false
    for (const { name } of this.#disk.list({ fd: -1, prefix: '/proc/' })) {
      if (!/^\d+$/.test(name) || this.#pidInside(name) !== pid) continue
      const itsSpace = this.#spaceOf(name)
      if (itsSpace === undefined) isInDoubt = true
      // In a time namespace, start times cannot be compared: then the pid decides.
      else if (itsSpace === space) {
        const isSameTime = this.#link(`/proc/${name}/ns/time`) === this.#link('/proc/self/ns/time')
        if (!isSameTime || this.#startOf(Number(name)) === start) return 'alive'
      }
    }
    return isInDoubt ? 'unknown' : 'dead'
  }

  /** The pid of a process inside its own container: the last of those the system lists. */
  #pidInside(name: string): number | undefined {
    const pids = /^NSpid:\s*(.*)$/m.exec(this.#text(`/proc/${name}/status`) ?? '')?.[1]?.split(/\s+/) ?? []
    return pids.length > 1 ? Number(pids.at(-1)) : undefined
  }

  get #whereWeAre(): Here {
    this.#here ??= { host: this.#host(), boot: this.#boot(), space: this.#spaceOf('self') ?? nowhere }
    return this.#here
  }

  /**
   * Unknown in a container, since containers of one image can share machine id and even host name, and where either is
   * missing. Two machines must never be taken for one that was restarted.
   */
  #host(): string {
    if (process.platform !== 'linux') return shortHash(process.getBuiltinModule('node:os').hostname())
    const id = (this.#text('/etc/machine-id') ?? this.#text('/var/lib/dbus/machine-id'))?.trim() ?? ''
    const name = this.#text('/proc/sys/kernel/hostname')?.trim() ?? ''
    const isOutside =
      this.#link('/proc/self/ns/pid') === outermost.pid && this.#link('/proc/self/ns/uts') === outermost.uts
    return isOutside && /^[0-9a-f]{32}$/.test(id) && !commonNames.includes(name) ? shortHash(`${id} ${name}`) : nowhere
  }

  #boot(): string {
    const boot = this.#text('/proc/sys/kernel/random/boot_id')?.trim()
    return boot ? shortHash(boot) : nowhere
  }

  #spaceOf(name: string): string | undefined {
    const pids = this.#link(`/proc/${name}/ns/pid`)
    return pids === undefined ? undefined : shortHash(`${pids} ${this.#link(`/proc/${name}/ns/time`) ?? ''}`)
  }

  /** When the process started: field 22, counted after the name in brackets. */
  #startOf(pid: number): string | undefined {
    const stat = this.#text(`/proc/${pid}/stat`)
    if (stat === undefined) return undefined
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended; only its parent has not collected it yet.
    if (fields[0] === 'Z' || fields[0] === 'X') return 'dead'
    return Number(fields[19]).toString(36)
  }

  #link(path: string): string | undefined {
    return unless(notTold, () => this.#disk.readLink(path))
  }

  #text(path: string): string | undefined {
    return unless(notTold, () => {
      const fd = this.#disk.open(absolute(path), openFlags.read)
      try {
        const bytes = Buffer.alloc(4096)
        return bytes.toString('latin1', 0, this.#disk.read(fd, bytes, 0, bytes.length, 0))
      } finally {
        this.#disk.close(fd)
      }
    })
  }
}

const notTold = ['ENOENT', 'EACCES', 'EPERM', 'ESRCH', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EINVAL', 'ENXIO']

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** `undefined` for anything else. Names of earlier versions told less, so they are unknown, too. */
function parseHolder(id: string): Holder | undefined {
  const parts = /^([0-9a-z]{1,8})-([0-9a-z]{1,13})-([0-9a-z]{1,7})_([0-9a-z]{1,7})_([0-9a-z]{1,7})-[0-9a-z]{1,8}$/.exec(
    id,
  )
  if (!parts) return undefined
  const [, pidText = '', start = '', host = '', boot = '', space = ''] = parts
  const pid = Number.parseInt(pidText, 36)
  return pid > 0 && pid < 2 ** 31 ? { pid, start, host, boot, space } : undefined
}

/** The holder that a name begins with, and the rest: `HOLDER-rest`. Holders of earlier versions had the same shape. */
export function holderOf(name: string): { readonly holder: HolderId; readonly rest: string } | undefined {
  const [, holder = '', rest = ''] = /^(\w{1,16}-\w{1,16}-\w{1,32}-\w{1,16})-(\w+)$/.exec(name) ?? []
  return holder === '' ? undefined : { holder, rest }
}

/** The pid as seen in its own container. */
export const pidOf = (holder: HolderId): number => Number.parseInt(holder.split('-')[0] ?? '', 36)

/** FNV-1a: enough to tell machines and stripes apart, no protection against forgery. */
export function shortHash(text: string): string {
  return fnv(text).toString(36)
}

export function fnv(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
