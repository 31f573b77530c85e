/** The parts of etcd's transactions that the engine uses, in the form of its JSON gateway. */
import { type Key, type KeyRange, wire } from './keys.ts'

export interface Compare {
  readonly key: string
  /** Then the condition is about every key from `key` up to here. */
  readonly range_end?: string
  readonly target: 'CREATE' | 'MOD'
  readonly result: 'EQUAL' | 'GREATER' | 'LESS'
  readonly create_revision?: string
  readonly mod_revision?: string
}

interface RangeRequest {
  readonly key: string
  readonly range_end?: string
  readonly keys_only?: boolean
  readonly count_only?: boolean
  readonly limit?: string
  readonly revision?: string
}

export type RequestOp =
  | { readonly request_put: { readonly key: string; readonly value: string; readonly lease?: string } }
  | { readonly request_delete_range: { readonly key: string; readonly range_end?: string } }
  | { readonly request_range: RangeRequest }

export interface Transaction {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}

/** 64-bit numbers come as text; ours are far below 2^53. */
export interface KeyValue {
  readonly key: string
  readonly value?: string
  readonly create_revision?: string
  readonly mod_revision?: string
}

export interface Header {
  readonly revision?: string
}

export interface RangeAnswer {
  readonly header: Header
  readonly kvs?: readonly KeyValue[]
  readonly more?: boolean
  readonly count?: string
}

export interface TransactionAnswer {
  readonly header: Header
  readonly succeeded?: boolean
  readonly responses?: readonly { readonly response_range?: RangeAnswer }[]
}

/** How many conditions, and how many steps, etcd takes in one transaction, unless it is told otherwise. */
export const mostOperations = 128

const presence = { target: 'CREATE', create_revision: '0' } as const
export const isAbsent = (key: Key): Compare => ({ key: wire(key), ...presence, result: 'EQUAL' })
export const isPresent = (key: Key): Compare => ({ key: wire(key), ...presence, result: 'GREATER' })

/** True if the key was last written at this revision. */
export const isUnchanged = (key: Key, revision: number): Compare => ({
  key: wire(key),
  target: 'MOD',
  result: 'EQUAL',
  mod_revision: `${revision}`,
})

/** Whether a condition on one key is true of what was found there. */
export const holdsFor = ({ target, result, mod_revision }: Compare, found: KeyValue | undefined): boolean => {
  if (target === 'MOD') return (found?.mod_revision ?? '0') === mod_revision
  return result === 'GREATER' ? found !== undefined : found === undefined
}

/** True if no key in the range was written since this revision; says nothing about deleted keys. */
export const isUnchangedRange = ({ from, to }: KeyRange, revision: number): Compare => ({
  key: wire(from),
  range_end: wire(to),
  target: 'MOD',
  result: 'LESS',
  mod_revision: `${revision + 1}`,
})

export const isFree = ({ from, to }: KeyRange): Compare => ({ ...isAbsent(from), range_end: wire(to) })

export const put = (key: Key, value: string, lease?: string): RequestOp => ({
  request_put: { key: wire(key), value, ...(lease === undefined ? {} : { lease }) },
})

export const drop = (key: Key): RequestOp => ({ request_delete_range: { key: wire(key) } })

export const dropAll = ({ from, to }: KeyRange): RequestOp => ({
  request_delete_range: { key: wire(from), range_end: wire(to) },
})

export const get = (key: Key): RequestOp => ({ request_range: { key: wire(key) } })

export const getAll = ({ from, to }: KeyRange): RequestOp => ({
  request_range: { key: wire(from), range_end: wire(to) },
})

/** Revisions of what is not committed yet; those of the cluster are far below. */
export const firstDraftRevision = 2 ** 52

export const revisionOf = (header: Header): number => Number(header.revision ?? 0)

/** What each `get` of a transaction found, in order. */
export const foundBy = ({ responses = [] }: TransactionAnswer): (readonly KeyValue[])[] =>
  responses.map(({ response_range }) => response_range?.kvs ?? [])
