/** A tenant of a cluster as `etcdctl` sees it: keys and values, read in one request and copied in another. */
import type { Tree } from '../../src/tree/tree.ts'
import type { FoundFile, Outside } from './outside.ts'
import { OutsideTree } from './outside-tree.ts'

interface Pair {
  readonly key: string
  readonly value?: string
}

/** `sbx/TENANT/FOLDER NUL NAME` is a leaf; its value is a line about it, then its bytes. See `keys.ts` of the engine. */
export class TenantKeys {
  readonly #url: string
  readonly #prefix: string

  constructor(url: string, tenant: string) {
    this.#url = url
    this.#prefix = `sbx/${tenant}/`
  }

  async files(): Promise<FoundFile[]> {
    return (await this.#all()).flatMap(({ key, value = '' }) => {
      const [folder = '', name = '', ...more] = textOf(key).slice(this.#prefix.length).split('\0')
      if (more.length > 0 || name.endsWith('/') || folder.startsWith('.signalbox/engine')) return []
      const all = Buffer.from(value, 'base64')
      const end = all.indexOf(10)
      const { m: modifiedAt } = JSON.parse(all.toString('utf8', 0, end)) as { m: number }
      return [{ path: folder === '' ? name : `${folder}/${name}`, text: all.toString('utf8', end + 1), modifiedAt }]
    })
  }

  /** Copies all but the engine's own keys (turns, leases, revoked operations). */
  async copyTo(tenant: string): Promise<void> {
    const puts: object[] = []
    const lines: object[] = []
    for (const { key, value = '' } of await this.#all()) {
      const rest = textOf(key).slice(this.#prefix.length)
      if (/^\.signalbox\/engine\/(turns|revoked)\0/.test(rest)) continue
      const put = { request_put: { key: Buffer.from(`sbx/${tenant}/${rest}`).toString('base64'), value } }
      if (/\0log\0./s.test(rest)) lines.push(put)
      else puts.push(put)
    }
    for (let at = 0; at < puts.length; at += mostAtOnce)
      await this.#ask('txn', { success: puts.slice(at, at + mostAtOnce) })
    // The lines of a log are in the order in which their keys were made, so each has a request of its own.
    for (const line of lines) await this.#ask('txn', { success: [line] })
  }

  async #all(): Promise<readonly Pair[]> {
    const key = Buffer.from(this.#prefix).toString('base64')
    const range_end = Buffer.from(`${this.#prefix.slice(0, -1)}0`).toString('base64')
    const { kvs = [] } = (await this.#ask('range', {
      key,
      range_end,
      sort_order: 'ASCEND',
      sort_target: 'CREATE',
    })) as { kvs?: readonly Pair[] }
    return kvs
  }

  async #ask(what: string, body: object): Promise<unknown> {
    const reply = await fetch(`${this.#url}/v3/kv/${what}`, { method: 'POST', body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`etcd refused ${what}: ${await reply.text()}`)
    return reply.json()
  }
}

const mostAtOnce = 100
const textOf = (key: string): string => Buffer.from(key, 'base64').toString('utf8')

/** A stranger's values must have the engine's form, so it writes through a tree of its own. */
export class OutsideEtcd implements Outside {
  readonly #keys: TenantKeys
  readonly #open: () => Promise<Tree>

  constructor(keys: TenantKeys, open: () => Promise<Tree>) {
    this.#keys = keys
    this.#open = open
  }

  files = (): Promise<FoundFile[]> => this.#keys.files()
  write = (path: string, text: string): Promise<void> => this.#by((outside) => outside.write(path, text))
  move = (from: string, to: string): Promise<boolean> => this.#by((outside) => outside.move(from, to))
  remove = (path: string): Promise<boolean> => this.#by((outside) => outside.remove(path))

  async #by<T>(work: (outside: Outside) => Promise<T>): Promise<T> {
    const tree = await this.#open()
    try {
      return await work(new OutsideTree(tree))
    } finally {
      await tree.close()
    }
  }
}
