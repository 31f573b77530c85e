/**
 * What `doctor` should know: files that are no messages, entries of the wrong kind, agents that differ by case alone, tasks
 * whose files have mistakes or that are stalled, messages that no agent has acknowledged, and what killed processes left.
 */
import { printDuration } from '../../../formats/duration.ts'
import { call } from '../../../kernel/call.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { type ExpectedKind, findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { unfinishedSends } from '../../../messaging/inspection/findings.ts'
import { closedLeaf } from '../../../messaging/leaves/readable.ts'
import { listIfFolder, lookIfThere, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { cacheHome, stateOf } from '../../../tree/home.ts'
import { type Finding, finding } from '../../../tree/tree.ts'
import type { InspectionOptions } from '../../contract.ts'
import { isRecord } from '../effects.ts'
import {
  agentsPath,
  allCopiesPath,
  allHandedPath,
  cacheFolder,
  copiesPath,
  inboxPath,
  logsPath,
  newPath,
  reasonName,
  rejectedPath,
  sentPath,
  stagedPath,
  stateFolder,
  taskFileFrom,
  taskPath,
  tasksPath,
  topFolders,
  unfinishedPath,
} from '../layout.ts'
import { isAgentId, isEverybody, isFileName, isRooster, type TaskId } from '../names.ts'
import { replay } from '../replay.ts'
import type { CirceStep } from '../steps.ts'
import { isClosed, lineNumberOf, settableChecks, type TaskTexts } from '../task.ts'
import { knownAgents } from './agents.ts'
import { sweepHanded } from './archiving.ts'
import { type CaughtUp, catchUp } from './catching-up.ts'
import { handedOf } from './handed.ts'
import { commit, turn } from './journal.ts'
import { messagesOf, readLedger, taskByLog } from './ledgers.ts'
import { eventsOf } from './log.ts'
import { copiesOf, deliverCopies, moveMessage, publish } from './moving.ts'
import { sendingOnce } from './once.ts'
import { stalledSeconds } from './overview.ts'
import type { CirceParts } from './parts.ts'
import { isFound, type Listed, lookAround, namesAt, pathAt, readAt } from './places.ts'
import { problemAt, tellReason } from './quarantine.ts'
import { digestAt, readTaskFiles, type TaskOnTree, tasksOnTree } from './task-files.ts'

const repairing = call('doctor', { fix: true })
const nothingMore = 'Nothing more is to be done.'

export async function inspect(parts: CirceParts, { repair, isSeen }: InspectionOptions): Promise<Finding[]> {
  const { root } = parts
  const lying = repair
    ? await catchUp(parts, { logs: true })
    : { ...(await lookAround(parts)), rejected: [], left: new Map() }
  const looks = [
    () => odd(parts),
    () => misnamed(parts),
    () => nobodys(parts, repair),
    () => unfinishedChanges(parts.tree, parts.changes, repair),
    () => unfinishedSends(parts.tree, sendingOnce(parts.tree), repair ? (staged) => publish(parts, staged) : undefined),
    () => undelivered(parts, repair),
    async () => unusableFiles(lying),
    () => sameAgents(parts),
    () => sameTasks(parts),
    () => rejected(parts, repair),
    () => tasks(parts, repair),
    () => leftOver(parts, lying, repair),
    () => unacknowledged(parts, lying, isSeen),
  ]
  const findings: Finding[] = []
  for (const look of looks) findings.push(...(await findingsOf(root, look)))
  if (repair) for (const known of await knownAgents(parts)) await unlessOdd(sweepHanded(parts, known))
  return findings
}

/** Entries of the wrong kind: a file where a folder belongs, a folder or link named like a message. */
async function odd(parts: CirceParts): Promise<Finding[]> {
  const { tree, root } = parts
  const findings: Finding[] = []
  const look = async (folder: TreePath, expectedOf: (name: string) => ExpectedKind | undefined) => {
    const entries = await listIfFolder(tree, folder)
    findings.push(...oddAmong(folder, entries, expectedOf).map(oddFinding))
    return entries
  }
  const foldersIf = (isFolder: (name: string) => boolean) => (name: string) => (isFolder(name) ? 'folder' : undefined)
  const asMessage = (name: string) => (isFileName(name) ? 'leaf' : undefined)
  const leaf = () => 'leaf' as const
  const folder = () => 'folder' as const

  await look(
    root,
    foldersIf((name) => topFolders.some((top) => top === name)),
  )
  await look(agentsPath(root), foldersIf(isAgentId))
  await look(tasksPath(root), (name) => (taskFileFrom(name) ? 'leaf' : undefined))
  await look(logsPath(root), (name) =>
    name === 'events.log' ? 'leaf' : name === 'rejected' || name === 'workspaces' ? 'folder' : asMessage(name),
  )
  await look(newPath(root), asMessage)
  for (const known of await knownAgents(parts)) {
    await look(
      childOf(agentsPath(root), known.folder),
      foldersIf((name) => name === 'INBOX' || name === 'WORKSPACE'),
    )
    await look(inboxPath(root, known.folder), asMessage)
  }
  const isCirce = foldersIf((name) => name === 'circe')
  for (const shared of [stateOf('delivery'), stateOf('presence'), cacheHome]) await look(shared, isCirce)
  await look(stateFolder, folder)
  for (const notes of [unfinishedPath, sentPath, stagedPath]) await look(notes, leaf)
  const inCache = (name: string) => (name === 'book' || name === 'logged' ? 'leaf' : 'folder')
  for (const top of [allCopiesPath, allHandedPath, cacheFolder])
    for (const { name, kind } of await look(top, top === cacheFolder ? inCache : folder))
      if (kind === 'folder') await look(childOf(top, name), leaf)
  return findings
}

/** A message under a name that is too long, or cannot be shown: it is passed over. */
async function misnamed(parts: CirceParts): Promise<Finding[]> {
  const { tree, root } = parts
  const agents = await knownAgents(parts)
  const findings: Finding[] = []
  for (const folder of [newPath(root), ...agents.map((known) => inboxPath(root, known.folder))]) {
    for (const { name, kind } of await listIfFolder(tree, folder)) {
      if (kind !== 'leaf' || !name.endsWith('.md') || name.startsWith('.') || isFileName(name)) continue
      const message = `Its name cannot be used, and it is passed over: ${printableLine(JSON.stringify(name.slice(0, 80)))}.`
      findings.push(finding('warning', 'BAD_FILE_NAME', folder, message, 'Give it a shorter name of plain letters.'))
    }
  }
  return findings
}

/** Messages in a folder whose name no agent can have, such as `ROOSTER`. With `repair` they wait in `NEW_MESSAGES/` again. */
async function nobodys(parts: CirceParts, repair: boolean): Promise<Finding[]> {
  const { tree, root } = parts
  const findings: Finding[] = []
  for (const { name: folder, kind } of await listIfFolder(tree, agentsPath(root))) {
    if (kind !== 'folder' || isAgentId(folder) || !isSegment(folder)) continue
    const spot = { place: 'inbox', folder } as const
    for (const name of await namesAt(parts, spot)) {
      const isMessage = repair && isFound(await readAt(parts, spot, name))
      const moved = isMessage && (await moveMessage(parts, { spot, name, transition: 'release' }))
      const repaired = moved !== false && moved.outcome === 'moved'
      const message = `No agent can be called ${printableLine(JSON.stringify(folder.slice(0, 80)))}: nobody sees what lies here.`
      const hint = repaired
        ? 'It waits in NEW_MESSAGES/ now.'
        : `Move it to NEW_MESSAGES/, or let that be done: ${repairing}`
      findings.push(finding('error', 'NO_AGENT', pathAt(parts, spot, name), message, hint, repaired))
    }
  }
  return findings
}

/** Copies of a message to all that could not be delivered, because an inbox is not a folder. */
async function undelivered(parts: CirceParts, repair: boolean): Promise<Finding[]> {
  const { tree } = parts
  const findings: Finding[] = []
  for (const { name: id, kind } of await listIfFolder(tree, allCopiesPath)) {
    const name = `${id}.md`
    if (kind !== 'folder' || !isFileName(name) || (await copiesOf(parts, name)).length === 0) continue
    // The message still waits: a process was killed before it delivered these copies, and they are made again.
    if (await lookIfThere(tree, childOf(newPath(parts.root), name))) continue
    if (repair) await deliverCopies(parts, name)
    const left = await copiesOf(parts, name)
    const message = `It could not be brought to ${left.join(', ') || 'everybody'}.`
    const hint = left.length === 0 ? nothingMore : `See to their inboxes, then let it be delivered: ${repairing}`
    findings.push(finding('error', 'UNDELIVERED', copiesPath(name), message, hint, left.length === 0))
  }
  return findings
}

const nameIntent = 'Use a known intent, or name it in signalbox.yaml: circe: { intents: […] }'

function unusableFiles({ unusable, found, rejected }: CaughtUp): Finding[] {
  return [
    ...unusable
      .filter(({ path }) => !rejected.some(({ file }) => path.endsWith(`/${file}`)))
      .map(({ path, problem: { message, hint = 'Let its owner see to it.' }, isClosed }) =>
        isClosed
          ? finding('error', closedLeaf, path, message, hint)
          : finding('warning', 'NO_MESSAGE', path, message, 'Correct it; else it is set aside in LOGS/rejected/.'),
      ),
    ...rejected.map(({ path, reason }) =>
      finding('warning', 'NO_MESSAGE', path, reason, 'Correct it, and move it back to NEW_MESSAGES/.', true),
    ),
    ...found.flatMap(({ path, problems }) =>
      problems.map(({ code, message }) => finding('note', code, path, message, nameIntent)),
    ),
  ]
}

async function sameAgents({ tree, root }: CirceParts): Promise<Finding[]> {
  const entries = await listIfFolder(tree, agentsPath(root))
  const names = entries.flatMap(({ name, kind }) => (kind === 'folder' && isAgentId(name) ? [name] : []))
  return twins(names, (name, other) => {
    const message = `${name} and ${other} differ by case alone: for CIRCE they are one agent.`
    return finding('error', 'SAME_AGENT', childOf(agentsPath(root), name), message, `Move what is in it to ${other}.`)
  })
}

const sameTasks = async (parts: CirceParts): Promise<Finding[]> =>
  twins(await tasksOnTree(parts), (task, other) => {
    const message = `${task} and ${other} differ by case alone: some disks take them for one task.`
    const path = taskPath(parts.root, task, 'status')
    return finding('warning', 'SAME_TASK', path, message, 'Complete one of them, and go on with the other.')
  })

/** A finding for each name that differs by case alone from one before it. */
const twins = <Name extends string>(names: readonly Name[], tell: (name: Name, other: string) => Finding): Finding[] =>
  names.flatMap((name, n) => {
    const other = sameButForCase(name, names.slice(0, n))
    return other === undefined ? [] : [tell(name, other)]
  })

/** Rejected files without a reason: a process was killed before it could write the reason. */
async function rejected(parts: CirceParts, repair: boolean): Promise<Finding[]> {
  const { tree, root } = parts
  const entries = await listIfFolder(tree, rejectedPath(root))
  const names = new Set(entries.map(({ name }) => name))
  const findings: Finding[] = []
  for (const { name, kind } of entries) {
    if (kind !== 'leaf' || !name.endsWith('.md') || names.has(reasonName(name)) || !isSegment(name)) continue
    const path = childOf(rejectedPath(root), name)
    const reason = (await problemAt(parts, path)) ?? 'The reason was not written down.'
    if (repair) await tellReason(parts, name, reason)
    const message = 'It was set aside, and its reason is not beside it: a process was killed.'
    const hint = repair ? nothingMore : `Let it be added: ${repairing}`
    findings.push(finding('warning', 'MISSING_REASON', path, message, hint, repair))
  }
  return findings
}

async function tasks(parts: CirceParts, repair: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const id of await tasksOnTree(parts))
    findings.push(...(await findingsOf(taskPath(parts.root, id, 'status'), () => oneTask(parts, id, repair))))
  return findings
}

