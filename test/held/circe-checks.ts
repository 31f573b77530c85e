/** The promises of CIRCE, checked after two processes have met and the next one has looked. Shares no code with the store. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { defaultSettings } from '../../src/protocols/circe/settings.ts'
import { Circe } from '../../src/protocols/circe/store/circe.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { brokenIn, type SeenFile } from '../support/circe-checker.ts'
import type { Ending, Said } from './story.ts'

export async function checkCirce({ answers, begun, world, tree: open }: Ending): Promise<string[]> {
  const broken: string[] = []
  for (const { who, verb, defect } of answers)
    if (defect !== undefined) broken.push(`${who} ended ${verb} with a defect: ${defect}`)
  const did = (verb: string, outcome: string) => answers.filter((one) => one.verb === verb && one.outcome === outcome)

  // Whoever comes next puts right what strangers did, and nothing more is left to do.
  const tree = await open()
  try {
    const clock = { now: () => Date.now() }
    await new Circe({ tree, clock, settings: defaultSettings }).overview.tasks()
    const files = [...(await filesVia(tree, 'AI_MANAGER')), ...(await filesVia(tree, '.signalbox/state'))]
    const sent = [...namesIn(begun), ...did('send', 'sent').map(({ file }) => String(file))]
    // Whoever moves work that somebody else has just claimed by a message has it, and does not own it.
    const isOvertaken =
      did('mv', 'done').length > 0 && did('send', 'sent').some(({ intent }) => intent === 'claim_task')
    const found = brokenIn(files, { sent, isAtRest: true })
    broken.push(...sentOnce(answers, namesIn(files)))
    broken.push(...found.filter((one) => !isOvertaken || !/^qa has .* owns it$/.test(one)))
  } finally {
    await tree.close()
  }

  const names = did('send', 'sent').map(({ file }) => file)
  if (new Set(names).size < names.length) broken.push(`two messages have the same name: ${names.join(', ')}`)
  broken.push(...claims(answers))
  for (const [verb, outcome] of [
    ['status', 'changed'],
    ['answer', 'answered'],
  ] as const) {
    const times = did(verb, outcome).filter(({ status }) => status === undefined || status === 'completed').length
    if (times > 1) broken.push(`${times} were told that they ${verb === 'answer' ? 'answered' : 'completed'} it`)
  }
  const texts = did('answer', 'answered').concat(did('answer', 'unchanged'))
  if (new Set(texts.map(({ text }) => text)).size > 1) broken.push('two answers were taken that say different things')
  if (world === 'asked' && answers.some(({ verb }) => verb === 'answer') && did('answer', 'answered').length === 0)
    broken.push('nobody answered')
  return [...new Set(broken)]
}

/** However often it was sent under a key, it is there once, under the name that all senders of that key were told. */
function sentOnce(answers: readonly Said[], names: readonly string[]): string[] {
  const there = new Set(names.filter((name) => name.includes('_question_')))
  const tried = answers.filter(({ verb }) => verb === 'send once')
  const broken: string[] = []
  for (const key of new Set(tried.map((one) => one.key))) {
    const told = tried.filter((one) => one.key === key && ['sent', 'unchanged'].includes(one.outcome))
    if (told.filter(({ outcome }) => outcome === 'sent').length > 1) broken.push(`two were told that they sent ${key}`)
    const files = new Set(told.map(({ file }) => String(file)))
    if (files.size > 1) broken.push(`${key} was told to be ${[...files].join(' and ')}`)
    for (const file of files) if (!there.delete(file)) broken.push(`${file} was sent under ${key} and is nowhere`)
    if (told.length === 0) there.delete([...there][0]!)
  }
  return there.size > 0 ? [...broken, `sent twice: ${[...there].join(' and ')}`] : broken
}

/** Of all who try one gets a message, until it is given back. */
function claims(answers: readonly Said[]): string[] {
  const broken: string[] = []
  const claimed = answers.filter(({ verb, outcome }) => verb === 'claim' && outcome === 'claimed')
  const isReleased = ({ verb, outcome }: Said) =>
    (verb === 'release' && outcome === 'changed') || (verb === 'give back' && outcome === 'returned')
  const released = answers.filter(isReleased).length
  const times = new Map<string, number>()
  for (const { file, agent } of claimed) {
    // What went to everybody is claimed by each of them.
    const key = /-all_inform/.test(String(file)) ? `${file} ${agent}` : String(file)
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  for (const [key, count] of times) if (count > 1 + released) broken.push(`${key} was handed out ${count} times`)
  return broken
}

const namesIn = (files: readonly SeenFile[]): string[] =>
  files.flatMap(({ path }) => /(?:NEW_MESSAGES|INBOX|WORKSPACE|LOGS)\/(\d{8}_[^/]+\.md)$/.exec(path)?.[1] ?? [])

async function filesVia(tree: Tree, folder: string): Promise<SeenFile[]> {
  const found: SeenFile[] = []
  for (const { name, kind } of await tree.list(treePath(folder))) {
    const path = `${folder}/${name}`
    if (kind === 'folder') found.push(...(await filesVia(tree, path)))
    if (kind !== 'leaf') continue
    const leaf = await tree.read(treePath(path))
    if (leaf) found.push({ path, text: Buffer.from(leaf.bytes).toString('utf8') })
  }
  return found
}
