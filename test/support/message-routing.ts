/** For tests of Message Routing: agents on real files or in memory, and the files as a stranger sees them. */
import fs from 'node:fs'
import { join } from 'node:path'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import type { Hooks } from '../../src/protocols/message-routing/hooks.ts'
import { defaultSettings, type MrSettings } from '../../src/protocols/message-routing/settings.ts'
import type { MrSendInput } from '../../src/protocols/message-routing/store/outcomes.ts'
import { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import type { Tree } from '../../src/tree/tree.ts'

export interface MrBoxOptions {
  readonly clock?: Clock
  readonly settings?: Partial<MrSettings>
  readonly hooks?: Hooks
}

export interface MrBox {
  readonly tree: Tree
  readonly mr: Routing
  close(): Promise<void>
}

export function mrOn(tree: Tree, { clock = systemClock, settings, hooks = {} }: MrBoxOptions = {}): MrBox {
  const all = { ...defaultSettings, ...settings }
  // Nothing is measured: what a test counts is what it asked for.
  const mr = new Routing({ tree, clock, settings: all, hooks: { observe() {}, ...hooks } })
  return { tree, mr, close: () => tree.close() }
}

export const memoryMr = (options: MrBoxOptions = {}): MrBox =>
  mrOn(openMemoryTree(options.clock ? { clock: options.clock } : {}), options)

/** In a directory, or on a cluster at an address. */
export async function openMr(place: string, options: MrBoxOptions = {}): Promise<MrBox> {
  const isCluster = place.startsWith('etcd://')
  return mrOn(await (isCluster ? openEtcdTree({ address: place }) : openFileTree({ root: place })), options)
}

export const heartbeat = (to: string, more: Partial<MrSendInput> = {}): MrSendInput => ({
  from: 'coder-1',
  to,
  type: 'heartbeat',
  payload: { health: 'healthy' },
  ...more,
})

export const command = (to: string, more: Partial<MrSendInput> = {}): MrSendInput => ({
  from: 'coordinator-main',
  to,
  type: 'command',
  payload: { action: 'pause' },
  ...more,
})

/** A folder of an agent as any program sees it. */
export class AgentFolder {
  readonly path: string

  constructor(root: string, agent: string) {
    this.path = join(root, 'state/agents', agent)
  }

  names(folder: string): string[] {
    const path = join(this.path, folder)
    return fs.existsSync(path) ? fs.readdirSync(path).sort() : []
  }

  read = (file: string): string => fs.readFileSync(join(this.path, file), 'utf8')

  /** The JSON objects of a log, one a line. */
  lines(file: string): Record<string, unknown>[] {
    if (!fs.existsSync(join(this.path, file))) return []
    return this.read(file)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  /** Puts a file into the inbox as another program would. */
  put(name: string, content: string | Uint8Array | object, modifiedAt?: number): void {
    fs.mkdirSync(join(this.path, 'inbox'), { recursive: true })
    const path = join(this.path, 'inbox', name)
    const isText = typeof content === 'string' || content instanceof Uint8Array
    fs.writeFileSync(path, isText ? content : JSON.stringify(content, null, 2))
    // Old enough that nobody takes it for a file that is still being written, unless the test says otherwise.
    const seconds = (modifiedAt ?? Date.now() - 10_000) / 1000
    fs.utimesSync(path, seconds, seconds)
  }
}

export const foreignMessage = (id: string, more: object = {}): object => ({
  version: '1.0.0',
  msg_id: id,
  from: 'bash-agent',
  to: 'coder-1',
  timestamp: '2025-10-06T14:32:15.234Z',
  sequence: 1,
  type: 'command',
  payload: { action: 'pause' },
  ...more,
})

/** The next messages get these ids. */
export async function withIds<T>(ids: string[], work: () => Promise<T>): Promise<T> {
  const real = crypto.randomUUID
  const queue = ids.map((id) => `${id.slice(4)}-0000-4000-8000-000000000000`)
  crypto.randomUUID = () => (queue.shift() ?? real.call(crypto)) as ReturnType<typeof real>
  try {
    return await work()
  } finally {
    crypto.randomUUID = real
  }
}