async function oneTask(parts: CirceParts, id: TaskId, repair: boolean): Promise<Finding[]> {
  const { root } = parts
  const read = await readTaskFiles(parts, id)
  const wrong = await wrongWith(parts, read)
  // A file that this user may not read, or that is no ordinary file, is left for a person to move.
  const isPersons = wrong.some(({ code }) => code !== 'BAD_TASK_FILE' && code !== 'TOO_LARGE')
  const isRepaired = wrong.length > 0 && repair && !isPersons && (await rebuild(parts, id))
  const hint = isRepaired
    ? 'It was made again from the messages; the file as it was lies beside it.'
    : `Correct it, or let it be made again from the messages: ${repairing}`
  const findings = wrong.map(({ file, code, message }) =>
    finding('error', code, taskPath(root, id, file), message, hint, isRepaired),
  )
  const silent = wrong.length === 0 ? await stalledSeconds(parts, read) : undefined
  if (silent !== undefined) {
    const message = `Nothing was heard of ${id} for ${printDuration(silent * 1000)}; ${read.task.owner} owns it.`
    const { owner } = read.task
    const hint = `Ask ${owner}, or let it be given back: ${call('circe release', { as: owner, task: id })}`
    findings.push(finding('warning', 'STALLED_TASK', taskPath(root, id, 'status'), message, hint))
  }
  return findings
}

