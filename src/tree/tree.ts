/**
 * The tree: a few verbs over small leaves in folders. Every protocol is said in them, every engine keeps
 * their promises, and `test/conformance/tree.ts` holds each engine to each sentence below.
 *
 * Three words recur:
 * - *atomic*: other Signalbox processes see all of it or none of it, also after a `kill -9` at any instant;
 *   what a killed process left undone is finished or undone by the next one that comes across it.
 * - *missing*: a leaf that is not there is an outcome (`undefined`, `'gone'`), never an error. A folder that
 *   is not there is empty; writing makes it.
 * - *foreign*: a program that is not Signalbox and works on the same files. It may write, move and delete at
 *   any time; that is seen, never crashes anything, and never makes one message two.
 *
 * A leaf either stays where it is and changes (`replace`), or travels (`move`). To change the bytes of a leaf
 * that another process may move meanwhile, move it, onto itself if need be: a `replace` could bring back what was
 * moved away in the same instant.
 */
import type { TreePath } from '../kernel/tree-path.ts'

/** How safe a write is. `process`: survives a killed process. `batch` and `full`: also a power cut. */
export type Durability = 'process' | 'batch' | 'full'

/** Names one content of one leaf. Equal revisions mean equal bytes; they have no other meaning. */
export type Revision = string & { readonly __revision?: never }

export interface Leaf {
  readonly bytes: Uint8Array
  /** Bytes in all; more than `bytes.length` when `atMost` cut the read short. */
  readonly size: number
  /** Of the whole leaf. Reading it when `atMost` cut the read short throws. */
  readonly revision: Revision
  /** When the bytes were last written or touched. A move does not change it. */
  readonly modifiedAt: number
  /** The later of `modifiedAt` and the last move. */
  readonly changedAt: number
}

export interface Entry {
  readonly name: string
  /** `other`: a link, pipe, socket or device. It is listed so that it can be reported; it cannot be read. */
  readonly kind: 'leaf' | 'folder' | 'other'
}

export interface TimedEntry extends Entry {
  /** In bytes. Of a folder a rough measure that grows with what is in it, if the engine knows without counting; else 0. */
  readonly size: number
  readonly modifiedAt: number
  readonly changedAt: number
}

/** A claim on a name until a moment. `fence` grows with every new holder, so a late one can be recognised. */
export interface Lease {
  readonly resource: string
  readonly owner: string
  readonly until: number
  readonly fence: number
}

/** Makes a write happen only while this lease is still the newest on its resource and has not run out. */
export interface Guard {
  readonly under?: Lease
}

export interface CreateOptions extends Guard {
  /** What `first` finds the leaf by, as long as it is in its folder. No NUL. Called only by engines that keep labels. */
  readonly label?: () => string
}

export interface Labelled {
  readonly name: string
  readonly label: string
}

/** Overwrites a few bytes at a place, so that no copy of all the others is needed. */
export interface Overwrite {
  readonly at: number
  readonly bytes: Uint8Array
  /**
   * The bytes only repeat what the leaf's folder says. So they may be wrong after a crash or power cut: a reader can correct
   * them.
   */
  readonly restates?: true
}

/** When a leaf was last written or touched, and the later of that and its last move. */
export type Times = Pick<Leaf, 'modifiedAt' | 'changedAt'>

export type Changed = Uint8Array | Overwrite | undefined

export interface MoveOptions extends Guard {
  /** The label at the target, called after `change`. Without it, a leaf that leaves its folder loses its label. */
  readonly label?: () => string
  /**
   * Judges the leaf that is about to move, from its bytes, and says which bytes arrive. `undefined` calls the move off
   * ('kept'). On files the leaf has been won by then: no other process can move, change or judge it before this has answered.
   * May be called again when the leaf changed in between, so it must not have effects. Keep a copy of the bytes if they are
   * needed after an `await`: an engine may read the next leaf into the same memory.
   * `modifiedAt` is that from before the move; `changedAt` too where it was asked for (`timed`).
   */
  readonly change?: (before: Uint8Array, times: Times) => Changed | Promise<Changed>
  /** `change` needs `changedAt`. Finding it out costs a call. */
  readonly timed?: boolean
  /**
   * Shows `change` only the first so many bytes of what may be huge. When it is given as many as that, there may be more: it
   * must then return the very bytes it was given, and the leaf moves as it is, or call the move off.
   */
  readonly atMost?: number
  /** The modification time becomes now, also where the bytes stay the same. */
  readonly touched?: boolean
}

export interface RemoveOptions extends Guard {
  /** Judges the leaf when it has been won, as `change` does; false leaves it where it is ('kept'). */
  readonly onlyIf?: (before: Uint8Array, times: Times) => boolean
  /** Shows `onlyIf` only the first so many bytes of what may be huge. */
  readonly atMost?: number
}

