/** How well sentences are understood: right of those that can be, asked back of those that must be, destructive unasked. */
import { readFileSync } from 'node:fs'
import type { SentenceModel } from '../../../src/protocols/shared-agent/language/sentence-model.ts'
import { translate } from '../../../src/protocols/shared-agent/language/translate.ts'
import { around } from '../../support/phrasings.ts'
import { paraphrased } from './paraphrase.ts'

export interface Sentence {
  readonly said: string
  /** A command; `?` where it must be asked back. */
  readonly means: string
}

export interface Measured {
  readonly set: string
  readonly right: number
  readonly ofRequests: number
  readonly askedBack: number
  readonly ofOthers: number
  readonly destructiveUnasked: number
  /** Each sentence that was not understood as it is meant, and what became of it. */
  readonly wrong: readonly string[]
}

export const sentencesIn = (text: string): readonly Sentence[] =>
  text.split('\n').flatMap((line) => {
    const at = line.indexOf(' => ')
    return at < 0 || line.startsWith('#') ? [] : [{ said: line.slice(0, at), means: line.slice(at + 4) }]
  })

/** Blanks and underscores, articles, marks and case make no other command. */
export const isSameCommand = (a: string, b: string): boolean => plain(a) === plain(b)
const plain = (line: string): string =>
  line
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ')
    .replace(/\b(?:the|an?|our|my) /g, '')
    .replace(/["'.?!,]/g, '')
    .replace(/: | :/g, ':')
    .replace(/:p2$/, '')
    .trim()

const destructive = /^#(?:STATE:clear|ROLLBACK:(?!status|dry-run)|CONTEXT:import)|:force$/

export function measure(set: string, sentences: readonly Sentence[], model: SentenceModel): Measured {
  const wrong: string[] = []
  let [right, ofRequests, askedBack, ofOthers, destructiveUnasked] = [0, 0, 0, 0, 0]
  for (const { said, means } of sentences) {
    const made = translate(said, model, around)
    const lines = made.outcome === 'command' ? [made.command] : made.outcome === 'commands' ? made.commands : []
    const isMeant = lines.length === 1 && isSameCommand(lines[0]!, means)
    if (lines.some((line) => destructive.test(line)) && !isMeant) destructiveUnasked++
    const isRight = means === '?' ? lines.length === 0 : isMeant
    if (means === '?') {
      ofOthers++
      askedBack += Number(isRight)
    } else {
      ofRequests++
      right += Number(isRight)
    }
    if (!isRight) wrong.push(`${said} → ${lines.join(' ') || (made.outcome === 'asked' ? made.question : '')}`)
  }
  return { set, right, ofRequests, askedBack, ofOthers, destructiveUnasked, wrong }
}

/** The three sets. `root`: of the project. */
export function sets(root: string): readonly (readonly [name: string, sentences: readonly Sentence[]])[] {
  const read = (name: string) => sentencesIn(readFileSync(`${root}/test/eval/sentences/${name}.txt`, 'utf8'))
  const byHand = read('by-hand')
  return [
    ['by hand', byHand],
    ['paraphrased', byHand.flatMap(paraphrased)],
    ['titles', read('titles')],
  ]
}

const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`)
/** Of 95 %, by Wilson. */
export function spread(part: number, whole: number): string {
  const [p, z] = [part / whole, 1.96]
  const middle = (p + (z * z) / (2 * whole)) / (1 + (z * z) / whole)
  const wide = (z / (1 + (z * z) / whole)) * Math.sqrt((p * (1 - p)) / whole + (z * z) / (4 * whole * whole))
  return `${Math.round(100 * (middle - wide))}–${Math.round(100 * (middle + wide))}`
}

export const printMeasured = (all: readonly Measured[]): string =>
  [
    'Sentences       right                        asked back                   destructive unasked',
    ...all.map(
      ({ set, right, ofRequests, askedBack, ofOthers, destructiveUnasked }) =>
        `${set.padEnd(15)} ${`${right} of ${ofRequests}, ${percent(right, ofRequests)} (${spread(right, ofRequests)})`.padEnd(28)} ${`${askedBack} of ${ofOthers}, ${percent(askedBack, ofOthers)} (${spread(askedBack, ofOthers)})`.padEnd(28)} ${destructiveUnasked}`,
    ),
  ].join('\n')
