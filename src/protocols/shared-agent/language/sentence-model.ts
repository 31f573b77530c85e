/**
 * The learned part: which command a sentence asks for, and which of its words fill which slot. `npm run train` makes the
 * weights from `data/sentences/`. They are bytes that are used as they lie in the file: nothing is decoded when it is read.
 *
 *   SBSM1, a line of JSON (`Head`), then as signed bytes a row of `intents` for each of 2^bits hashed features, then one
 *   for each of 2^slotBits hashed pairs of a feature of a token and a label.
 */
import { corrupt } from '../../../kernel/errors.ts'
import { hash, sentenceFeatures, tokenFeatures } from './features.ts'
import type { Token } from './tokens.ts'

export const magic = 'SBSM1'

export interface ModelHead {
  /** Of the files that it was trained from. */
  readonly corpus: string
  readonly intents: readonly string[]
  /** The slots of each intent. */
  readonly slots: Readonly<Record<string, readonly string[]>>
  readonly bits: number
  readonly slotBits: number
  /** What one step of a byte is worth. */
  readonly step: number
}

export interface Slot {
  readonly name: string
  /** The tokens that fill it. */
  readonly from: number
  readonly to: number
}

export interface Guess {
  readonly intent: string
  readonly probability: number
}

export class SentenceModel {
  readonly head: ModelHead
  readonly #intentWeights: Int8Array
  readonly #slotWeights: Int8Array

  /** Throws a `Corrupt` error when the bytes are not those of a whole model. */
  constructor(bytes: Uint8Array) {
    const first = bytes.indexOf(10)
    const second = bytes.indexOf(10, first + 1)
    const text = new TextDecoder()
    if (first !== magic.length || text.decode(bytes.subarray(0, first)) !== magic || second < 0) throw damaged()
    this.head = JSON.parse(text.decode(bytes.subarray(first + 1, second))) as ModelHead
    const { intents, bits, slotBits } = this.head
    const rows = intents.length << bits
    if (bytes.length !== second + 1 + rows + (1 << slotBits)) throw damaged()
    this.#intentWeights = new Int8Array(bytes.buffer, bytes.byteOffset + second + 1, rows)
    this.#slotWeights = new Int8Array(bytes.buffer, bytes.byteOffset + second + 1 + rows, 1 << slotBits)
  }

  /** What it may ask for, the likeliest first. */
  guesses(tokens: readonly Token[]): readonly Guess[] {
    const { intents, bits, step } = this.head
    const scores = new Float64Array(intents.length)
    for (const feature of sentenceFeatures(tokens)) {
      const row = (feature & ((1 << bits) - 1)) * intents.length
      for (let k = 0; k < intents.length; k++) scores[k]! += this.#intentWeights[row + k]!
    }
    const most = Math.max(...scores)
    const likelihoods = Array.from(scores, (score) => Math.exp((score - most) * step))
    const total = likelihoods.reduce((sum, one) => sum + one)
    return intents
      .map((intent, k) => ({ intent, probability: likelihoods[k]! / total }))
      .sort((a, b) => b.probability - a.probability)
  }

  /** The slots of a sentence that asks for this. */
  slots(tokens: readonly Token[], intent: string): readonly Slot[] {
    const names = this.head.slots[intent] ?? []
    if (names.length === 0 || tokens.length === 0) return []
    const mask = (1 << this.head.slotBits) - 1
    const labels = bestLabels(tokenFeatures(tokens, intent), intent, names, (pair) => this.#slotWeights[pair & mask]!)
    return slotsFrom(labels, names)
  }
}

/** Labels are numbers: 0 is outside of any slot, 1 + 2k begins the slot k and 2 + 2k goes on in it. */
const labelCount = (names: readonly string[]): number => 1 + 2 * names.length
export const labelName = (names: readonly string[], label: number): string =>
  label === 0 ? '-' : `${label % 2 === 1 ? 'B' : 'I'} ${names[(label - 1) >> 1]}`

/** The place of the weight of a feature together with a label. */
export function pairOf(feature: number, label: number): number {
  const h = Math.imul(feature ^ Math.imul(label, 0x9e3779b1), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}
export const transition = (intent: string, before: string, after: string): number =>
  hash(`${intent} ${before}>${after}`)

/** The sequence of labels with the highest sum of weights (Viterbi). */
export function bestLabels(
  features: readonly (readonly number[])[],
  intent: string,
  names: readonly string[],
  weight: (pair: number) => number,
): number[] {
  const count = labelCount(names)
  const ids = Array.from({ length: count }, (_, label) => hash(labelName(names, label)))
  const steps = Array.from({ length: count }, (_, before) =>
    Array.from({ length: count }, (_, after) =>
      weight(transition(intent, labelName(names, before), labelName(names, after))),
    ),
  )
  const mayFollow = (before: number, after: number): boolean =>
    after === 0 || after % 2 === 1 || before === after || before === after - 1
  let best: number[] = []
  const cameFrom: number[][] = []
  for (const [i, own] of features.entries()) {
    const back: number[] = []
    best = ids.map((id, label) => {
      const score = own.reduce((sum, feature) => sum + weight(pairOf(feature, id)), 0)
      if (i === 0) return mayFollow(0, label) ? score : Number.NEGATIVE_INFINITY
      let [from, most] = [0, Number.NEGATIVE_INFINITY]
      for (let before = 0; before < count; before++) {
        const sum = mayFollow(before, label) ? best[before]! + steps[before]![label]! : Number.NEGATIVE_INFINITY
        if (sum > most) [from, most] = [before, sum]
      }
      back[label] = from
      return most + score
    })
    cameFrom.push(back)
  }
  const labels: number[] = []
  let label = best.indexOf(Math.max(...best))
  for (let i = features.length - 1; i >= 0; i--) {
    labels[i] = label
    label = cameFrom[i]![label]!
  }
  return labels
}

function slotsFrom(labels: readonly number[], names: readonly string[]): readonly Slot[] {
  const slots: { name: string; from: number; to: number }[] = []
  for (const [i, label] of labels.entries()) {
    if (label === 0) continue
    if (label % 2 === 1) slots.push({ name: names[(label - 1) >> 1]!, from: i, to: i + 1 })
    else slots.at(-1)!.to = i + 1
  }
  return slots
}

function damaged() {
  const hint = 'Install Signalbox again. Until then say commands, such as #HELP.'
  return corrupt('DAMAGED_SENTENCE_MODEL', 'The model of sentences of this installation cannot be used.', { hint })
}
