/** The promises of Message Routing, checked after two processes have met. Shares no code with the store. */
import { inboxLimit, reader, sender } from './mr-actor.ts'
import { folderOf, inTheWay } from './mr-stories.ts'
import type { FoundFile } from './outside.ts'
import type { Ending, Said } from './story.ts'

interface Copy {
  readonly id: string
  readonly folder: string
  readonly path: string
  readonly text: string
  readonly sequence: number
  readonly answers?: string
}

interface Handed {
  readonly id: string
  readonly text: string
  readonly inFile?: string
}

export async function checkMr(ending: Ending): Promise<string[]> {
  const broken: string[] = []
  const { answers, files, begun } = ending
  const told = (verb: string, outcome: string) => answers.filter((one) => one.verb === verb && one.outcome === outcome)
  const did = (verb: string) => told(verb, 'done').length > 0

  for (const { who, verb, defect } of answers)
    if (defect !== undefined) broken.push(`${who} ended ${verb} with a defect: ${defect}`)
  const hidden = files.filter(({ path }) => path.includes('/.own-')).map(({ path }) => path)
  if (hidden.length > 0) broken.push(`a private name is left though nobody is at work: ${hidden.join(', ')}`)

  const mine = copiesIn(files, reader)
  const sent = [...copiesIn(begun, reader).map(({ id }) => id), ...told('send', 'sent').map(({ id }) => String(id))]
  for (const id of new Set(sent)) {
    const places = mine.filter((copy) => copy.id === id).map(({ folder }) => folder)
    const isPruned = wasPrunable(ending, id)
    if (places.length === 0 && !did('rm') && !isPruned) broken.push(`${id} is lost`)
    if (places.length > 1 && !did('cp')) broken.push(`${id} is in ${places.join(' and ')}`)
  }
  broken.push(...sentOnce(ending, mine))
  const twice = sent.filter((id, i) => sent.indexOf(id) !== i)
  if (twice.length > 0) broken.push(`two messages have the id ${twice.join(', ')}`)

  const handed = answers.flatMap(({ who, agent, handed: all }) =>
    agent === reader ? ((all ?? []) as Handed[]).map((one) => ({ ...one, who })) : [],
  )
  for (const id of new Set(handed.map((one) => one.id))) {
    const times = handed.filter((one) => one.id === id).length
    const wasTaken = copiesIn(begun, reader).some((copy) => copy.id === id && copy.folder === 'taken')
    const again = told('recover', 'recovered').filter((one) => one.id === id).length + (wasTaken ? 0 : 1)
    if (times > again && !did('cp')) broken.push(`${id} was handed out ${times} times`)
  }
  for (const { id, who, text, inFile } of handed)
    if (inFile !== undefined && text !== inFile)
      broken.push(`${who} was handed a text of ${id} that is not the one in the file`)

  const numbers = mine
    .filter(({ path, text }) => !path.includes('/rejected/') || text.includes(sender))
    .map(({ sequence }) => sequence)
  if (new Set(numbers).size < numbers.length && !did('cp')) broken.push(`a number came twice: ${numbers.join(', ')}`)

  broken.push(...acknowledgements(ending, mine))

  const waiting = mine.filter(({ folder }) => folder === 'inbox').length
  if (waiting > inboxLimit && !did('cp') && !did('put') && !did('mv')) broken.push(`the inbox holds ${waiting}`)

  const put = told('put', 'done').flatMap(({ paths }) => paths as string[])
  const standing = files.filter(({ text }) => text === inTheWay)
  if (standing.length < put.length) broken.push(`what a stranger put there was replaced: ${put.join(', ')}`)
  for (const { id, mark } of told('edit', 'done')) {
    const copies = mine.filter((copy) => copy.id === id)
    if (copies.length === 1 && !copies[0]!.text.includes(String(mark)))
      broken.push(`what a stranger wrote into ${id} is lost`)
  }
  return [...new Set(broken)]
}

/** However often it was sent under its key, it is there once, under the id that all senders were told. */
function sentOnce({ answers }: Ending, mine: readonly Copy[]): string[] {
  const ids = mine.filter(({ text }) => text.includes('"health_check"')).map(({ id }) => id)
  const told = answers.filter(({ verb, outcome }) => verb === 'send once' && ['sent', 'unchanged'].includes(outcome))
  const broken: string[] = []
  if (ids.length > 1) broken.push(`one key sent ${ids.join(' and ')}`)
  if (told.filter(({ outcome }) => outcome === 'sent').length > 1)
    broken.push('two were told that they sent the one of a key')
  for (const { id } of told) if (!ids.includes(String(id))) broken.push(`${id} was sent under a key and is nowhere`)
  return broken
}

/** At most one acknowledgement, exactly one if somebody was told so, and nothing else crosses off what is awaited. */
function acknowledgements({ answers, files, begun }: Ending, mine: readonly Copy[]): string[] {
  const broken: string[] = []
  const given = copiesIn(files, sender)
  const said = answers.filter(({ verb, outcome }) => verb === 'ack' && outcome === 'acknowledged')
  const before = copiesIn(begun, sender)
  for (const { id } of mine) {
    const count = given.filter((one) => one.answers === id).length
    const toldSo = said.filter((one: Said) => one.id === id).length + before.filter((one) => one.answers === id).length
    if (count > 1) broken.push(`${id} was acknowledged by ${count} messages`)
    if (toldSo > 1) broken.push(`${toldSo} were told that they acknowledged ${id}`)
    if (toldSo > 0 && count === 0) broken.push(`the acknowledgement of ${id} is nowhere`)
    const note = `${folderOf(sender, '.awaiting')}/${id}`
    const wasAwaited =
      begun.some(({ path }) => path === note) ||
      answers.some((one) => ['send', 'send once'].includes(one.verb) && one.id === id)
    if (wasAwaited && count === 0 && !files.some(({ path }) => path === note))
      broken.push(`${id} is not awaited any more, and nobody acknowledged it`)
  }
  return broken
}

function copiesIn(files: readonly FoundFile[], agent: string): Copy[] {
  return files.flatMap(({ path, text }) => {
    const folder = new RegExp(`^state/agents/${agent}/(inbox|taken|evicted|rejected)/[^/]+$`).exec(path)?.[1]
    if (folder === undefined || text === inTheWay) return []
    const { msg_id: id, sequence, correlation_id: answers } = JSON.parse(text)
    return [{ id, folder, path, text, sequence, answers }]
  })
}

/** Pruning keeps the message that was received last. One that was put back and received again is not old. */
const wasPrunable = ({ world, answers }: Ending, id: string): boolean =>
  world === 'kept for long' &&
  !answers.some((one) => one.verb === 'recover' && one.outcome === 'recovered' && one.id === id)
