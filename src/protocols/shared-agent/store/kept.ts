/** Checkpoints, noted in the session. While one is under way the session has a mark, so that a kill is seen without git. */
import { SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { recoveredLines } from '../checkpoints/answers.ts'
import { Checkpoints, riskOf } from '../checkpoints/checkpoints.ts'
import type { Done } from '../checkpoints/ports.ts'
import { type CheckpointRecord, numberFrom, parseRecord } from '../checkpoints/record.ts'
import { checkpointsFolder, type SessionId, sessionId, unfinishedFolder } from '../layout.ts'
import type { Session, SessionChange } from '../record.ts'
import type { SessionParts } from './parts.ts'
import { savedStates } from './saved-state.ts'
import type { Speech } from './speech.ts'

/** Errors that mean: there is no git here, or no repository that it could use. */
const nowhere = ['GIT_MISSING', 'NO_REPOSITORY', 'NO_WORK_TREE', 'REPOSITORY_NOT_TRUSTED', 'REPOSITORY_PATH']
const isNowhere = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && nowhere.includes(error.code)

export function checkpointsOf(parts: SessionParts): Checkpoints {
  const { tree, ports, settings, documents } = parts
  const hint = 'Use a workspace inside a git repository.'
  if (!ports.workTree) throw unavailable('NO_CHECKPOINTS', 'Checkpoints cannot be made here.', { hint })
  const states = savedStates(parts)
  return new Checkpoints({
    tree,
    recordsOf: (session) => checkpointsFolder(sessionId(session)),
    notes: unfinishedFolder,
    sessions: {
      ...states,
      // Called in the turn, after the journal has its note: a process that sees the mark finds the note.
      async save(session) {
        const underWay = await tree.now()
        await documents.mark(sessionId(session), (now) =>
          now.underWay === undefined ? { ...now, underWay } : undefined,
        )
        return states.save(session)
      },
      tell: (session, done) => tell(parts, sessionId(session), done),
    },
    workTree: () => ports.workTree!({ onBranch: settings.literalCheckpoints }),
  })
}

/** Writes the line of the log and removes the mark. A milestone begins a new phase (§15). A session that has ended stays so. */
async function tell({ documents, settings }: SessionParts, id: SessionId, done: Done): Promise<void> {
  const { recovered, record } = done
  const own = ownLine(done)
  const line = recovered
    ? { did: 'recover', about: recovered.id, text: `${recovered.what} ${recovered.outcome}` }
    : { ...own, by: record?.by ?? settings.orchestrator }
  const isPhase = record?.type === 'milestone' && recovered?.outcome !== 'undone'
  await documents.change(id, { by: settings.orchestrator, startsIt: false }, (session, at) => {
    const next = { ...withoutMark(session), ...(isPhase ? { phaseAt: at } : {}) }
    if (session.status === 'ended') return { answer: undefined }
    const isOwn = ({ did, about, text }: SessionChange) => did === own.did && about === own.about && text === own.text
    const isTold = session.log.some(isOwn)
    return { session: next, line: isTold ? undefined : line, answer: undefined }
  })
}

const ownLine = ({ id, record, rolledBackTo }: Done): Pick<SessionChange, 'did' | 'about' | 'text'> =>
  rolledBackTo === undefined
    ? { did: 'CHECKPOINT:create', about: id, text: record?.type === 'auto' ? 'auto' : (record?.name ?? '') }
    : { did: 'ROLLBACK', about: rolledBackTo, text: `saved ${id}` }

const withoutMark = ({ underWay: _, ...session }: Session): Session => session

/** Finishes or undoes what a killed process left, and answers lines about it. Waits for a process that is still working on it. */
export async function finishCutOff(parts: SessionParts, id: SessionId): Promise<string[]> {
  if (!parts.ports.workTree) return []
  const takeMark = () =>
    parts.documents.mark(id, (session) => (session.underWay === undefined ? undefined : withoutMark(session)))
  try {
    const recovered = await checkpointsOf(parts).recover()
    await takeMark()
    return recoveredLines(recovered ? { recovered } : {})
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    if (error.code === 'NO_REPOSITORY') {
      // Another program wrote the mark, or the repository is gone: nothing can be under way.
      await takeMark()
      return []
    }
    // Most commands need no git and go on; `doctor` and the commands that need git report the error.
    return [`unfinished:${error.code}`]
  }
}

/** Records of checkpoints that were made, in all work trees, oldest first. Does not ask git whether the checkpoints are still there. */
export async function recordsOf({ tree }: SessionParts, id: SessionId): Promise<readonly CheckpointRecord[]> {
  const found: CheckpointRecord[] = []
  for (const work of await tree.list(checkpointsFolder(id))) {
    if (work.kind !== 'folder') continue
    const folder = childOf(checkpointsFolder(id), work.name)
    const ids = (await tree.list(folder)).filter(({ name }) => numberFrom(name.replace(/\.json$/, '')) !== undefined)
    for (const { name } of ids.slice(-mostRecords)) {
      const leaf = await tree.read(childOf(folder, name), { atMost: 16 * 1024 })
      const record = leaf && parseRecord(leaf.bytes)
      if (record?.state === 'made' && `${record.id}.json` === name) found.push(record)
    }
  }
  return found.sort((a, b) => numberFrom(a.id)! - numberFrom(b.id)!)
}

const mostRecords = 200

/** Makes a checkpoint before a risky task, and answers lines about it. Without git the task is given all the same. */
export async function beforeTask({ parts, id, agent }: Speech, task: string, priority: number): Promise<string[]> {
  const { settings, ports, tree } = parts
  if (!settings.automaticCheckpoints || !ports.workTree) return []
  const request = { session: id, by: agent, task, priority: `P${priority}` }
  // Without any checkpoint there is nothing that many files could have changed since.
  if (!riskOf(request) && (await tree.list(checkpointsFolder(id))).length === 0) return []
  try {
    const made = await checkpointsOf(parts).beforeTask(request)
    return made ? [`ack:checkpoint:${made.id}`, ...recoveredLines(made)] : []
  } catch (error) {
    if (isNowhere(error)) return [`no_checkpoint:${error.code}`]
    throw error
  }
}

/** The commit of the newest checkpoint, or of HEAD; `undefined` where there is none. */
export async function referenceOf(parts: SessionParts, id: SessionId): Promise<string | undefined> {
  return parts.ports.workTree && unlessNowhere(() => checkpointsOf(parts).reference({ session: id }))
}

/** Whether the repository has a commit that a context names. */
export async function knowsReference(parts: SessionParts, commit: string | undefined): Promise<boolean> {
  if (!parts.ports.workTree || commit === undefined) return false
  return (await unlessNowhere(() => checkpointsOf(parts).knows(commit))) ?? false
}

export async function unlessNowhere<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (isNowhere(error)) return undefined
    throw error
  }
}
