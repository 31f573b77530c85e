/**
 * From when a claim counts: from the last change of its file. If that time lies in the future, because a clock was far ahead, the
 * claim counts from when a process first saw it. That process leaves a note for the others.
 */
import { parseJson } from '../../../formats/json.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { AcmqRecord } from '../schema.ts'
import type { MissionFiles } from './parts.ts'

/** Milliseconds by which the time of a file and the time of the tree may differ. */
const tolerance = 10_000
const longestNote = 200

type Claim = Pick<AcmqRecord, 'id' | 'attempt'>

interface Note {
  /** The time of the file, in the future. If the file has another time by now, the claim was renewed. */
  readonly changedAt: number
  readonly seenAt: number
}

export class StallTimes {
  readonly #files: MissionFiles
  readonly #notes: TreePath

  constructor(files: MissionFiles) {
    this.#files = files
    this.#notes = files.notes('ahead')
  }

  /** `now`: the tree's time. */
  async of(claim: Claim, changedAt: number, now: number): Promise<number> {
    if (changedAt <= now + tolerance) return changedAt
    try {
      return await this.#firstSeen(this.#noteOf(claim), changedAt, now)
    } catch (error) {
      // This user may not write a note; for this user the claim begins now.
      if (error instanceof SignalboxError && error.kind === 'Denied') return now
      throw error
    }
  }

  async keepOnly(claims: readonly Claim[]): Promise<void> {
    const { tree } = this.#files
    const kept = new Set(claims.map((claim) => this.#noteOf(claim)))
    for (const { name, kind } of await tree.list(this.#notes)) {
      const path = childOf(this.#notes, name)
      if (kind === 'leaf' && !kept.has(path)) await tree.remove(path)
    }
  }

  async #firstSeen(path: TreePath, changedAt: number, now: number): Promise<number> {
    const { tree } = this.#files
    const noted = noteIn((await tree.read(path, { atMost: longestNote }))?.bytes)
    if (noted?.changedAt === changedAt && noted.seenAt <= now + tolerance) return noted.seenAt
    // Otherwise the note is about an earlier claim, is cut off, or was written while the clock was ahead.
    const isOld = (note: Note | undefined) => note?.changedAt !== changedAt || note.seenAt > now + tolerance
    await tree.remove(path, { onlyIf: (bytes) => isOld(noteIn(bytes)) })
    const note: Note = { changedAt, seenAt: now }
    await tree.create(path, `${JSON.stringify(note)}\n`)
    return now
  }

  #noteOf({ id, attempt }: Claim): TreePath {
    return childOf(this.#notes, `${id}.${attempt}`)
  }
}

function noteIn(bytes: Uint8Array | undefined): Note | undefined {
  try {
    const { changedAt, seenAt } = (bytes ? (parseJson(bytes) ?? {}) : {}) as Record<string, unknown>
    return typeof changedAt === 'number' && typeof seenAt === 'number' ? { changedAt, seenAt } : undefined
  } catch (error) {
    // A note that cannot be read is written anew.
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
