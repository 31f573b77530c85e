/**
 * Where sessions lie. Pure; nothing here looks at a disk.
 *
 *   .signalbox/state/sessions/
 *     .current                    the name of the session that is meant when none is named
 *     .corrections                sentences that people have corrected, with the command that they meant, a line each
 *     .unfinished/{worktree}.json a checkpoint or a rollback that is under way; the note of the journal
 *     {session}/
 *       session.json              all of it: state, variables, tasks, subscriptions, the newest changes
 *       log/{number}.json         older changes, a page each, never changed again
 *       checkpoints/{worktree}/   the records of its checkpoints, and of the last rollback; the files are in git
 *       bell/                     rung when a message was sent
 *       {generation}/             what ends with the session: one for each time that it was started
 *         traffic                 a line for each command: its tokens, and whether it was refused
 *         signals/{condition}/    `latch` while it is signalled; in `line/` a leaf for each who waits; they listen in `bell/`
 *   .signalbox/session.yaml       roles and added commands, written by people
 *
 * Locks and those who wait for them are kept by `src/messaging/locks/`.
 */
import { sha256 } from '../../formats/digest.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { home, stateOf } from '../../tree/home.ts'
import type { SessionId } from './names.ts'

export { agentName, isAgentName, isSessionId, type SessionId, sessionId } from './names.ts'

export const sessionsFolder = stateOf('sessions')
export const currentPath = childOf(sessionsFolder, '.current')
export const correctionsPath = childOf(sessionsFolder, '.corrections')
export const unfinishedFolder = childOf(sessionsFolder, '.unfinished')
export const rolesPath = childOf(home, 'session.yaml')

const below = (folder: string, rest: string): TreePath => `${folder}/${rest}` as TreePath

/** A session from one start to its end. */
export interface Sitting {
  readonly id: SessionId
  readonly generation: number
}

export const sessionPath = (session: SessionId): TreePath => below(sessionsFolder, session)
export const documentPath = (session: SessionId): TreePath => below(sessionPath(session), 'session.json')
export const bellFolder = (session: SessionId): TreePath => below(sessionPath(session), 'bell')
export const logFolder = (session: SessionId): TreePath => below(sessionPath(session), 'log')
export const checkpointsFolder = (session: SessionId): TreePath => below(sessionPath(session), 'checkpoints')
export const pagePath = (session: SessionId, page: number): TreePath =>
  below(logFolder(session), `${String(page).padStart(6, '0')}.json`)

const sittingFolder = ({ id, generation }: Sitting): TreePath => below(sessionPath(id), String(generation))
export const trafficPath = (sitting: Sitting): TreePath => below(sittingFolder(sitting), 'traffic')
export const signalsFolder = (sitting: Sitting): TreePath => below(sittingFolder(sitting), 'signals')

/** A condition is any text; its folder has a name that is valid on every disk. */
export const conditionFolder = (sitting: Sitting, condition: string): TreePath =>
  below(signalsFolder(sitting), folderNameOf(condition))

/** Readable where it can be, else a digest: `dev_complete`, `~3f9a…`. */
const folderNameOf = (text: string): string =>
  /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : `~${sha256(text).slice(0, 32)}`

/** The kind of entry that belongs under this name in a session's folder. */
export const sessionEntry = (name: string): 'leaf' | 'folder' | undefined =>
  name === 'session.json' ? 'leaf' : /^(?:log|bell|checkpoints|\d+)$/.test(name) ? 'folder' : undefined

/** The namespace of a session's locks. */
export const lockSpace = ({ id, generation }: Sitting): string => `session/${id}/${generation}`
