/** Sentences put together at random from the words of the phrasings, and what must be true of each. */

import { commands } from '../../src/protocols/shared-agent/commands/table.ts'
import { parseLine } from '../../src/protocols/shared-agent/format.ts'
import { SentenceModel } from '../../src/protocols/shared-agent/language/sentence-model.ts'
import { translate } from '../../src/protocols/shared-agent/language/translate.ts'
import { around, phrasingsIn, saidIn } from './phrasings.ts'
import { weights } from './session.ts'

/** A small generator with a seed, so that a sentence that fails can be made again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const sentences = (['worked-with', 'left-alone'] as const).flatMap(phrasingsIn).map(saidIn)
const words = [...new Set(sentences.flatMap((sentence) => sentence.split(' ')))]
/** Such words as make something destructive, or keep it from being asked for. */
const telling = [
  'clear',
  'wipe',
  'reset',
  'state',
  'session',
  'everything',
  'roll',
  'back',
  'to',
  'cp_001',
  'force',
  'not',
  "don't",
]
telling.push(
  'never',
  'should',
  'if',
  'import',
  'context',
  'from',
  './context/a.ctx',
  'the',
  'all',
  'unlock',
  'rollback',
  'keys',
)

export function randomSentence(random: () => number): string {
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!
  const way = random()
  // Words at random; a sentence with some words changed, left out or put in; two sentences in one.
  if (way < 0.3)
    return Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(random() < 0.5 ? telling : words)).join(' ')
  const sentence = pick(sentences).split(' ')
  if (way < 0.45)
    return [...sentence, pick(['and', 'then', ',', 'or', 'but', 'unless']), ...pick(sentences).split(' ')].join(' ')
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    const at = Math.floor(random() * (sentence.length + 1))
    const change = random()
    if (change < 0.4) sentence.splice(at, 0, pick(random() < 0.6 ? telling : words))
    else if (change < 0.7) sentence.splice(at, 1)
    else sentence.splice(at, 1, pick(random() < 0.6 ? telling : words))
  }
  return sentence.join(' ')
}

/**
 * Why a sentence must not have become this command, found by other means than the translator's: an expression for each
 * destructive command. `undefined` where it was asked for, or destroys nothing.
 */
export function notAskedFor(sentence: string, command: string): string | undefined {
  const line = parseLine(command, commands)
  if (line.kind !== 'command') return 'is no command'
  const { spec, given } = line
  const says = sentence.toLowerCase()
  const isRefused =
    /\b(?:not|never|avoid|unless|if|should we|should i|can we|could we|maybe|perhaps|might)\b|n't\b|\?/.test(says) ||
    /\bwithout\b(?! (?:any |the )?(?:safety )?checks?)/.test(says)
  const asks = (...some: readonly RegExp[]): string | undefined =>
    !isRefused && some.every((one) => one.test(says)) ? undefined : `runs ${command}`
  const mentions = (text = ''): RegExp => new RegExp(text.toLowerCase().replace(/[^a-z0-9_]/g, '.'))
  if (spec.name === 'STATE:clear')
    return asks(
      /\b(?:clear|reset|wipe|erase|empty|purge|flush|forget|delete|remove|discard|drop|get rid of|scrub|blank|clean|throw away)\b/,
      /\b(?:state|keys|values|memory|saved)\b/,
    )
  if (spec.name === 'ROLLBACK')
    return (
      asks(/\b(?:roll|rollback|revert|restore|go back|back|return|rewind|reset|undo)\b/, mentions(given.id)) ??
      (given.force === undefined ? undefined : asks(/\bforc/))
    )
  if (spec.name === 'CONTEXT:import')
    return asks(
      /\b(?:import|load|read|bring|take|pull|restore|get|merge|resume|continue|add)\b/,
      mentions(given.filepath),
    )
  if (given.force !== undefined) return asks(/\bforc|\bbreak\b/, mentions(given.resource))
  return undefined
}

/** Every sentence of so many that became a destructive command without having asked for it. */
export function destroyedByChance(
  count: number,
  seed: number,
): { readonly wrong: readonly string[]; readonly destructive: number; readonly understood: number } {
  const random = randomFrom(seed)
  const model = new SentenceModel(weights())
  const wrong: string[] = []
  let [destructive, understood] = [0, 0]
  for (let n = 0; n < count; n++) {
    const sentence = randomSentence(random)
    const translation = translate(sentence, model, around)
    if (translation.outcome === 'asked') continue
    understood++
    const commands = translation.outcome === 'command' ? [translation.command] : translation.commands
    for (const command of commands) {
      if (/^#(?:STATE:clear|ROLLBACK:(?!status|dry-run)|CONTEXT:import)|:force$/.test(command)) destructive++
      const why = notAskedFor(sentence, command)
      if (why !== undefined) wrong.push(`${sentence} → ${why}`)
    }
  }
  return { wrong, destructive, understood }
}
