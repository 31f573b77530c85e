/**
 * The bridge to a model: a prompt is rendered and staged whole in `temp/cursor_input.txt`, and the response in
 * `temp/cursor_output.json` is taken once, by a rename into the archive. A response does not say which prompt it answers, so a
 * note keeps the prompts that have none yet. See docs/decisions/0042-which-prompt-a-response-answers.md. Spec: Dream.OS,
 * File-Based Message Bus.
 */
import { isUtf8 } from 'node:buffer'
import { call, inputs } from '../../../kernel/call.ts'
import { corrupt, notFound, unavailable, unsupported } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { childOf, isSegment, nameOf, type TreePath, treePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Tree } from '../../../tree/tree.ts'
import { isEvent } from '../event-format.ts'
import { type PlainMessage, parseMessage } from '../format.ts'
import {
  messageFileName,
  promptPath,
  responsePath,
  routedName,
  stemOf,
  tempArchivePath,
  templatesPath,
  tempPath,
  unansweredPath,
} from '../layout.ts'
import { type AgentId, broadcast, isAgentId } from '../names.ts'
import { problemText } from '../problem.ts'
import { isObject, type PlannerEvent } from '../schema.ts'
import { compactTime, isoOf } from '../times.ts'
import type { Recipient } from './agents.ts'
import { moveToArchive } from './moving.ts'
import { noteNameOf, readNote, writeNote } from './notes.ts'
import type { Fetched, Staged } from './outcomes.ts'
import { bytesOf, Part, pathIn, pause } from './parts.ts'
import type { Outgoing } from './sending.ts'

/** An object, or its text in JSON: a template tells `1` from `1.0`, which parsing would make one. */
type Vars = Readonly<Record<string, unknown>> | string

interface FetchOptions {
  readonly waitMs?: number | undefined
  /** Hand a response that is an event to its target. */
  readonly dispatch?: boolean
  readonly recipient?: Recipient
  /** The response counts as fetched only when `handedOut` is called: after it was written out. */
  readonly untilHandedOut?: boolean
  readonly signal?: AbortSignal | undefined
}

interface AskOptions extends FetchOptions {
  /** Who asks. */
  readonly by: string
  /** Ask although an earlier prompt has no answer yet. A late answer to that one is then taken for the answer to this one. */
  readonly anew?: boolean
}

/** A prompt that has no response yet. */
interface Unanswered {
  readonly id: string
  readonly at: number
  /** Equal for equal prompts. */
  readonly digest: string
  readonly by?: string
}

type GivenResponse = Extract<Fetched, { outcome: 'fetched' }>

const largestTemplate = 1024 * 1024
const bridge = 'dream prompt'
/** Renewed while a process waits for an answer. A killed process blocks the others at most this long. */
const bridgeLeaseMs = 15_000
/** Endings of archived responses: an event that is not handed on yet, and a response that was not shown to its caller yet. */
const pendingEnd = '.pending.json'
const untoldEnd = '.untold.json'
const ends = ['.json', pendingEnd, untoldEnd] as const