/** What every successful write answers: how durable it is now, and the revision where there is one. */
export interface Written<Outcome extends string> {
  readonly outcome: Outcome
  readonly durability: Durability
}
interface WrittenBytes<Outcome extends string> extends Written<Outcome> {
  readonly revision: Revision
}
export interface Outcome<Name extends string> {
  readonly outcome: Name
}

export type Created = WrittenBytes<'created'> | Outcome<'taken' | 'fenced'>
export type Replaced = WrittenBytes<'replaced'> | Outcome<'stale' | 'gone' | 'fenced'>
export type Moved = Moving | Outcome<'gone' | 'taken' | 'kept' | 'fenced'>
export interface Moving extends Written<'moved'> {
  /** The bytes now at the target, after a `change` that gave all of them; not after an overwrite. */
  readonly bytes?: Uint8Array
}
export type Touched = Written<'touched'> | Outcome<'gone'>
export type Appended = Written<'appended'> | Outcome<'fenced'>
export type Removed = Written<'removed'> | Outcome<'gone' | 'kept' | 'fenced'>
export type Leased = { readonly outcome: 'held' | 'busy'; readonly lease: Lease }

/** Something an engine found out of order. `repaired` says whether this very call put it right. */
export interface Finding {
  readonly code: string
  readonly severity: 'note' | 'warning' | 'error'
  readonly path: string
  readonly message: string
  readonly hint: string
  readonly repaired: boolean
}

export interface InspectOptions {
  readonly repair?: boolean
  /** With `repair`: processes whose life is unknown count as dead. Only a person can know that. */
  readonly assumeGone?: boolean
  /** Folders to walk through, beside what the engine keeps for itself. */
  readonly within?: readonly TreePath[]
}

export interface TurnOptions {
  /** A caller that has waited so long (with 0: that would have to wait) gets LOCK_BUSY, and `work` is not run. */
  readonly waitMs?: number
  /**
   * `work` acts on nothing but this tree, and may be run again. An engine that has transactions makes one of it: other
   * processes see all of it or nothing, also when this one is killed, and an error undoes it. If anything that `work` has
   * read was changed by the end, nothing is written and `work` is run again. A turn within it belongs to the same transaction.
   * What is too large for a transaction, or has too many conflicts, is done verb by verb in a turn, as on other engines.
   */
  readonly mayRepeat?: boolean
}

export interface WatchOptions {
  /**
   * No regular calls as long as the system gives events, for a caller that waits for long and should rarely be woken. Events
   * do get lost when very many come at once, so the caller must look by itself now and then.
   */
  readonly quiet?: boolean
}

export interface Watching {
  /** `polling`: the system gives no events, so `onChange` is called about once a second. */
  readonly by: 'events' | 'polling'
  close(): void
}

export interface Tree {
  /** Where this tree is, for people: a directory, or an address without its secrets. */
  readonly place: string

  /** Whether other programs can put files, links or pipes into it by themselves, as into a directory. */
  readonly isOpenToOthers: boolean

  /**
   * The tree's own time, in milliseconds: what a leaf written this instant would say, within the granularity of its times.
   * Ages of leaves and ends of leases are measured by it and never by the clock of the process that asks, which may be the
   * one that is wrong among many.
   */
  now(): Promise<number>

  /**
   * Reads a leaf whole, or its first `atMost` bytes. Never sees half a write of ours; a foreign program that
   * writes in place can be seen half-way. Missing: `undefined`. A folder or `other` entry: throws NOT_A_LEAF. A leaf that
   * this user may not read: throws PERMISSION_DENIED with its owner; `readable.ts` makes an outcome of it.
   * An engine may answer from a copy, which another process's write reaches a moment later; `fresh` asks for everything that
   * was acknowledged to any process by now.
   */
  read(path: TreePath, options?: { readonly atMost?: number; readonly fresh?: boolean }): Promise<Leaf | undefined>

  /**
   * The first bytes of many leaves of a folder and the size of each, one call of `onHead` each; keep a copy to use them after
   * it returns. What is missing, is no leaf or cannot be read is left out: `read` tells why. Only engines have it for which
   * it is cheaper than as many reads.
   */
  heads?(
    folder: TreePath,
    names: readonly string[],
    atMost: number,
    onHead: (name: string, head: Uint8Array, size: number) => void,
  ): Promise<void>

  /**
   * Lists a folder, sorted by name, without reading bodies. Missing: empty. A leaf that another process is
   * changing right now is listed where it was. Not a snapshot: what comes or goes meanwhile may be in it or not. `fresh` as
   * for `read`.
   */
  list(folder: TreePath, options?: { readonly fresh?: boolean }): Promise<Entry[]>
  list(folder: TreePath, options: { readonly times: true }): Promise<TimedEntry[]>

