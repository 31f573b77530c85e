/** The promises of AC-MQ, checked after two processes have met. Shares no code with the store, except for reading packs. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { listArchived, readArchived } from '../../src/protocols/ac-mq/archive/archive.ts'
import { messageId } from './acmq-actor.ts'
import { filesOf, type Header, headerOf, missionFolder, nameOf, queueOf } from './acmq-files.ts'
import { contextFiles, dangerous, inTheWay, ownWords } from './acmq-stories.ts'
import type { FoundFile } from './outside.ts'
import type { Ending, Said, Who } from './story.ts'

/** Every context file once with its bytes, one document a cluster, and nothing of a person's overwritten. */
function memoryBroken(files: readonly FoundFile[], wasEdited: boolean): string[] {
  const broken: string[] = []
  for (const [name, text] of Object.entries(contextFiles)) {
    const found = files.filter(({ path }) => path.startsWith(`${missionFolder}/context/`) && nameOf(path) === name)
    if (found.length !== 1) broken.push(`context file ${name} is in ${found.length} places`)
    else if (found[0]!.text !== text) broken.push(`context file ${name} has other bytes`)
  }
  const documents = files.filter(({ path }) => path.startsWith(`${missionFolder}/findings/bus-document-`))
  if (documents.length > (wasEdited ? 2 : 1)) broken.push(`${documents.length} documents for one cluster`)
  if (wasEdited && !documents.some(({ text }) => text.endsWith(ownWords)))
    broken.push('what a person wrote into a document is lost')
  return broken
}

/** A snapshot that was due is taken once, and what a person wrote into a file stays. */
function mergingBroken({ world, files, died }: Ending, wasEdited: boolean): string[] {
  const snapshots = files.filter(({ path }) => path.startsWith(`${missionFolder}/artifacts/queue-snapshots/`))
  const broken: string[] = []
  // Who dies between a snapshot and the note of it leaves one more.
  if (snapshots.length > (died ? 2 : 1)) broken.push(`${snapshots.length} snapshots were taken`)
  if (world === 'crowded' && snapshots.length === 0) broken.push('no snapshot was taken')
  if (snapshots.some(({ text }) => !text.startsWith('# Queue Snapshot: '))) broken.push('a snapshot is not whole')
  if (wasEdited && !snapshots.some(({ text }) => text.endsWith(ownWords)))
    broken.push('what a person wrote into a snapshot is lost')
  return broken
}

