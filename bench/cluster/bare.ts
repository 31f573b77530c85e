/** The same transactions as the engine's in a bare loop: what the cluster and HTTP cost by themselves. */
import http from 'node:http'
import { fromWire, Keys, wire } from '../../src/engines/etcd/keys.ts'
import { drop, get, getAll, isAbsent, isPresent, isUnchanged, put } from '../../src/engines/etcd/transaction.ts'
import { printValue } from '../../src/engines/etcd/value.ts'
import { type TreePath, treePath } from '../../src/kernel/tree-path.ts'

interface Answer {
  readonly header: { readonly revision: string }
  readonly succeeded?: boolean
  readonly kvs?: readonly { readonly key: string }[]
}

export class BareLoop {
  readonly #port: number
  readonly #keys: Keys
  readonly #agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64 })

  constructor(port: number, tenant: string) {
    this.#port = port
    this.#keys = new Keys(tenant)
  }

  /** Send, claim, complete: one transaction each. */
  async lifecycle(name: string, bytes: Uint8Array): Promise<void> {
    const paths = ['pending', 'processing', 'completed'].map((folder) => `${folder}/${name}`)
    let revision = await this.#create(paths[0]!, bytes)
    revision = await this.#move(paths[0]!, paths[1]!, revision, bytes)
    await this.#move(paths[1]!, paths[2]!, revision, bytes)
  }

  /** The names in a folder, in one answer. */
  async names(folder: TreePath): Promise<string[]> {
    const { from, to } = this.#keys.inFolder(folder)
    const body = JSON.stringify({ key: wire(from), range_end: wire(to), keys_only: true })
    const { kvs = [] } = await this.#post(body, '/v3/kv/range')
    return kvs.map(({ key }) => fromWire(key))
  }

  close(): void {
    this.#agent.destroy()
  }

  async #create(path: string, bytes: Uint8Array): Promise<number> {
    const [leaf, folder] = [this.#keys.leaf(treePath(path)), this.#keys.folder(treePath(path))]
    const stamp = this.#stampOf(path)
    const by = crypto.randomUUID()
    return this.#commit({
      compare: [isAbsent(this.#keys.revoked(by)), isPresent(stamp), isAbsent(leaf), isAbsent(folder)],
      success: [put(leaf, value(by, bytes)), put(stamp, value(by))],
      failure: [get(leaf), get(folder), get(stamp)],
    })
  }

  async #move(from: string, to: string, revision: number, bytes: Uint8Array): Promise<number> {
    const [source, target] = [this.#keys.leaf(treePath(from)), this.#keys.leaf(treePath(to))]
    const folder = this.#keys.folder(treePath(to))
    const stamps = [this.#stampOf(from), this.#stampOf(to)]
    const by = crypto.randomUUID()
    return this.#commit({
      compare: [
        isAbsent(this.#keys.revoked(by)),
        ...stamps.map(isPresent),
        isUnchanged(source, revision),
        isAbsent(target),
        isAbsent(folder),
      ],
      success: [drop(source), put(target, value(by, bytes)), ...stamps.map((stamp) => put(stamp, value(by)))],
      failure: [get(source), getAll(this.#keys.log(treePath(from))), get(target), get(folder), ...stamps.map(get)],
    })
  }

  #stampOf(path: string) {
    return this.#keys.stamp(treePath(path.split('/')[0]!))
  }

  async #commit(transaction: object): Promise<number> {
    const { header, succeeded } = await this.#post(JSON.stringify(transaction))
    if (!succeeded) throw new Error('a bare transaction was not done')
    return Number(header.revision)
  }

  #post(body: string, path = '/v3/kv/txn'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const options = { host: '127.0.0.1', port: this.#port, path, method: 'POST', headers }
      const request = http.request({ ...options, agent: this.#agent }, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => resolve(JSON.parse(Buffer.concat(pieces).toString('utf8')) as Answer))
      })
      request.on('error', reject)
      request.end(body)
    })
  }
}

const value = (by: string, bytes?: Uint8Array) =>
  printValue({ modifiedAt: Date.now(), changedAt: Date.now(), by }, bytes)
