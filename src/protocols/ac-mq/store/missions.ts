/** All missions below one folder, and the missions inside missions. AC-MQ §2, §7.2. */
import { call } from '../../../kernel/call.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import { AgentDirectory } from '../../../messaging/agents/directory.ts'
import type { Neutral } from '../../contract.ts'
import {
  fallbackManifestPath,
  isMessageId,
  type MissionAddress,
  type MissionPlace,
  manifestPath,
  missionAddress,
  missionFolders,
  missionPath,
  subMissionsPath,
} from '../layout.ts'
import type { ClaimOptions } from './claiming.ts'
import type { Mission, MissionParts } from './mission.ts'
import type { Claimed } from './outcomes.ts'
import { MissionPlaces } from './places.ts'
import { Policy } from './policy.ts'
import { Sending } from './sending.ts'

/** `ADDRESS/**` means a mission and all missions inside it. */
const everyInside = '**'

export class Missions {
  readonly #parts: Required<Pick<MissionParts, 'directory'>> & MissionParts
  readonly #open = new Map<string, Mission>()

  constructor(parts: MissionParts) {
    this.#parts = { directory: new AgentDirectory(parts.tree), ...parts }
  }

  /** Makes a mission; one that exists is left as it is. `queue/` comes last, so that a call that was cut short can be repeated. */
  async create(name: string, options: { readonly objective?: string } = {}) {
    const address = missionAddress(name)
    const parent = address.includes('/') ? address.slice(0, address.lastIndexOf('/')) : undefined
    if (parent !== undefined) await this.open(parent)
    const { tree, clock, root } = this.#parts
    const place = { root, address }
    const path = missionPath(place)
    const made = async (outcome: 'created' | 'unchanged', manifest: TreePath | undefined) => {
      const mission = await this.#missionAt(address)
      return { outcome, mission, path, manifest: manifest ?? manifestPath(place) }
    }
    if (await this.#isThere(place)) return made('unchanged', await this.#manifestOf(place))
    // Of two processes that make `Alpha` and `alpha` at once, the second sees the first.
    return tree.exclusively(`acmq-create-${nameOf(path).toLowerCase()}`, async () => {
      await this.#refuseOtherCase(place, path)
      const isThere = await this.#isThere(place)
      let manifest = await this.#manifestOf(place)
      if (manifest === undefined && !isThere) {
        const { printManifest } = await import('../manifest/manifest.ts')
        manifest = manifestPath(place)
        const { objective = '' } = options
        await tree.create(manifest, printManifest({ mission: address, objective, now: clock.now() }))
      }
      for (const folder of isThere ? [] : missionFolders) await tree.makeFolder(`${path}/${folder}` as TreePath)
      return made(isThere ? 'unchanged' : 'created', manifest)
    })
  }

  isThere(name: string): Promise<boolean> {
    return this.#isThere({ root: this.#parts.root, address: missionAddress(name) })
  }

  /** A folder without `queue/` is not a mission. */
  async #isThere(place: MissionPlace): Promise<boolean> {
    return (await this.#parts.tree.look(childOf(missionPath(place), 'queue'))) !== undefined
  }

  /** Some disks take names that differ by case alone for the same name. */
  async #refuseOtherCase({ root, address }: MissionPlace, path: TreePath): Promise<void> {
    const name = nameOf(path)
    const folders = (await this.#parts.tree.list(parentOf(path))).filter(({ kind }) => kind === 'folder')
    const names = folders.map((entry) => entry.name)
    const other = sameButForCase(name, names)
    if (other === undefined) return
    const there = `${address.slice(0, address.length - name.length)}${other}`
    const message = `There is ${there} under ${root} already: names may not differ by case alone.`
    const hint = `Use ${there}, or choose another name.`
    throw conflict('SAME_BUT_FOR_CASE', message, { hint, details: { mission: address, other: there } })
  }

  /** The manifest in `_meta/`, or else the one in the mission itself. */
  async #manifestOf(place: MissionPlace): Promise<TreePath | undefined> {
    for (const path of [manifestPath(place), fallbackManifestPath(place)]) {
      if (await this.#parts.tree.look(path)) return path
    }
    return undefined
  }

  async neutral(): Promise<Neutral> {
    const { acmqNeutral } = await import('./neutral.ts')
    return acmqNeutral(this, this.#parts)
  }

  async open(name: string): Promise<Mission> {
    return this.#open.get(name) ?? this.#missionAt(await this.#expectThere(name))
  }

  /** For a command that only sends: loads nothing else of a mission. */
  async sender(name: string): Promise<Pick<Mission, 'address' | 'sending'>> {
    const known = this.#open.get(name)
    if (known) return known
    const address = await this.#expectThere(name)
    const { tree, clock, settings, root, directory } = this.#parts
    const places = new MissionPlaces(tree, clock, settings, { root, address })
    return { address, sending: new Sending({ places, policy: new Policy(places), directory }) }
  }

  async #expectThere(name: string): Promise<MissionAddress> {
    const address = missionAddress(name)
    const { root } = this.#parts
    if (await this.#isThere({ root, address })) return address
    const all = await this.all()
    const meant = nearest(address, all)
    throw notFound('NO_SUCH_MISSION', `There is no mission ${JSON.stringify(name)} under ${root}.`, {
      hint: meant ? `Did you mean ${meant}?` : `Make it: ${call('acmq create-mission', { name: address })}`,
      details: { mission: name },
    })
  }

  /** The missions with these names, each once: `ADDRESS`, `ADDRESS/**` with those inside, or `**` for all. */
  async meant(names: readonly string[]): Promise<Mission[]> {
    const found: Mission[] = []
    for (const name of names) {
      if (name === everyInside) found.push(...(await this.#missionsAt(await this.all())))
      else if (name.endsWith(`/${everyInside}`))
        found.push(...(await this.within(name.slice(0, -everyInside.length - 1))))
      else found.push(await this.open(name))
    }
    return [...new Set(found)]
  }

  /** Claims from the first of these missions that has a message for the agent. While it waits, new missions count too. */
  async claim(names: readonly string[], options: ClaimOptions): Promise<Claimed> {
    const missions = await this.meant(names)
    const [only, another] = missions
    const isFixed = names.every((name) => !name.endsWith(everyInside))
    if (only && !another && isFixed) return only.claims.next(options)
    const { claimFromMissions } = await import('./claim-from-missions.ts')
    return claimFromMissions(this.#parts.tree, () => this.meant(names), options)
  }

  all(): Promise<MissionAddress[]> {
    return this.#collect(this.#parts.root, '')
  }

  /** A mission and every mission inside it, at any depth, parents first. */
  async within(name: string): Promise<[Mission, ...Mission[]]> {
    const outer = await this.open(name)
    const folder = subMissionsPath({ root: this.#parts.root, address: outer.address })
    return [outer, ...(await this.#missionsAt(await this.#collect(folder, `${outer.address}/`)))]
  }

  #missionsAt(addresses: readonly MissionAddress[]): Promise<Mission[]> {
    return Promise.all(addresses.map((address) => this.#missionAt(address)))
  }

  async #collect(folder: TreePath, prefix: string): Promise<MissionAddress[]> {
    const { tree, root } = this.#parts
    const found: MissionAddress[] = []
    for (const { name, kind } of await tree.list(folder)) {
      if (kind !== 'folder' || !isMessageId(name)) continue
      const place = { root, address: `${prefix}${name}` as MissionAddress }
      if (!(await this.#isThere(place))) continue
      found.push(place.address, ...(await this.#collect(subMissionsPath(place), `${place.address}/`)))
    }
    return found
  }

  async #missionAt(address: MissionAddress): Promise<Mission> {
    const { Mission } = await import('./mission.ts')
    const known = this.#open.get(address) ?? new Mission(this.#parts, address)
    this.#open.set(address, known)
    return known
  }
}
