/** All missions below one folder, and the missions inside missions. AC-MQ §2, §7.2. */
import { notFound } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import {
  isMessageId,
  type MissionAddress,
  manifestPath,
  missionAddress,
  missionFolders,
  missionPath,
  subMissionsPath,
} from '../layout.ts'
import { Mission, type MissionParts } from './mission.ts'
import type { AcmqNeutral } from './neutral.ts'

export class Missions {
  readonly #parts: MissionParts
  readonly #open = new Map<string, Mission>()

  constructor(parts: MissionParts) {
    this.#parts = parts
  }

  /** Makes a mission with all its folders and a manifest to fill in. One that exists is left as it is. */
  async create(
    name: string,
    options: { readonly objective?: string } = {},
  ): Promise<{ outcome: 'created' | 'unchanged'; mission: Mission; path: TreePath }> {
    const address = missionAddress(name)
    const parent = address.includes('/') ? address.slice(0, address.lastIndexOf('/')) : undefined
    if (parent !== undefined) await this.open(parent)
    const { tree, clock, root } = this.#parts
    const place = { root, address }
    const path = missionPath(place)
    for (const folder of missionFolders) await tree.makeFolder(`${path}/${folder}` as TreePath)
    const { printManifest } = await import('../manifest/manifest.ts')
    const manifest = printManifest({ mission: address, objective: options.objective ?? '', now: clock.now() })
    const created = await tree.create(manifestPath(place), Buffer.from(manifest))
    return { outcome: created.outcome === 'created' ? 'created' : 'unchanged', mission: this.#missionAt(address), path }
  }

  /** What others than AC-MQ may ask, in the words of all protocols. */
  async neutral(): Promise<AcmqNeutral> {
    const { AcmqNeutral } = await import('./neutral.ts')
    return new AcmqNeutral(this, this.#parts)
  }

  /** A mission that is there. */
  async open(name: string): Promise<Mission> {
    const address = missionAddress(name)
    const { tree, root } = this.#parts
    const known = this.#open.get(address)
    if (known) return known
    // Without `queue/` it is not a mission, whatever else is in the folder. Git keeps no empty folders, so `pending/` itself
    // may be missing in a clone.
    if (await tree.look(childOf(missionPath({ root, address }), 'queue'))) return this.#missionAt(address)
    const all = await this.all()
    const meant = nearest(address, all)
    throw notFound('NO_SUCH_MISSION', `There is no mission ${JSON.stringify(name)} under ${root}.`, {
      hint: meant ? `Did you mean ${meant}?` : `Make it: acmq create-mission ${address}`,
      details: { mission: name },
    })
  }

  /** The addresses of all missions, sub-missions after their parents. */
  async all(): Promise<MissionAddress[]> {
    const found: MissionAddress[] = []
    await this.#collect(this.#parts.root, '', found)
    return found
  }

  /** The missions directly inside one. */
  async below(address: MissionAddress): Promise<MissionAddress[]> {
    const prefix = `${address}/`
    const found: MissionAddress[] = []
    await this.#collect(subMissionsPath({ root: this.#parts.root, address }), prefix, found, false)
    return found
  }

  async #collect(folder: TreePath, prefix: string, found: MissionAddress[], deep = true): Promise<void> {
    for (const { name, kind } of await this.#parts.tree.list(folder)) {
      if (kind !== 'folder' || !isMessageId(name)) continue
      const address = `${prefix}${name}` as MissionAddress
      const place = { root: this.#parts.root, address }
      if (!(await this.#parts.tree.look(childOf(missionPath(place), 'queue')))) continue
      found.push(address)
      if (deep) await this.#collect(subMissionsPath(place), `${address}/`, found)
    }
  }

  #missionAt(address: MissionAddress): Mission {
    const known = this.#open.get(address) ?? new Mission(this.#parts, address)
    this.#open.set(address, known)
    return known
  }
}