const wrongWith = async (parts: CirceParts, read: TaskOnTree): Promise<TaskOnTree['problems']> => [
  ...read.problems,
  ...contradictions(read),
  ...(await differences(parts, read)),
]

/** A mistake in a task file that is valid by itself. */
const mistake = (texts: TaskTexts, file: 'status' | 'checks', field: string, message: string) => ({
  file,
  code: 'BAD_TASK_FILE',
  field,
  message: `Line ${lineNumberOf(texts[file] ?? '', field)}: ${message}`,
})

/**
 * Where the files, each valid by itself, differ from what the log and the messages say. The owner is not compared, because an
 * `.owner` made by hand counts.
 */
async function differences(parts: CirceParts, read: TaskOnTree): Promise<TaskOnTree['problems']> {
  const { task, texts, problems, isClaimedByHand } = read
  if (problems.length > 0 || isClaimedByHand || texts.status === undefined) return []
  const events = await eventsOf(parts, task.id)
  const isToldCompleted = events.findLast(({ event }) => event === 'completed') !== undefined
  if (task.status === 'completed' && isToldCompleted) return []
  const logged = await taskByLog(parts, task.id, events)
  if (!logged) return []
  const different: TaskOnTree['problems'][number][] = []
  const compare = (file: 'status' | 'checks', field: string, is: unknown, right: unknown) => {
    if (is === right) return
    different.push(mistake(texts, file, field, `\`${field}\` is ${is}, and by its messages it is ${right}.`))
  }
  compare('status', 'status', task.status, logged.status)
  if (texts.checks !== undefined)
    for (const name of settableChecks) compare('checks', name, task.checks[name], logged.checks[name])
  return different
}

