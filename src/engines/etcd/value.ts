/**
 * The value of a leaf in etcd: one line of JSON about it, then its bytes. The line says when the bytes were written, when the
 * leaf last moved, and which operation did that; a person can read it with `etcdctl get`.
 */
import { createHash } from 'node:crypto'
import { corrupt, type SignalboxError } from '../../kernel/errors.ts'
import type { Revision } from '../../tree/tree.ts'

export interface LeafHeader {
  /** When the bytes were last written or touched. */
  readonly modifiedAt: number
  /** The later of that and the last move. */
  readonly changedAt: number
  readonly by: string
  /** What `first` finds the leaf by. It also has a key of its own, as long as the leaf is in this folder. */
  readonly label?: string
  /** The bytes are in several keys, one for each line: see `keys.ts`. */
  readonly isLog?: true
  /** The bytes are in a file of this name, because they are too large for etcd. */
  readonly elsewhere?: { readonly name: string; readonly size: number }
}

export interface Value {
  readonly about: LeafHeader
  readonly bytes: Uint8Array
}

interface Line {
  readonly m: number
  readonly c?: number
  readonly by: string
  readonly label?: string
  readonly log?: 1
  readonly ref?: string
  readonly size?: number
}

const newline = 10
const nothing = new Uint8Array()

/** In base64, for the gateway. */
export function printValue(
  { modifiedAt, changedAt, by, label, isLog, elsewhere }: LeafHeader,
  bytes: Uint8Array = nothing,
): string {
  const line: Line = {
    m: modifiedAt,
    ...(changedAt === modifiedAt ? {} : { c: changedAt }),
    by,
    ...(label === undefined ? {} : { label }),
    ...(isLog ? { log: 1 } : {}),
    ...(elsewhere ? { ref: elsewhere.name, size: elsewhere.size } : {}),
  }
  const head = Buffer.from(`${JSON.stringify(line)}\n`)
  return (bytes.length === 0 ? head : Buffer.concat([head, bytes])).toString('base64')
}

/** `undefined` for a value that Signalbox did not write. */
export function parseValue(text: string): Value | undefined {
  const all = Buffer.from(text, 'base64')
  const end = all.indexOf(newline)
  if (all[0] !== 0x7b || end < 0) return undefined
  try {
    const { m, c = m, by, label, log, ref, size } = JSON.parse(all.toString('utf8', 0, end)) as Line
    if (typeof m !== 'number' || typeof c !== 'number' || typeof by !== 'string') return undefined
    const about: LeafHeader = {
      modifiedAt: m,
      changedAt: c,
      by,
      ...(typeof label === 'string' ? { label } : {}),
      ...(log ? { isLog: true } : {}),
      ...(typeof ref === 'string' && typeof size === 'number' ? { elsewhere: { name: ref, size } } : {}),
    }
    return { about, bytes: all.subarray(end + 1) }
  } catch {
    // A SyntaxError: not a line of ours.
    return undefined
  }
}

export const notOurs = (path: string): SignalboxError =>
  corrupt('NOT_A_LEAF', `What stands in etcd at ${path} was not written by Signalbox.`, {
    hint: 'Delete that key with etcdctl, and write the message with Signalbox.',
  })

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A hash of the content, so equal bytes have equal revisions on every engine. */
export const revisionOfBytes = (bytes: Uint8Array): Revision =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