export class Prompts extends Part {
  async render(name: string, vars: Vars): Promise<string> {
    const { renderer } = this.parts.ports
    if (!renderer)
      throw unsupported('NO_RENDERER', 'Templates cannot be rendered here.', {
        hint: `Use ${call('dream prompt render', { template: name })}.`,
      })
    const render = await renderer()
    const plain = name.startsWith('/') ? name : plainName(name)
    const wanted = plain.endsWith('.j2') ? plain : `${plain}.j2`
    await this.#expectTemplate(wanted)
    // A template may include a name that no file can have: such a template is missing.
    const load = (one: string) => (one.split('/').every(isSegment) ? this.#load(one) : undefined)
    return render({ name: wanted, data: vars, load: (one) => load(plainName(one)) })
  }

  async #expectTemplate(name: string): Promise<void> {
    if ((await this.#load(name)) !== undefined) return
    const entries = await listIfFolder(this.parts.tree, templatesPath(this.parts.places))
    const names = entries.map((entry) => entry.name).filter((one) => one.endsWith('.j2'))
    // The folder is not part of the name, but shells complete it.
    const inside = name.replace(`${nameOf(templatesPath(this.parts.places))}/`, '')
    const meant = names.includes(inside) ? inside : nearest(name, names)
    const path = `${templatesPath(this.parts.places)}/${name}`
    // The folder of that name in the local directory may be another one.
    const isElsewhere = !this.parts.tree.isOpenToOthers && /^[\w./-]+$/.test(name)
    const put = isElsewhere
      ? `Write it there in your directory, then: ${call('import', { paths: [path] })}`
      : 'Put it there.'
    throw notFound('NO_SUCH_TEMPLATE', `There is no template ${path}.`, {
      hint: meant === undefined ? put : `Did you mean ${meant}?`,
      details: { template: name.slice(0, 400) },
    })
  }

  /** Only from the folder of templates: `treePath` lets no name lead out of it, and the tree follows no link. */
  async #load(name: string): Promise<string | undefined> {
    const path = treePath(`${templatesPath(this.parts.places)}/${treePath(name)}`)
    const leaf = await readOrSayWhy(this.parts.tree, path, { most: largestTemplate })
    if (!leaf) return undefined
    if (isUnread(leaf)) throw badTemplate(path, leaf.problem.message)
    if (!isUtf8(leaf.bytes)) throw badTemplate(path, 'It is not UTF-8.')
    return Buffer.from(leaf.bytes).toString('utf8')
  }

  /** Renders a prompt and puts it where the bridge reads it; the prompt before it is archived. */
  async stage(name: string, vars: Vars, { by }: { readonly by?: string } = {}): Promise<Staged> {
    const text = await this.render(name, vars)
    const holder = await this.#holder()
    if (holder !== undefined && holder !== by) throw busy(holder)
    return this.#stageText(text, by)
  }

  /** The prompt is noted as unanswered first: a kill then leaves one note too many, never one too few. */
  async #stageText(text: string, by: string | undefined): Promise<Staged> {
    const { tree, places } = this.parts
    const path = promptPath(places)
    const bytes = bytesOf(text)
    const asked = { id: newKey(), at: await tree.now(), digest: digestOf(text) }
    await this.#inTurn(async (unanswered) => {
      await this.#noteUnanswered([...unanswered, by === undefined ? asked : { ...asked, by: by.split(' ')[0]! }])
    })
    for (;;) {
      const before = await tree.read(path)
      const kept = before && (await this.#keepPrompt(before.bytes, before.modifiedAt))
      const written = before ? await tree.replace(path, bytes, before.revision) : await tree.create(path, bytes)
      if (written.outcome !== 'created' && written.outcome !== 'replaced') continue
      return { outcome: 'staged', path, ...(kept === undefined ? {} : { kept }), text, durability: written.durability }
    }
  }

  /** Runs `work` with the unanswered prompts, while no other process stages a prompt or takes a response. */
  #inTurn<T>(work: (unanswered: readonly Unanswered[]) => Promise<T>): Promise<T> {
    return this.parts.tree.exclusively('dream prompts', async () => work(await this.#unanswered()))
  }

  /** The noted prompts without those whose response was archived by a process that was killed before it changed the note. */
  async #unanswered(): Promise<readonly Unanswered[]> {
    const note = await readNote(this.parts.tree, unansweredPath)
    const noted = Array.isArray(note?.unanswered) ? note.unanswered.filter(isUnanswered) : []
    const left: Unanswered[] = []
    for (const one of noted) if (!(await this.#isAnswered(one))) left.push(one)
    return left
  }

  async #isAnswered(one: Unanswered): Promise<boolean> {
    for (const end of ends) if (await this.parts.tree.look(this.#archived(`${answerName(one)}${end}`))) return true
    return false
  }

  async #noteUnanswered(unanswered: readonly Unanswered[]): Promise<void> {
    await writeNote(this.parts.tree, unansweredPath, { unanswered: unanswered.slice(-mostUnanswered) })
  }

  #archived = (name: string): TreePath => childOf(tempArchivePath(this.parts.places), name)

  /** Archives a prompt under a name derived from it, so that a repeat after a crash archives it once. */
  async #keepPrompt(bytes: Uint8Array, at: number): Promise<TreePath> {
    const digest = noteNameOf(Buffer.from(bytes).toString('latin1'), String(at)).slice(0, 8)
    const path = this.#archived(`cursor_input-${compactTime(at)}-${digest}.txt`)
    await this.parts.tree.create(path, bytes)
    return path
  }

  /**
   * Takes the response, or waits for it. A malformed response may be half-written: it gets time, then is an error and stays.
   * `by`: the caller, if it holds the bridge. While a process holds the bridge, it alone gets the response.
   */
  async fetch(options: FetchOptions = {}, by?: string): Promise<Fetched> {
    const { waitMs = 0, signal, untilHandedOut = false } = options
    const { tree, places, settings } = this.parts
    let bad: { readonly reason: string; readonly since: number } | undefined
    const attempt = async (): Promise<GivenResponse | undefined> => {
      const holder = await this.#holder()
      if (holder !== undefined && holder !== by) return undefined
      const found = await this.#look()
      if (found === undefined) bad = undefined
      else if (found.outcome === 'malformed') bad = { reason: found.reason, since: bad?.since ?? performance.now() }
      else return this.#take(found.message, options)
      return undefined
    }
    const wait = (ms: number) => waitFor(tree, ms > 0 ? [tempPath(places)] : [], attempt, { waitMs: ms, signal })
    // The holder of the bridge wants the answer to its own prompt, not a response that was left from an earlier one.
    const left = async () => (by === undefined ? this.#takeUntold() : undefined)
    const first = (await left()) ?? (await wait(waitMs))
    // A response that is being written right now gets a little longer.
    const rest = bad === undefined ? 0 : settings.settleMs - (performance.now() - bad.since)
    const fetched = first ?? (rest > 0 ? await wait(rest) : undefined) ?? (await left())
    if (fetched && !untilHandedOut) await this.handedOut(fetched.path)
    if (fetched) return fetched
    if (bad !== undefined) throw badResponse(tree, responsePath(places), bad.reason)
    return { outcome: 'nothing' }
  }

  /** The response at this path was shown to its caller: it is not handed out again. */
  async handedOut(path: string): Promise<void> {
    const name = nameOf(treePath(path))
    await moveToArchive(this.parts, this.#archived(`${stemOf(name)}${untoldEnd}`), name)
  }

  async #look(): Promise<
    { outcome: 'whole'; message: PlainMessage } | { outcome: 'malformed'; reason: string } | undefined
  > {
    const { tree, places, settings } = this.parts
    // Listing puts back what a killed process was moving: the response may lie under a private name.
    await listIfFolder(tree, tempPath(places))
    const leaf = await readOrSayWhy(tree, responsePath(places), { most: settings.largest })
    if (!leaf) return undefined
    if (isUnread(leaf)) return { outcome: 'malformed', reason: leaf.problem.message }
    if (leaf.size === 0) return { outcome: 'malformed', reason: 'It is empty.' }
    const parsed = parseMessage(leaf.bytes, { compat: this.parts.compat, most: settings.largest })
    if (parsed.outcome === 'message') return { outcome: 'whole', message: parsed.message }
    return { outcome: 'malformed', reason: problemText(parsed.problems) }
  }

  /** Of two processes that wait, one gets the response. Its content is read from the archived file. */
  async #take(seen: PlainMessage, { dispatch = false, recipient }: FetchOptions): Promise<GivenResponse | undefined> {
    const { compat, settings } = this.parts
    const target = (message: unknown) => (dispatch && isEvent(message) ? message.target_id : undefined)
    const to = target(seen)
    const notices = to !== undefined && isAgentId(to) ? ((await recipient?.(to)) ?? []) : []
    const taken = await this.#moveToArchive(dispatch ? pendingEnd : untoldEnd, (bytes) => {
      const parsed = parseMessage(bytes, { compat, most: settings.largest })
      return parsed.outcome === 'message' && target(parsed.message) === to
    })
    const read = taken && (await this.#read(taken.path))
    if (!read) return undefined
    const fetched = { outcome: 'fetched', response: read.message, durability: taken.durability } as const
    if (!dispatch) return { ...fetched, path: finalOf(taken.path), notices: [] }
    const done = await this.#dispatch(taken.path, read.message, read.bytes)
    return { ...fetched, ...done, notices: [...notices, ...done.notices] }
  }

  /** Archives the response as the answer to the oldest unanswered prompt. */
  #moveToArchive(end: (typeof ends)[number], isWanted: (bytes: Uint8Array) => boolean) {
    const { tree, places } = this.parts
    return this.#inTurn(async (unanswered) => {
      const [first, ...rest] = unanswered
      const name = answerName(first ?? { at: await tree.now(), id: newKey() })
      const moved = await moveToArchive(this.parts, responsePath(places), `${name}${end}`, {
        change: (bytes) => (isWanted(bytes) ? bytes : undefined),
      })
      if (moved.outcome !== 'moved') return undefined
      if (first) await this.#noteUnanswered(rest)
      return { path: this.#archived(`${name}${end}`), durability: moved.durability }
    })
  }

  async #read(path: TreePath) {
    const leaf = await this.parts.tree.read(path)
    const parsed = leaf && parseMessage(leaf.bytes, { compat: true, most: this.parts.settings.largest })
    return parsed?.outcome === 'message' ? { message: parsed.message, bytes: leaf!.bytes } : undefined
  }

  /**
   * A response whose taker was killed, or cut off, before it showed it. A young one is left to its taker for a while; our own
   * clock bounds that, because the time of the file may be wrong.
   */
  async #takeUntold(): Promise<GivenResponse | undefined> {
    const { tree, settings } = this.parts
    const since = performance.now()
    for (;;) {
      let isAnyYoung = false
      for (const path of await this.untold()) {
        const entry = await tree.look(path)
        if (!entry) continue
        const isYoung = (await tree.now()) - entry.changedAt < settings.settleMs
        if (isYoung && performance.now() - since < settings.settleMs) isAnyYoung = true
        else {
          const given = await this.#giveAgain(path)
          if (given) return given
        }
      }
      if (!isAnyYoung) return undefined
      await pause(20)
    }
  }

  /** Renames the response, so that only one of two processes hands it out again. */
  async #giveAgain(path: TreePath): Promise<GivenResponse | undefined> {
    const name = `${answerName({ at: await this.parts.tree.now(), id: newKey() })}${untoldEnd}`
    const moved = await moveToArchive(this.parts, path, name, { touched: true })
    const read = moved.outcome === 'moved' ? await this.#read(this.#archived(name)) : undefined
    if (moved.outcome !== 'moved' || !read) return undefined
    const notices = ['It came before this, and nobody is known to have been shown it.']
    const final = finalOf(this.#archived(name))
    return { outcome: 'fetched', response: read.message, path: final, durability: moved.durability, notices }
  }

  /** The responses that may not have been shown to any caller, the oldest first. */
  untold(): Promise<TreePath[]> {
    return this.#archivedWith(untoldEnd)
  }

  async #archivedWith(end: string): Promise<TreePath[]> {
    const entries = await listIfFolder(this.parts.tree, tempArchivePath(this.parts.places))
    return entries.flatMap(({ name, kind }) =>
      kind === 'leaf' && name.endsWith(end) && isSegment(name) ? [this.#archived(name)] : [],
    )
  }

  /** Delivers a response to its targets. Without a target it waits for the next process that fetches. */
  async #dispatch(
    path: TreePath,
    response: unknown,
    bytes: Uint8Array,
  ): Promise<Pick<GivenResponse, 'path' | 'dispatched' | 'copies'> & { readonly notices: readonly string[] }> {
    const final = finalOf(path)
    const key = stemOf(nameOf(final))
    const targets = isEvent(response) ? await this.#targetsOf(response) : []
    const copies: TreePath[] = []
    if (isEvent(response)) {
      const name = messageFileName(key)
      const from = isAgentId(response.source_id) ? routedName(name, response.source_id) : name
      // The bytes as they are keep the digits of large numbers. With compat they may have remarks, which must not be handed on.
      const text = this.parts.compat ? `${JSON.stringify(response, null, 2)}\n` : bytes
      for (const to of targets) copies.push(await this.#deliverOne(path, { to, name: from, text }))
    }
    const [dispatched] = copies
    await moveToArchive(this.parts, path, dispatched === undefined ? `${key}${untoldEnd}` : nameOf(final))
    if (dispatched === undefined)
      return { path: final, notices: ['The response is no event for an agent; it was handed to nobody.'] }
    const notices = copies.length > 1 ? [`Each of these got it: ${targets.join(', ')}.`] : []
    return { path: final, dispatched, ...(copies.length > 1 ? { copies } : {}), notices }
  }

  /** One agent, or for a broadcast all but its sender. */
  async #targetsOf({ source_id, target_id }: PlannerEvent): Promise<readonly AgentId[]> {
    if (target_id === broadcast) return (await this.dream.agents.known()).filter((one) => one !== source_id)
    return isAgentId(target_id) ? [target_id] : []
  }

  /** Delivers a response, unless another process has taken this one for dead, delivered it and renamed it. */
  #deliverOne(response: TreePath, message: Outgoing): Promise<TreePath> {
    const { tree } = this.parts
    return tree.exclusively(`dream ${response}`, async () => {
      if (await tree.look(response)) return (await this.dream.sending.deliverOnce(message)).path
      return pathIn(this.parts, message.to, 'inbox', message.name)
    })
  }

  /** Delivers responses that killed processes fetched and did not deliver. */
  async dispatchPending(): Promise<void> {
    for (const path of await this.#archivedWith(pendingEnd)) {
      const read = await this.#read(path)
      if (read) await this.#dispatch(path, read.message, read.bytes)
    }
  }

  /** Stages and fetches while no other process does, so that each caller gets the answer to its own prompt. */
  async ask(
    name: string,
    vars: Vars,
    { by, waitMs = 0, anew = false, ...options }: AskOptions,
  ): Promise<Fetched & { readonly prompt: string; readonly notices: readonly string[] }> {
    const { tree } = this.parts
    const text = await this.render(name, vars)
    const owner = `${by} ${crypto.randomUUID()}`
    const until = performance.now() + waitMs
    while ((await tree.lease(bridge, owner, bridgeLeaseMs)).outcome === 'busy') {
      const left = until - performance.now()
      if (left <= 0 || options.signal?.aborted) throw busy((await this.#holder()) ?? 'somebody else')
      await pause(Math.min(left, 100 + Math.random() * 200))
    }
    const renewing = setInterval(() => void tree.lease(bridge, owner, bridgeLeaseMs).catch(() => {}), bridgeLeaseMs / 3)
    renewing.unref?.()
    const left = () => Math.max(0, until - performance.now())
    try {
      if (anew) await this.#inTurn(() => this.#noteUnanswered([]))
      const notices = await this.#clear(digestOf(text), left, options.signal)
      if (!(await this.#isStaged(text))) await this.#stageText(text, owner)
      const fetched = await this.fetch({ ...options, waitMs: left() }, owner)
      return { ...fetched, prompt: text, notices: [...notices, ...(fetched.notices ?? [])] }
    } finally {
      clearInterval(renewing)
      await tree.release(bridge, owner)
    }
  }

  /** Whether this prompt is staged already and has no answer yet. */
  async #isStaged(text: string): Promise<boolean> {
    if ((await this.#inTurn(async (unanswered) => unanswered.length)) === 0) return false
    const leaf = await this.parts.tree.read(promptPath(this.parts.places))
    return leaf !== undefined && Buffer.from(leaf.bytes).equals(bytesOf(text))
  }

  /**
   * Archives responses to earlier prompts, and waits for those that are still to come: a late response would be taken for the
   * answer to the next prompt. Earlier prompts with the same text do not matter: they have the same answer.
   */
  async #clear(digest: string, left: () => number, signal: AbortSignal | undefined): Promise<string[]> {
    const { tree, places, settings } = this.parts
    const notices: string[] = []
    let owed: readonly Unanswered[] = []
    let badSince: number | undefined
    const attempt = async (): Promise<true | undefined> => {
      for (;;) {
        owed = await this.#inTurn(async (unanswered) => unanswered)
        const found = await this.#look()
        const isSame = owed.length > 0 && owed.every((one) => one.digest === digest)
        if (!found || (found.outcome === 'whole' && isSame)) return owed.length === 0 || isSame ? true : undefined
        if (found.outcome === 'malformed') {
          badSince ??= performance.now()
          const isYoung = performance.now() - badSince < settings.settleMs
          if (isYoung) await pause(20)
          // A file that is no response is archived, and never handed out.
          else await moveToArchive(this.parts, responsePath(places), `${answerStart}-${newKey()}.unasked.json`)
          continue
        }
        if (!(await this.#moveToArchive(untoldEnd, () => true))) continue
        notices.push(`A response to an earlier prompt is kept: ${call('dream prompt fetch')} hands it out.`)
      }
    }
    const waitMs = left()
    if (await waitFor(tree, waitMs > 0 ? [tempPath(places)] : [], attempt, { waitMs, signal })) return notices
    throw owes(owed)
  }

  async #holder(): Promise<string | undefined> {
    return (await this.parts.tree.leases()).find(({ resource }) => resource === bridge)?.owner
  }
}

/** `./part.j2` is `part.j2`, as Jinja2 finds it. */
const plainName = (name: string): string =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

/** How many unanswered prompts are remembered. */
const mostUnanswered = 1000

const answerStart = 'cursor_output'
const wait = inputs({ wait: 'SECONDS' })
const newKey = (): string => crypto.randomUUID().slice(0, 8)

/** What the response to a prompt is called in the archive, without its end. */
const answerName = ({ at, id }: Pick<Unanswered, 'at' | 'id'>): string => `${answerStart}-${compactTime(at)}-${id}`

/** The path of a response after it was handed on or shown. */
const finalOf = (path: TreePath): TreePath => path.replace(pendingEnd, '.json').replace(untoldEnd, '.json') as TreePath

const digestOf = (text: string): string => noteNameOf(text).slice(0, 16)

/** Checks an entry of the note, which another program may have written. */
const isUnanswered = (value: unknown): value is Unanswered =>
  isObject(value) &&
  /^[0-9a-f]{8}$/.test(String(value.id)) &&
  Number.isSafeInteger(value.at) &&
  Math.abs(value.at as number) < 8e15 &&
  typeof value.digest === 'string' &&
  (value.by === undefined || typeof value.by === 'string')

const owes = (owed: readonly Unanswered[]) => {
  const [{ by = 'somebody', at } = { at: 0 }] = owed
  return unavailable(
    'BRIDGE_OWES',
    `The bridge has not answered the prompt of ${by} of ${isoOf(at)} yet: an answer that came now could be to that one. Nothing was staged.`,
    {
      hint: `Wait for it with ${wait}, or take it: ${call('dream prompt fetch')}. If it never comes, ask with ${inputs({ anew: true })}.`,
      details: { unanswered: owed.length, by, at: isoOf(at) },
    },
  )
}

const busy = (holder: string) =>
  unavailable('BRIDGE_BUSY', `${holder.split(' ')[0]} waits for an answer to a prompt of its own.`, {
    hint: `Try again when it has its answer, or wait longer with ${wait}.`,
    details: { holder: holder.split(' ')[0] },
  })

const badTemplate = (path: TreePath, reason: string) =>
  corrupt('BAD_TEMPLATE', `${path}: ${reason}`, { hint: 'Correct the template, or replace it.', details: { path } })

const badResponse = (tree: Tree, path: TreePath, reason: string) =>
  corrupt('BAD_RESPONSE', `${tree.place}/${path} is no response: ${reason} It stays where it is.`, {
    hint: 'Let the program that writes it write one JSON object, under another name first, and rename it.',
    details: { path, reason },
  })
