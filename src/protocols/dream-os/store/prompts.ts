/**
 * The bridge to a model: a prompt is rendered and staged whole in `temp/cursor_input.txt`, and the response in
 * `temp/cursor_output.json` is taken once, by a rename into the archive. Spec: Dream.OS, File-Based Message Bus.
 */
import { isUtf8 } from 'node:buffer'
import { corrupt, notFound, unavailable, unsupported } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { childOf, isSegment, nameOf, type TreePath, treePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../tree/readable.ts'
import type { Tree } from '../../../tree/tree.ts'
import { waitFor } from '../../../tree/wait.ts'
import { isEvent } from '../event-format.ts'
import { parseMessage } from '../format.ts'
import {
  messageFileName,
  promptPath,
  responsePath,
  routedName,
  stemOf,
  tempArchivePath,
  templatesPath,
  tempPath,
} from '../layout.ts'
import { type AgentId, broadcast, isAgentId } from '../names.ts'
import { told } from '../problem.ts'
import type { PlannerEvent } from '../schema.ts'
import { isoOf } from '../times.ts'
import type { Deliveries, Outgoing } from './deliveries.ts'
import { moveToArchive, renameInArchive } from './moving.ts'
import { noteNameOf } from './notes.ts'
import type { Fetched, Staged } from './outcomes.ts'
import { bytesOf, type DreamParts, pathIn, unlessOdd } from './parts.ts'

/** An object, or its text in JSON: a template tells `1` from `1.0`, which parsing would make one. */
export type Vars = Readonly<Record<string, unknown>> | string

export interface FetchOptions {
  readonly waitMs?: number
  /** Hand a response that is an event to its target. */
  readonly dispatch?: boolean
  readonly signal?: AbortSignal
}

export interface AskOptions extends FetchOptions {
  /** Who asks. */
  readonly by: string
}

const largestTemplate = 1024 * 1024
const bridge = 'dream prompt'
/** Renewed while somebody waits for an answer, so that whoever dies blocks the others for so long at most. */
const bridgeLeaseMs = 15_000
/** The end of an archived response whose event is not handed on yet. */
const pendingEnd = '.pending.json'

export class Prompts {
  readonly #parts: DreamParts
  readonly #deliveries: Deliveries

  constructor(parts: DreamParts, deliveries: Deliveries) {
    this.#parts = parts
    this.#deliveries = deliveries
  }

  async render(name: string, vars: Vars): Promise<string> {
    const { renderer } = this.#parts.ports
    if (!renderer)
      throw unsupported('NO_RENDERER', 'Templates cannot be rendered here.', { hint: 'Use signalbox dream prompt.' })
    const render = await renderer()
    const plain = name.startsWith('/') ? name : plainName(name)
    const wanted = plain.endsWith('.j2') ? plain : `${plain}.j2`
    await this.#expectTemplate(wanted)
    return render({ name: wanted, data: vars, load: (one) => this.#loadNamed(plainName(one)) })
  }

  /** What a template names. One that cannot be the name of a file is not there, as others that are not there. */
  async #loadNamed(name: string): Promise<string | undefined> {
    return name.split('/').every(isSegment) ? this.#load(name) : undefined
  }

  async #expectTemplate(name: string): Promise<void> {
    if ((await this.#load(name)) !== undefined) return
    const entries = (await unlessOdd(() => this.#parts.tree.list(templatesPath(this.#parts.places)))) ?? []
    const names = entries.map((entry) => entry.name).filter((one) => one.endsWith('.j2'))
    // The folder is not part of the name, but shells complete it.
    const inside = name.replace(`${nameOf(templatesPath(this.#parts.places))}/`, '')
    const meant = names.includes(inside) ? inside : nearest(name, names)
    const path = `${templatesPath(this.#parts.places)}/${name}`
    // On a cluster the folder of that name in the local directory is another one.
    const put = this.#parts.tree.first ? 'Put it there: signalbox import FILE --into' : 'Put it into'
    throw notFound('NO_SUCH_TEMPLATE', `There is no template ${path}.`, {
      hint: meant === undefined ? `${put} ${templatesPath(this.#parts.places)}` : `Did you mean ${meant}?`,
      details: { template: name.slice(0, 400) },
    })
  }

  /** Only from the folder of templates: `treePath` lets no name lead out of it, and the tree follows no link. */
  async #load(name: string): Promise<string | undefined> {
    const path = treePath(`${templatesPath(this.#parts.places)}/${treePath(name)}`)
    const leaf = await readOrSayWhy(this.#parts.tree, path, { most: largestTemplate })
    if (!leaf) return undefined
    if (isUnread(leaf)) throw badTemplate(path, leaf.problem.message)
    if (!isUtf8(leaf.bytes)) throw badTemplate(path, 'It is not UTF-8.')
    return Buffer.from(leaf.bytes).toString('utf8')
  }

  /** Renders a prompt and puts it where the bridge reads it; the one before is kept. */
  async stage(name: string, vars: Vars, { by }: { readonly by?: string } = {}): Promise<Staged> {
    const text = await this.render(name, vars)
    const holder = await this.#holder()
    if (holder !== undefined && holder !== by) throw busy(holder)
    return this.stageText(text)
  }

  async stageText(text: string): Promise<Staged> {
    const { tree, places } = this.#parts
    const path = promptPath(places)
    const bytes = bytesOf(text)
    for (;;) {
      const before = await tree.read(path)
      const kept = before && (await this.#keepPrompt(before.bytes, before.modifiedAt))
      const written = before ? await tree.replace(path, bytes, before.revision) : await tree.create(path, bytes)
      if (written.outcome !== 'created' && written.outcome !== 'replaced') continue
      return { outcome: 'staged', path, ...(kept === undefined ? {} : { kept }), text, durability: written.durability }
    }
  }

  /** Under a name that tells which one it is, so that a repeat after a crash keeps it once. */
  async #keepPrompt(bytes: Uint8Array, at: number): Promise<TreePath> {
    const digest = noteNameOf(Buffer.from(bytes).toString('latin1'), String(at)).slice(0, 8)
    const path = childOf(tempArchivePath(this.#parts.places), `cursor_input-${compactTime(at)}-${digest}.txt`)
    await this.#parts.tree.create(path, bytes)
    return path
  }

  /** Takes the response, or waits for it. Half-written and malformed ones are waited for, then reported, and stay. */
  async fetch(options: FetchOptions = {}): Promise<Fetched> {
    return this.#fetch(options, undefined)
  }

  async #fetch({ waitMs = 0, dispatch = false, signal }: FetchOptions, by: string | undefined): Promise<Fetched> {
    const { tree, places, settings } = this.#parts
    let bad: { readonly reason: string; readonly since: number } | undefined
    const attempt = async (): Promise<Extract<Fetched, { outcome: 'fetched' }> | undefined> => {
      const holder = await this.#holder()
      if (holder !== undefined && holder !== by) return undefined
      const found = await this.#look()
      if (found === undefined) bad = undefined
      else if (found.outcome === 'malformed') bad = { reason: found.reason, since: bad?.since ?? performance.now() }
      else return this.#take(dispatch)
      return undefined
    }
    const first = await waitFor(tree, waitMs > 0 ? [tempPath(places)] : [], attempt, {
      waitMs,
      ...(signal ? { signal } : {}),
    })
    // A response that is being written right now gets a little longer.
    const rest = bad === undefined ? 0 : settings.settleMs - (performance.now() - bad.since)
    const fetched =
      first ??
      (rest > 0
        ? await waitFor(tree, [tempPath(places)], attempt, { waitMs: rest, ...(signal ? { signal } : {}) })
        : undefined)
    if (fetched) return fetched
    if (bad !== undefined) throw badResponse(tree, responsePath(places), bad.reason)
    return { outcome: 'nothing' }
  }

  async #look(): Promise<{ outcome: 'whole' } | { outcome: 'malformed'; reason: string } | undefined> {
    const { tree, places, settings } = this.#parts
    const leaf = await readOrSayWhy(tree, responsePath(places), { most: settings.largest })
    if (!leaf) return undefined
    if (isUnread(leaf)) return { outcome: 'malformed', reason: leaf.problem.message }
    if (leaf.size === 0) return { outcome: 'malformed', reason: 'It is empty.' }
    const parsed = parseMessage(leaf.bytes, { compat: this.#parts.compat, most: settings.largest })
    return parsed.outcome === 'message' ? { outcome: 'whole' } : { outcome: 'malformed', reason: told(parsed.problems) }
  }

  /** Of two who wait, one gets it. What it says is read from the archived file. */
  async #take(dispatch: boolean): Promise<Extract<Fetched, { outcome: 'fetched' }> | undefined> {
    const { tree, places, settings, compat } = this.#parts
    const name = `cursor_output-${compactTime(await tree.now())}-${crypto.randomUUID().slice(0, 8)}`
    const whole = `${name}${dispatch ? pendingEnd : '.json'}`
    const isWhole = (bytes: Uint8Array) => parseMessage(bytes, { compat, most: settings.largest }).outcome === 'message'
    const moved = await moveToArchive(this.#parts, responsePath(places), whole, {
      change: (bytes) => (isWhole(bytes) ? bytes : undefined),
    })
    if (moved.outcome !== 'moved') return undefined
    const path = childOf(tempArchivePath(places), whole)
    const leaf = await tree.read(path)
    const parsed = leaf && parseMessage(leaf.bytes, { compat, most: settings.largest })
    if (parsed?.outcome !== 'message') return undefined
    const fetched = { outcome: 'fetched', response: parsed.message, durability: moved.durability } as const
    if (!dispatch) return { ...fetched, path, notices: [] }
    return { ...fetched, ...(await this.#dispatch(path, parsed.message, leaf!.bytes)) }
  }

  async #dispatch(
    path: TreePath,
    response: unknown,
    bytes: Uint8Array,
  ): Promise<Pick<Extract<Fetched, { outcome: 'fetched' }>, 'path' | 'dispatched' | 'copies' | 'notices'>> {
    const final = childOf(tempArchivePath(this.#parts.places), nameOf(path).replace(pendingEnd, '.json'))
    const key = stemOf(nameOf(final))
    const targets = isEvent(response) ? await this.#targetsOf(response) : []
    const copies: TreePath[] = []
    if (isEvent(response)) {
      const name = messageFileName(key)
      const from = isAgentId(response.source_id) ? routedName(name, response.source_id) : name
      // Its own bytes, in which every number has its digits; remarks are read with compat alone.
      const text = this.#parts.compat ? `${JSON.stringify(response, null, 2)}\n` : bytes
      for (const to of targets) copies.push(await this.#deliverOne(path, { to, name: from, text }))
    }
    await renameInArchive(this.#parts, path, nameOf(final))
    const [dispatched] = copies
    if (dispatched === undefined)
      return { path: final, notices: ['The response is no event for an agent; it was handed to nobody.'] }
    const notices = copies.length > 1 ? [`Each of these got it: ${targets.join(', ')}.`] : []
    return { path: final, dispatched, ...(copies.length > 1 ? { copies } : {}), notices }
  }

  /** One agent, or everybody but whoever it is from. */
  async #targetsOf({ source_id, target_id }: PlannerEvent): Promise<readonly AgentId[]> {
    if (target_id === broadcast) return (await this.#deliveries.agents.known()).filter((one) => one !== source_id)
    return isAgentId(target_id) ? [target_id] : []
  }

  /** Unless somebody else, who took us for dead, has done it and renamed the response. */
  #deliverOne(response: TreePath, message: Outgoing): Promise<TreePath> {
    const { tree } = this.#parts
    return tree.exclusively(`dream ${response}`, async () => {
      if (await tree.look(response)) return (await this.#deliveries.deliverOnce(message)).path
      return pathIn(this.#parts, message.to, 'inbox', message.name)
    })
  }

  /** Hands on what somebody fetched and died before handing it on. */
  async dispatchPending(): Promise<number> {
    const { tree, places, settings, compat } = this.#parts
    const folder = tempArchivePath(places)
    let count = 0
    for (const { name, kind } of (await unlessOdd(() => tree.list(folder))) ?? []) {
      if (kind !== 'leaf' || !name.endsWith(pendingEnd)) continue
      const path = childOf(folder, name)
      const leaf = await tree.read(path)
      const parsed = leaf && parseMessage(leaf.bytes, { compat, most: settings.largest })
      if (parsed?.outcome !== 'message') continue
      await this.#dispatch(path, parsed.message, leaf!.bytes)
      count++
    }
    return count
  }

  /** Stages and fetches while nobody else does, so that each who asks gets the answer to their own prompt. */
  async ask(
    name: string,
    vars: Vars,
    { by, waitMs = 0, ...options }: AskOptions,
  ): Promise<Fetched & { readonly prompt: string }> {
    const { tree } = this.#parts
    const text = await this.render(name, vars)
    const owner = `${by} ${crypto.randomUUID()}`
    const until = performance.now() + waitMs
    while ((await tree.lease(bridge, owner, bridgeLeaseMs)).outcome === 'busy') {
      const left = until - performance.now()
      if (left <= 0) throw busy((await this.#holder()) ?? 'somebody else')
      await pause(Math.min(left, 100 + Math.random() * 200))
    }
    const renewing = setInterval(() => void tree.lease(bridge, owner, bridgeLeaseMs).catch(() => {}), bridgeLeaseMs / 3)
    renewing.unref?.()
    try {
      // An answer to somebody's prompt before is not ours.
      const stale = `cursor_output-${compactTime(await tree.now())}-${crypto.randomUUID().slice(0, 8)}.unasked.json`
      await moveToArchive(this.#parts, responsePath(this.#parts.places), stale)
      await this.stageText(text)
      const fetched = await this.#fetch({ ...options, waitMs: Math.max(0, until - performance.now()) }, owner)
      return { ...fetched, prompt: text }
    } finally {
      clearInterval(renewing)
      await tree.release(bridge, owner)
    }
  }

  async #holder(): Promise<string | undefined> {
    return (await this.#parts.tree.leases()).find(({ resource }) => resource === bridge)?.owner
  }
}

/** `./part.j2` is `part.j2`, as Jinja2 finds it. */
const plainName = (name: string): string =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

/** `20261117T150000Z`: sorts, and is a name on every disk. */
const compactTime = (ms: number): string => isoOf(ms).replace(/[-:]|\.\d+/g, '')

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const busy = (holder: string) =>
  unavailable('BRIDGE_BUSY', `${holder.split(' ')[0]} waits for an answer to a prompt of its own.`, {
    hint: 'Try again when it has its answer, or wait longer with --wait.',
    details: { holder: holder.split(' ')[0] },
  })

const badTemplate = (path: TreePath, reason: string) =>
  corrupt('BAD_TEMPLATE', `${path}: ${reason}`, { hint: 'Correct the template, or replace it.', details: { path } })

const badResponse = (tree: Tree, path: TreePath, reason: string) =>
  corrupt('BAD_RESPONSE', `${tree.place}/${path} is no response: ${reason} It stays where it is.`, {
    hint: 'Let the program that writes it write one JSON object, under another name first, and rename it.',
    details: { path, reason },
  })
