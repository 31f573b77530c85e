/**
 * The workspace's own home on the tree, `.signalbox/`: what belongs to no specification.
 *
 *   state/       what cannot be found again: presence, delivery, sequences, aliases, approvals, keys, rates, metrics
 *   cache/       made from messages: deleting it costs time and changes no answer
 *   engine/      what an engine needs for itself (locks, temporary files). Not on the tree: see `isReserved`.
 *   policy.yaml  written by people: what they must have approved before anybody is handed it.
 */
import { childOf, isWithin, type TreePath, treePath } from '../kernel/tree-path.ts'

export const home = treePath('.signalbox')
export const stateHome = childOf(home, 'state')
export const cacheHome = childOf(home, 'cache')
export const engineHome = childOf(home, 'engine')

/** The kinds of state that are kept, one folder each. */
export const stateKinds = [
  'presence',
  'delivery',
  'sequences',
  'aliases',
  'approvals',
  'keys',
  'rates',
  'metrics',
] as const
export type StateKind = (typeof stateKinds)[number]

export const stateOf = (kind: StateKind): TreePath => childOf(stateHome, kind)
export const cacheOf = (name: string): TreePath => childOf(cacheHome, name)

/** True for the engine's own folder, which no caller may read or write through the tree. */
export const isReserved = (path: TreePath): boolean => isWithin(path, engineHome)