/** The report is whole, or as a person left it; who was told that a file is pinned finds it in the list. */
function reportBroken({ files, answers }: Ending, wasEdited: boolean): string[] {
  const broken: string[] = []
  const report = files.find(({ path }) => path === `${missionFolder}/findings/report.md`)?.text ?? ''
  if (!/^# Detailed Log: alpha\n[\s\S]*\n<!-- check [0-9a-f]{32} -->\n/.test(report))
    broken.push('the report is not whole')
  if (wasEdited && !report.endsWith(ownWords)) broken.push('what a person wrote into the report is lost')
  const pinned = files.find(({ path }) => path === `${missionFolder}/context/.pinned`)?.text.split('\n') ?? []
  for (const { verb, outcome, pinned: file } of answers)
    if (verb === 'pin' && outcome === 'pinned' && !pinned.includes(String(file))) broken.push(`${file} is not pinned`)
  return broken
}

interface Copy {
  readonly place: string
  readonly state: string
  readonly text: string
}

export async function checkAcmq(ending: Ending): Promise<string[]> {
  const broken: string[] = []
  const { answers, files } = ending
  const told = (verb: string, outcome: string) => answers.filter((one) => one.verb === verb && one.outcome === outcome)
  const did = (...verbs: readonly string[]) => verbs.some((verb) => told(verb, 'done').length > 0)
  const isFailed = (one: Said) => one.outcome === 'failed'

  for (const { verb, who, defect } of answers)
    if (defect !== undefined) broken.push(`${who} ended ${verb} with a defect: ${defect}`)

  if (ending.world === 'remembered') broken.push(...memoryBroken(files, did('edit document')))

  if (ending.world === 'covered' || ending.world === 'crowded')
    broken.push(...mergingBroken(ending, did('edit snapshot')))
  if (ending.world === 'reported') broken.push(...reportBroken(ending, did('edit report')))

  const hidden = files.filter(({ path }) => nameOf(path).startsWith('.own-')).map(({ path }) => path)
  if (hidden.length > 0) broken.push(`a private name is left though nobody is at work: ${hidden.join(', ')}`)

  const copies = await copiesOf(ending, messageId)
  const places = copies.map(({ place }) => queueOf(place) ?? 'archive').join(' and ')
  const wasThere = ending.world !== 'absent' || told('send', 'sent').length > 0
  if (wasThere && copies.length === 0 && !did('rm')) broken.push('the message is lost')
  if (copies.length > 1 && !did('cp', 'edit')) broken.push(`one message is in ${copies.length} places: ${places}`)
  const [only] = copies.length === 1 ? copies : []
  const header = only && headerOf(only.text)

  // After a stranger's `mv` the status is wrong until somebody reconciles.
  const isByHand = did('mv', 'cp', 'plant')
  if (only && header && header.status !== only.state && !did('mv', 'plant', 'cp'))
    broken.push(`it is in ${only.state} and says ${header.status}`)

  broken.push(...doubles(answers, isByHand))

  for (const { who, attempt, verb, text } of [
    ...told('complete', 'completed'),
    ...told('fail', 'failed'),
    ...told('deny', 'failed'),
  ]) {
    if (text !== undefined && !copies.some((copy) => copy.text.includes(String(text))) && !did('rm', 'cp'))
      broken.push(`${who} was told that attempt ${attempt} is ${verb}d, and its text is nowhere`)
  }
  const completed = told('complete', 'completed')
  if (completed.length > 1) broken.push('two were told that they completed it')
  for (const { attempt, who } of completed) {
    if (only && header && header.attempt !== attempt)
      broken.push(`${who} completed attempt ${attempt}, and attempt ${header.attempt} is what was completed`)
    if (only && !['completed', 'archived'].includes(only.state) && !did('mv', 'cp'))
      broken.push(`${who} was told it is completed, and it is in ${only.state}`)
  }
  if (
    !ending.died &&
    only?.text.includes('Result of attempt') &&
    completed.length === 0 &&
    !['completed', 'covered'].includes(ending.world)
  )
    broken.push('there is a result in it that nobody was told is in it')

  broken.push(...claimsStand(answers, only, header?.attempt, isByHand || did('rm')))

  for (const { who, body, attempt, byId, inFile, unmet, keptBody } of told('claim', 'claimed')) {
    const there = inFile as Header | undefined
    // Others may have moved it on before the claimer got its answer.
    // Claiming again what one already has moves nothing, so a stranger may edit it right after it was read.
    const isReadAgain = ending.world === 'processing' && byId === true
    if (there?.attempt === attempt && there?.body !== body && !isReadAgain)
      broken.push(`${who} was handed a text that is not the one in the file`)
    if (there?.attempt === attempt && there?.status !== 'processing' && !did('mv', 'plant'))
      broken.push(`${who} was handed a file that says ${there?.status}`)
    if (unmet !== undefined)
      broken.push(`${who} was handed a message that still waits for ${(unmet as string[]).join(', ')}`)
    broken.push(...unapproved(ending, who, String(body), keptBody as string | undefined))
    if (there?.attempt === attempt) broken.push(...unapproved(ending, who, there?.body ?? '', undefined))
  }

  const put = told('put', 'done').flatMap(({ paths }) => paths as string[])
  const standing = files.filter(({ text }) => text.startsWith(inTheWay))
  if (standing.length < put.length) broken.push(`what a stranger put there was replaced: ${put.join(', ')}`)
  for (const { mark } of told('edit', 'done'))
    if (only && !only.text.includes(String(mark))) broken.push(`what a stranger wrote into it is lost: ${mark}`)

  broken.push(...questions(ending, copies))
  broken.push(...inPeace(ending))
  broken.push(...lateHolder(ending))

  const renewed = told('renew', 'renewed').map(({ attempt }) => attempt)
  for (const { attempt, who } of stallsOf(answers)) {
    if (renewed.includes(attempt)) broken.push(`attempt ${attempt} was renewed, and ${who} failed it as stalled`)
  }
  if (answers.filter(isFailed).length > 2) broken.push('more failures than attempts')
  return [...new Set(broken)]
}

/** All copies of a message: in a queue, in the archive, in a pack. */
async function copiesOf({ files, tree }: Ending, id: string): Promise<Copy[]> {
  const loose = filesOf(files, id).map(({ path, text }) => ({ place: path, state: queueOf(path) ?? 'archived', text }))
  const hasArchive = files.some(({ path }) => path.startsWith(`${missionFolder}/archive/`))
  if (!hasArchive) return loose
  const third = await tree()
  const archived = await listArchived(third, treePath(`${missionFolder}/archive`))
  const packed = archived.filter((entry) => entry.id === id && !loose.some(({ place }) => place === entry.pack))
  const texts = await Promise.all(packed.map((entry) => readArchived(third, entry)))
  await third.close()
  return [
    ...loose,
    ...packed.map((entry, i) => ({
      place: entry.pack,
      state: 'archived',
      text: Buffer.from(texts[i]!).toString('utf8'),
    })),
  ].map((copy) =>
    copy.state === 'archived'
      ? { ...copy, state: headerOf(copy.text)?.status === 'completed' ? 'completed' : copy.state }
      : copy,
  )
}

/** Finds attempts that were handed out twice. Claiming again by id what one already has is fine. */
function doubles(answers: readonly Said[], isByHand: boolean): string[] {
  if (isByHand) return []
  const claims = answers.filter(
    ({ verb, outcome, id }) => verb === 'claim' && outcome === 'claimed' && id !== undefined,
  )
  return claims.flatMap((one, i) => {
    const before = claims.slice(0, i).find(({ id, attempt }) => id === one.id && attempt === one.attempt)
    if (!before || one.byId || before.byId) return []
    return [`attempt ${one.attempt} of ${one.id} was handed to ${before.who} and to ${one.who}`]
  })
}

/** The last claimer must still have the message, unless that attempt was ended. */
function claimsStand(
  answers: readonly Said[],
  only: Copy | undefined,
  attempt: number | undefined,
  isByHand: boolean,
): string[] {
  const claims = answers.filter(
    ({ verb, outcome, id }) => verb === 'claim' && outcome === 'claimed' && id === messageId,
  )
  const last = claims.reduce<Said | undefined>(
    (a, b) => (a && Number(a.attempt) > Number(b.attempt) ? a : b),
    undefined,
  )
  if (!last || !only || isByHand) return []
  const isEnded = answers.some(
    (one) =>
      ['complete', 'fail'].includes(one.verb) &&
      ['completed', 'failed'].includes(one.outcome) &&
      one.attempt === last.attempt,
  )
  const isStalled = stallsOf(answers).some((stall) => stall.attempt === last.attempt)
  if (isEnded || isStalled) return []
  if (only.state === 'processing' && attempt === last.attempt) return []
  return [`${last.who} holds attempt ${last.attempt}, and the message is in ${only.state} as attempt ${attempt}`]
}

const stallsOf = (answers: readonly Said[]) =>
  answers.flatMap(({ who, stalled }) =>
    ((stalled ?? []) as { id: string; attempt: number }[])
      .filter(({ id }) => id === messageId)
      .map(({ attempt }) => ({ attempt, who })),
  )

/** There must be one question for each attempt that a supervisor ended, and no other. */
function questions({ files, answers }: Ending, copies: readonly Copy[]): string[] {
  const broken: string[] = []
  const asked = files.flatMap(({ path, text }) => {
    const id = headerOf(text)?.id
    return id?.startsWith('investigate-') && path.startsWith(missionFolder) ? [id] : []
  })
  const reported = new Set(
    copies.flatMap(({ text }) =>
      [...text.matchAll(/Stalled: [\s\S]*?Attempt (\d+)\./g)].map((found) => Number(found[1])),
    ),
  )
  const stalls = new Set([...reported, ...stallsOf(answers).map(({ attempt }) => attempt)])
  for (const attempt of stalls) {
    const count = asked.filter((id) => id === `investigate-${messageId}-${attempt}`).length
    if (count !== 1) broken.push(`attempt ${attempt} stalled, and ${count} questions ask about it`)
  }
  for (const id of asked)
    if (!stalls.has(Number(id.split('-').at(-1)))) broken.push(`${id} asks about what did not stall`)
  return broken
}

/** By world: the stories that do not change its message. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  pending: ['doctor', 'reconcile', 'send', 'supervise', 'archive'],
  'pending for all': ['doctor', 'reconcile'],
  'in hand': ['doctor', 'reconcile'],
  processing: ['doctor', 'reconcile', 'send', 'archive', 'retry', 'claim'],
  failed: ['doctor', 'reconcile', 'send', 'archive', 'supervise', 'claim'],
  completed: ['doctor', 'reconcile', 'send', 'supervise', 'complete', 'fail'],
}
const success: Readonly<Record<string, string>> = {
  claim: 'claimed',
  deny: 'failed',
  complete: 'completed',
  fail: 'failed',
  renew: 'renewed',
  retry: 'retried',
  archive: 'archived',
  supervise: 'swept',
}
/** By world: the stories that must succeed there. */
const possible: Readonly<Record<string, readonly string[]>> = {
  pending: ['claim', 'claim by id', 'deny'],
  'pending for all': ['claim', 'claim by codex', 'claim by id'],
  'in hand': ['complete own', 'complete own barely', 'fail own', 'renew own'],
  processing: ['complete', 'complete barely', 'fail', 'renew', 'supervise'],
  failed: ['retry'],
  completed: ['archive'],
}

/** A story must succeed if the other one does not change the message. */
function inPeace({ world, first, second, died, answers }: Ending): string[] {
  if (died || !possible[world]?.includes(first) || !harmless[world]?.includes(second)) return []
  const last = answers.findLast(({ who }) => who === 'first')
  const wanted = success[last?.verb ?? '']
  return last?.outcome === wanted
    ? []
    : [`the first was told ${last?.outcome} instead of ${wanted}, because of a harmless ${second}`]
}

/** A worker whose attempt has ended must not change anything. */
function lateHolder({ first, answers, between, files }: Ending): string[] {
  if (!/^(complete|complete barely|fail|renew)$/.test(first)) return []
  const [before, ...more] = filesOf(between, messageId)
  const header = before && headerOf(before.text)
  if (!before || more.length > 0 || !header || header.attempt < 2) return []
  const after = files.find(({ path }) => path === before.path)
  const isSame = after?.text === before.text && after.modifiedAt === before.modifiedAt
  const answer = answers.findLast(({ who }) => who === 'first')?.outcome
  return isSame
    ? []
    : [
        `the first (attempt 1, told ${answer}) changed what was attempt ${header.attempt} by then: ${differenceOf(before, after)}`,
      ]
}

const differenceOf = (before: FoundFile, after: FoundFile | undefined): string =>
  after === undefined ? 'it is not where it was' : after.text === before.text ? 'its time' : 'its text'

/** A message that a policy holds back must be handed out only with a text that was approved. */
function unapproved(
  { world, answers, heldAt }: Ending,
  who: Who,
  body: string,
  keptBody: string | undefined,
): string[] {
  if (world === 'policy' && body.includes(dangerous)) {
    const approved = answers.filter(({ verb, outcome }) => verb === 'approve' && outcome === 'approved')
    const texts = approved.flatMap((one) => one.texts as string[])
    if (!texts.includes(body)) return [`${who} was handed a text that nobody approved`]
  }
  // If the body is exchanged during a claim, it may have been read before. If it is exchanged before, the claim must see it.
  if (world === 'approved, large' && keptBody?.includes(`${dangerous} all`) && heldAt === 1)
    return [`${who} was handed a message whose body in context/ nobody approved`]
  return []
}
