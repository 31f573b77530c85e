/** The promises of the verbs for every agent, checked after two processes have met. The files are read without the library. */
import { Box } from '../../src/bridge/box.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { busOn } from '../support/bus.ts'
import { mark, reader } from './neutral-actor.ts'
import type { FoundFile } from './outside.ts'
import type { Ending, Said } from './story.ts'

const note = `.signalbox/state/presence/${reader}.json`
const listing = `.signalbox/agents/${reader}.yaml`
const freedLog = '.signalbox/state/presence/freed.jsonl'

export async function checkNeutral(ending: Ending): Promise<string[]> {
  const { answers, files, begun } = ending
  const broken: string[] = []
  for (const { who, verb, defect } of answers)
    if (defect !== undefined) broken.push(`${who} ended ${verb} with a defect: ${defect}`)
  const hidden = files.filter(({ path }) => path.includes('/.own-')).map(({ path }) => path)
  if (hidden.length > 0) broken.push(`a private name is left though nobody is at work: ${hidden.join(', ')}`)

  const told = (verb: string, ...outcomes: readonly string[]) =>
    answers.filter((one) => one.verb === verb && outcomes.includes(one.outcome))
  const sent = messagesIn(begun).length + told('send', 'sent').length
  const isTold = answers.some(({ verb }) => verb === 'send')
  const there = messagesIn(files).map(({ path }) => path)
  if (isTold ? there.length !== sent : there.length !== messagesIn(begun).length)
    broken.push(`${sent} were sent, and there are ${there.join(', ')}`)
  if (told('send', 'sent').length > 1) broken.push('two were told that they sent the one of a key')

  broken.push(...claims(ending, told), ...(await freeing(ending)), ...(await held(ending)), ...notes(ending))
  return broken
}

type Told = (verb: string, ...outcomes: readonly string[]) => Said[]

/** A claim is given once, and ended once. */
function claims({ answers, begun }: Ending, told: Told): string[] {
  const broken: string[] = []
  const taken = told('take', 'taken').map(({ receipt }) => receipt)
  if (new Set(taken).size < taken.length) broken.push(`a claim was given twice: ${taken.join(', ')}`)
  const freed = freedIn(answers).filter((what) => what.includes('@'))
  const wasTaken = begun.some(({ path }) => path === 'receipt.txt')
  const most = messagesIn(begun).length + told('send', 'sent').length + told('release', 'settled').length + freed.length
  if (taken.length > most - (wasTaken ? 1 : 0)) broken.push(`taken ${taken.length} times: ${taken.join(', ')}`)
  const ended = told('done', 'settled').map(({ receipt }) => receipt)
  if (new Set(ended).size < ended.length) broken.push(`two were told that they finished ${ended.join(', ')}`)
  for (const receipt of ended)
    if (told('release', 'settled').some((one) => one.receipt === receipt) || freed.includes(String(receipt)))
      broken.push(`${receipt} was finished and given back`)
  return broken
}

/** Everything is freed once, is in the log, and only one thing after the agent has come back. */
async function freeing({ answers, between, files, first, second, tree }: Ending): Promise<string[]> {
  const broken: string[] = []
  const freed = freedIn(answers)
  if (new Set(freed).size < freed.length) broken.push(`freed twice: ${freed.join(', ')}`)
  const opened = await tree()
  // On a cluster the lines of a log are no files of their own.
  const log = linesOf(Buffer.from((await opened.read(treePath(freedLog)))?.bytes ?? []).toString('utf8'))
  await opened.close()
  if (new Set(log).size < log.length) broken.push(`told twice: ${log.join(', ')}`)
  for (const what of freed) if (!log.includes(what)) broken.push(`${what} was freed, and the log does not tell`)
  const isBack = first === 'free' && /^(act|done)/.test(second) && !isGone(between)
  const later = heldIn(files).length - heldIn(between).length
  if (isBack && later > 1) broken.push(`${later} things were taken from an agent that had come back`)
  return broken
}

/** Whoever was told last that it has the message still has it: nobody has taken a later claim away. */
async function held({ answers, tree, begun }: Ending): Promise<string[]> {
  const last = answers.findLast(({ verb, outcome }) => verb === 'take' && outcome === 'taken')
  if (!last || (begun.some(({ path }) => path === 'receipt.txt') && String(last.receipt).endsWith('@1'))) return []
  const isOver = answers.some(({ verb, receipt, outcome }) => {
    const isEnded = ['done', 'release'].includes(verb) && outcome === 'settled'
    return isEnded && receipt === last.receipt
  })
  if (isOver) return []
  const opened = await tree()
  try {
    await new Box(busOn(opened, ['acmq', 'mr'])).done(String(last.receipt), {}, reader)
    return []
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return [`${last.who} has ${last.receipt}, and it was taken away: ${error.message}`]
  } finally {
    await opened.close()
  }
}

/** Notes and files of agents are whole, and no fact that one process wrote is lost to another. */
function notes({ answers, files, world }: Ending): string[] {
  const broken: string[] = []
  const noted = textAt(files, note)
  if (noted !== undefined && JSON.parse(noted).name !== reader) broken.push(`the note says ${noted}`)
  if (world !== 'files and notes') return broken
  if (noted === undefined) broken.push('the note of the agent is gone')
  if (!noted?.includes('"home"') && answers.some(({ verb }) => verb === 'act') && !noted?.includes(reader))
    broken.push('the agent is not seen any more')
  if (answers.some(({ verb }) => verb === 'remove')) return broken
  const text = textAt(files, listing) ?? ''
  for (const { facts } of answers.filter(({ verb }) => verb === 'add'))
    for (const [key, value] of Object.entries(facts as Record<string, string>))
      if (!text.includes(`${key}: ${value}\n`)) broken.push(`\`${key}: ${value}\` is lost from the file of the agent`)
  return broken
}

const textAt = (files: readonly FoundFile[], at: string) => files.find(({ path }) => path === at)?.text

const isGone = (files: readonly FoundFile[]): boolean => textAt(files, note)?.includes('"gone"') === true

const messagesIn = (files: readonly FoundFile[]): readonly FoundFile[] =>
  files.filter(({ path, text }) => !path.startsWith('.signalbox/') && text.includes(mark))

const freedIn = (answers: readonly Said[]): string[] => answers.flatMap(({ freed }) => (freed ?? []) as string[])

const heldIn = (files: readonly FoundFile[]): string[] => linesOf(textAt(files, freedLog) ?? '')

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).held)