/** Makes the three files again from the log and the messages, and keeps the old ones beside them. */
async function rebuild(parts: CirceParts, id: TaskId): Promise<boolean> {
  return turn(parts, `task.${id}`, async () => {
    const now = await readTaskFiles(parts, id)
    const events = await eventsOf(parts, id)
    const wrong = await wrongWith(parts, now)
    const bad = new Set(wrong.map(({ file }) => file))
    const { task, facts } = replay(id, events, await messagesOf(parts, events), parts.settings)
    // A claim made by hand is not in the log; it counts as long as `.owner` can be read.
    const owner = bad.has('owner') ? task.owner : (now.task.owner ?? task.owner)
    const claimedAt = (bad.has('owner') ? task.claimedAt : now.task.claimedAt) ?? task.claimedAt
    const isClaim = owner !== undefined && !isRecord({ ...task, owner, claimedAt }, facts)
    const status = isClaim && task.status === 'new' ? 'claimed' : task.status
    const rebuilt = { ...task, owner, claimedAt, status }
    const at = parts.clock.now()
    const steps: CirceStep[] = []
    for (const file of bad) {
      const digest = await digestAt(parts, id, file)
      if (digest !== undefined) steps.push({ do: 'beside', task: id, file, digest })
    }
    const isOwnerGone = bad.has('owner') || now.texts.owner === undefined
    if (owner !== undefined && isOwnerGone) steps.push({ do: 'own', task: id, owner, at: claimedAt ?? at })
    steps.push({ do: 'write', task: rebuilt })
    const event = { at, event: 'rebuilt', agent: '', task: id, detail: [...bad].join(' ') } as const
    const { outcome } = await commit(parts, `task.${id}`, steps, [event])
    return outcome === 'done'
  })
}