  /**
   * The first leaves of a folder, at most so many for each beginning of a label, sorted by label. Only engines have it for
   * which listing is expensive; others keep no labels. `undefined` if a leaf in the folder has no label and would be
   * missed: then list.
   */
  first?(folder: TreePath, beginnings: readonly string[], atMost: number): Promise<readonly Labelled[] | undefined>

  /**
   * What is at a path, without reading it. Missing: `undefined`. Of a folder `modifiedAt` changes whenever a name in it comes
   * or goes; two changes within a few milliseconds can have the same time, so do not rely on a very recent one.
   */
  look(path: TreePath): Promise<TimedEntry | undefined>

  /**
   * Makes a leaf that was not there, whole or not at all; text as UTF-8. Of many creators of one name exactly one sees
   * 'created', foreign ones included as long as they do not overwrite. A repeat sees 'taken'.
   */
  create(path: TreePath, content: Uint8Array | string, options?: CreateOptions): Promise<Created>

  /**
   * Puts new bytes in place of those of `revision`. Atomic; readers see the old or the new, never neither.
   * 'stale' when the bytes are different by now; a repeat is 'stale' too, unless the bytes were the same. No update
   * of a Signalbox process is lost; a foreign write in the same instant may be. For leaves that are not moved.
   */
  replace(path: TreePath, bytes: Uint8Array, revision: Revision, guard?: Guard): Promise<Replaced>

  /** Sets the modification time to the tree's `now`. Missing: 'gone', and nothing is made. */
  touch(path: TreePath): Promise<Touched>

  /**
   * Adds one line (without its line end) as a whole; lines of concurrent appenders never mix. Missing: made.
   * If the last line was cut off by a crash, the new one starts on a line of its own and the fragment stays.
   * A repeat appends again.
   */
  append(path: TreePath, line: string, guard?: Guard): Promise<Appended>

  /**
   * Moves a leaf. Of any number of concurrent movers, to whatever targets, exactly one sees 'moved', all
   * others 'gone'; foreign movers count. Never replaces: an occupied target gives 'taken' and leaves both as
   * they were. With `change` the bytes seen by `change` are those that moved. After a crash in between, bytes that only
   * restate the place may stand at the old place already. A repeat sees 'gone'. Onto itself: an edit, under the same
   * promises. While a leaf is being moved or changed, other processes find it gone, though listings still show it.
   */
  move(from: TreePath, to: TreePath, options?: MoveOptions): Promise<Moved>

  /** Removes a leaf. Twice is fine: the second time is 'gone'. Folders are not removed. */
  remove(path: TreePath, options?: RemoveOptions): Promise<Removed>

  /** Makes a folder and those above it. Twice is fine. Engines without folders do nothing. */
  makeFolder(path: TreePath): Promise<void>

  /**
   * Takes a lease for `ttl` milliseconds from the tree's `now`, a day at most (`longestLease`), or renews the one this owner
   * holds (same fence). 'busy': another owner holds it, and that lease is returned. A lease ends by time or `release`, not
   * with the process. Atomic.
   */
  lease(resource: string, owner: string, ttl: number): Promise<Leased>

  /** Ends a lease early. 'gone' when it was not this owner's (any more). Twice is fine. */
  release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>>

  /** The leases that have not run out, sorted by resource. */
  leases(): Promise<Lease[]>

  /**
   * Runs `work` while no other caller, in this process or another, runs any under the same name; they wait their turn.
   * For a few quick steps that must be one towards other Signalbox processes: `work` must neither wait for another process
   * nor take a second turn. A turn ends with its process; what was done by then stays. Foreign programs do not take turns.
   */
  exclusively<T>(name: string, work: () => Promise<T>, options?: TurnOptions): Promise<T>

  /**
   * Runs `work` while this process holds the lock of a leaf by which a foreign program guards files of its own (`flock`), so
   * that the two take turns. Where the leaf is missing, or the system's call cannot be reached, `work` runs without it;
   * nothing is made. Only engines have it whose leaves foreign programs can lock.
   */
  besideLock?<T>(lock: TreePath, work: () => Promise<T>): Promise<T>

  /**
   * Calls `onChange` soon after anything in the folder may have changed, and now and then besides; list to know what has.
   * Many changes may make one call; none is missed for longer than a few seconds. The folder need not exist yet, and may be
   * deleted and made again. If the engine knows that only one name came, went or changed, it passes that name.
   */
  watch(folder: TreePath, onChange: (name?: string) => void, options?: WatchOptions): Watching

  /**
   * Looks for what crashes and strangers left behind; with `repair`, puts right what can be put right. Walks through
   * the folders in `within`, which can take a while.
   */
  inspect(options?: InspectOptions): Promise<Finding[]>

  /** Closes everything that is open. What was acknowledged is safe with or without it. */
  close(): Promise<void>
}

export const finding = (
  severity: Finding['severity'],
  code: string,
  path: string,
  message: string,
  hint: string,
  repaired = false,
): Finding => ({ code, severity, path, message, hint, repaired })
