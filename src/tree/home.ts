/**
 * The workspace's own home on the tree, `.signalbox/`: what belongs to no specification.
 *
 *   state/       what cannot be found again: presence, delivery, sequences, aliases, approvals, keys, rates, metrics, merging,
 *                sessions, lines of waiters for locks, which messages were shown, what was carried between protocols
 *   cache/       made from messages: deleting it costs time and changes no answer
 *   engine/      what an engine needs for itself (locks, temporary files). Not on the tree: see `isReserved`.
 *   policy.yaml  written by people: what a person must approve before an agent is handed it.
 *   session.yaml written by people: roles and added commands of sessions.
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
  'merging',
  'sessions',
  'locks',
  'shown',
  'bridge',
] as const
export type StateKind = (typeof stateKinds)[number]

export const stateOf = (kind: StateKind): TreePath => childOf(stateHome, kind)
export const cacheOf = (name: string): TreePath => childOf(cacheHome, name)

/** The kinds of state that concern one machine, or are secret. */
export const keptPrivate: readonly StateKind[] = [
  'presence',
  'keys',
  'rates',
  'metrics',
  'merging',
  'sessions',
  'locks',
  'shown',
]

/** What keeps the rest of `.signalbox/` out of git. */
export const gitignorePath = childOf(home, '.gitignore')

/**
 * What it says. An engine makes it together with the folder, and then it hides itself too: a user who only sends a message
 * finds nothing new in `git status`. `init` writes one that is meant to be committed.
 */
export function homeGitignore({ hidesItself = false } = {}): string {
  const ignored = [cacheHome, engineHome, ...keptPrivate.map(stateOf)]
  return [
    '# Made by Signalbox. What is not named here may be committed with your code.',
    '# The cache can be made again, keys are secret, the rest concerns this machine only.',
    ...ignored.map((path) => `${path.slice(home.length)}/`),
    ...(hidesItself ? [gitignorePath.slice(home.length)] : []),
    '',
  ].join('\n')
}

/** True for the engine's own folder, which no caller may read or write through the tree. */
export const isReserved = (path: TreePath): boolean => isWithin(path, engineHome)