/** Messages of a completed task outside of the log: it was completed by hand, or another program put them back. */
async function leftOver(parts: CirceParts, { found }: CaughtUp, repair: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const id of new Set(found.flatMap(({ message: { task } }) => (task ? [task] : [])))) {
    const read = await readTaskFiles(parts, id)
    if (read.problems.length > 0 || read.task.status !== 'completed') continue
    const { counted } = await readLedger(parts, id)
    const left = found.filter(({ message, name }) => message.task === id && counted.has(name))
    if (left.length === 0 || !(await isNotNews(parts, id, left))) continue
    if (repair) await archive(parts, id)
    for (const { path } of left) {
      const message = `${id} is completed, and this is not in the log.`
      const hint = repair ? nothingMore : `Let it be moved there: ${repairing}`
      findings.push(finding('warning', 'NOT_ARCHIVED', path, message, hint, repair))
    }
  }
  return findings
}

/** False where all of these messages came after the task was completed: those wait for their readers. */
async function isNotNews(parts: CirceParts, id: TaskId, left: readonly Listed[]): Promise<boolean> {
  const events = await eventsOf(parts, id)
  const completed = events.findLastIndex(({ event }) => event === 'completed')
  const counted = new Set(events.slice(0, completed).map(({ file }) => file))
  return left.some(({ name }) => counted.has(name))
}

function archive(parts: CirceParts, id: TaskId): Promise<unknown> {
  const subject = `task.${id}` as const
  return turn(parts, subject, async () => {
    if ((await readTaskFiles(parts, id)).task.status !== 'completed') return
    await commit(parts, subject, [{ do: 'archive', task: id }])
  })
}

async function unacknowledged(
  parts: CirceParts,
  { found }: CaughtUp,
  isSeen: InspectionOptions['isSeen'],
): Promise<Finding[]> {
  const { tree, root, settings } = parts
  const now = await tree.now()
  const findings: Finding[] = []
  for (const { message, name, path, place, agent } of found) {
    const { to } = message
    const isForPerson = isRooster(to)
    if (place === 'new' && isSeen && !isEverybody(to) && !isForPerson && !(await isSeen(to.toLowerCase()))) {
      const sentence = `It waits for ${to}, whom nobody has ever seen.`
      const claiming = call('circe claim', { as: to })
      const hint = `If the name is right, let ${to} claim it: ${claiming}. If not, send it to somebody else.`
      findings.push(finding('warning', 'UNSEEN_RECIPIENT', path, sentence, hint))
    }
    const age = now - message.time
    if (isForPerson || place === 'workspace' || age < settings.stallMs) continue
    const isAcked =
      (agent !== undefined && (await handedOf(parts, agent, name)) === 'acknowledged') ||
      (!isEverybody(to) && (await tree.look(childOf(logsPath(root), name))) !== undefined)
    if (isAcked) continue
    const sentence = `Nobody has acknowledged it for ${printDuration(Math.floor(age / 1000) * 1000)}; it is for ${to}.`
    const hint = `See what waits: ${call('circe inbox', { as: agent ?? to })}`
    findings.push(finding('note', 'UNACKNOWLEDGED', path, sentence, hint))
  }
  return findings
}

/** Where the three files, each valid by itself, contradict each other. */
function contradictions({ task, texts, problems: found }: TaskOnTree): TaskOnTree['problems'] {
  const problems: TaskOnTree['problems'][number][] = []
  const wrong = (file: 'status' | 'checks', field: string, message: string) =>
    problems.push(mistake(texts, file, field, message))
  const said = /^owner:[ \t]*["']?([\w.-]*)/m.exec(texts.status ?? '')?.[1] ?? ''
  // An `.owner` with mistakes proves nothing about the other files.
  const isOwnerBad = found.some(({ file }) => file === 'owner')
  const isOwnerThere = texts.owner !== undefined && !isOwnerBad
  if (texts.status !== undefined && isOwnerThere && !isClosed(task.status) && task.status !== 'new') {
    if (said.toLowerCase() !== (task.owner ?? ''))
      wrong('status', 'owner', `\`owner\` is ${said || 'nobody'}, and .owner says ${task.owner}.`)
  }
  if (texts.owner === undefined && !isOwnerBad && (task.status === 'claimed' || task.status === 'in_progress')) {
    wrong('status', 'status', `It is ${task.status}, and nobody owns it.`)
  }
  const isReady = /^ready_for_merge:[ \t]*true\b/m.test(texts.checks ?? '')
  if (isReady && !settableChecks.every((name) => task.checks[name])) {
    wrong('checks', 'ready_for_merge', '`ready_for_merge` is true, and not all other checks are.')
  }
  return problems
}
