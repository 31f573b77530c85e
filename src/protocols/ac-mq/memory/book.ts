/**
 * All that is known of the messages of a mission and of its bus documents from the last time that documents were renewed: what
 * each message is compared by, which are most alike, and what each document was made of. Disposable. Pure.
 */
import type { Neighbours } from '../../../text/neighbours.ts'
import type { BusHead } from './bus-document.ts'
import type { Noted } from './noted.ts'

/** A message, and what its file looked like when it was read: as long as it looks the same it is not read again. */
export interface BookEntry extends Noted {
  /** Empty: to be read again in any case. */
  readonly mark: string
}

/** A document as it stands there. */
export interface BookDocument extends Omit<BusHead, 'summary'> {
  /** Of its files, as above. */
  readonly mark: string
  /** Of the parts that are there, up to the first that is missing. */
  readonly partChecks: readonly string[]
  /** Of everything it was made of; empty when that is not known. */
  readonly madeOf: string
}

export interface Book {
  /** Titles of milestones that every message was held against. */
  readonly titles: readonly string[]
  /** By where they lie: `pending/NAME`, or the place in the archive. */
  readonly entries: ReadonlyMap<string, BookEntry>
  /** By name. */
  readonly documents: ReadonlyMap<string, BookDocument>
  /** Whose vectors were compared. */
  readonly provider: string
  readonly neighbours?: Neighbours
  /** How usual words are in the mission, and which messages of the sample that was counted in. */
  readonly usage?: BookUsage
}

export interface BookUsage {
  readonly sample: string
  readonly ids: readonly string[]
  /** How many texts were counted, and how many of them say each stem. */
  readonly texts: number
  readonly counts: ReadonlyMap<string, number>
}

export const emptyBook: Book = { titles: [], entries: new Map(), documents: new Map(), provider: '' }
