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
  queuePath,
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
    // Without `queue/` it is not a mission, whatever else is in the folder.
    if (await tree.look(queuePath({ root, address }, 'pending'))) return this.#missionAt(address)
    const all = await this.all()
    const meant = nearest(address, all)
    throw notFound('NO_SUCH_MISSION', `There is no mission ${JSON.stringify(name)} under ${root}.`, {
      hint: meant ? `Did you mean ${meant}?` : `Make it: acmq create-mission ${address}`,
      details: { mission: name },
    })
  }

  /** The addresses of all missions, sub-missions after their parents. */
  all(): Promise<MissionAddress[]> {
    return this.#collect(this.#parts.root, '', true)
  }

  /** The missions directly inside one. */
  below(address: MissionAddress): Promise<MissionAddress[]> {
    return this.#collect(subMissionsPath({ root: this.#parts.root, address }), `${address}/`, false)
  }

  async #collect(folder: TreePath, prefix: string, deep: boolean): Promise<MissionAddress[]> {
    const { tree, root } = this.#parts
    const found: MissionAddress[] = []
    for (const { name, kind } of await tree.list(folder)) {
      if (kind !== 'folder' || !isMessageId(name)) continue
      const place = { root, address: `${prefix}${name}` as MissionAddress }
      if (!(await tree.look(childOf(missionPath(place), 'queue')))) continue
      found.push(place.address)
      if (deep) found.push(...(await this.#collect(subMissionsPath(place), `${place.address}/`, deep)))
    }
    return found
  }

  #missionAt(address: MissionAddress): Mission {
    const known = this.#open.get(address) ?? new Mission(this.#parts, address)
    this.#open.set(address, known)
    return known
  }
}
