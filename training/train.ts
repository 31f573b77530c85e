/** Trains the model of sentences: a linear classifier of requests, and a perceptron that finds their slots. */
import { hash, sentenceFeatures, tokenFeatures } from '../src/protocols/shared-agent/language/features.ts'
import {
  bestLabels,
  labelName,
  type ModelHead,
  magic,
  pairOf,
  transition,
} from '../src/protocols/shared-agent/language/sentence-model.ts'
import { type Token, tokensOf } from '../src/protocols/shared-agent/language/tokens.ts'
import { nowhere, type TranslatorContext } from '../src/protocols/shared-agent/language/translation.ts'
import { type Corpus, type Entry, type Example, Expander, randomFrom } from './corpus.ts'

export interface Options {
  readonly seed: number
  /** How many examples there are of each request; 1 is 550. */
  readonly scale: number
  readonly rounds: number
  readonly bits: number
  readonly slotBits: number
  readonly log: (line: string) => void
}

export const usual: Options = { seed: 1, scale: 1, rounds: 3, bits: 15, slotBits: 18, log: () => {} }

type Tokenized = Example & { readonly tokens: readonly Token[] }

export function train(corpus: Corpus, options: Options): Uint8Array {
  const slots = slotsOf(corpus)
  const intents = [...slots.keys(), 'several']
  const { log } = options
  const linear = trainIntents(corpus, intents, options)
  const tagger = trainSlots(corpus, slots, options)
  const step = stepOf(linear)
  const head: ModelHead = {
    corpus: corpus.checksum,
    intents,
    slots: Object.fromEntries([...slots].map(([intent, names]) => [intent, [...names].sort()])),
    bits: options.bits,
    slotBits: options.slotBits,
    step,
  }
  const bytes = [
    Buffer.from(`${magic}\n${JSON.stringify(head)}\n`),
    quantized(linear, step),
    quantized(tagger, stepOf(tagger)),
  ]
  const whole = Buffer.concat(bytes)
  log(`${intents.length} kinds of request, ${whole.length} bytes`)
  return whole
}

function slotsOf({ entries, fillers }: Corpus): Map<string, Set<string>> {
  const slots = new Map<string, Set<string>>()
  for (const { intent, body } of entries) {
    const own = slots.get(intent) ?? new Set()
    for (const [, list = ''] of body.matchAll(/\{([\w-]+)/g)) own.add(fillers.get(list)?.slot ?? list)
    slots.set(intent, own)
  }
  return slots
}

/** More where there is more to tell apart. */
const shares: Readonly<Record<string, number>> = {
  none: 5.5,
  DELEGATE: 2,
  REPORT: 1.5,
  'STATE:save': 1.5,
  'STATE:load': 1.5,
}
const examplesEach = 550
const examplesOfTwo = 1500

function examplesOf({ entries, fillers }: Corpus, seed: number, scale: number): Tokenized[] {
  const expander = new Expander(fillers, seed)
  const byIntent = new Map<string, Entry[]>()
  for (const entry of entries) {
    const own = byIntent.get(entry.intent) ?? []
    for (let n = entry.weight; n > 0; n--) own.push(entry)
    byIntent.set(entry.intent, own)
  }
  const examples: Example[] = []
  for (const [intent, own] of byIntent) {
    const wanted = Math.round(examplesEach * scale * (shares[intent] ?? 1))
    for (let n = 0; n < wanted; n++)
      examples.push(expander.vary(n < own.length && wanted >= own.length ? own[n]! : expander.pick(own)))
  }
  const orders = entries.filter(({ isOrder, intent }) => isOrder && intent !== 'none')
  for (let n = 0; n < examplesOfTwo * scale; n++) examples.push(expander.two(orders))
  for (let i = examples.length - 1; i > 0; i--) {
    const j = Math.floor(expander.random() * (i + 1))
    ;[examples[i], examples[j]] = [examples[j]!, examples[i]!]
  }
  return examples.map((example) => ({
    ...example,
    tokens: tokensOf(example.text, sometimesKnown(example, expander.random)),
  }))
}

/** Now and then the session knows what is spoken of. */
function sometimesKnown({ text, slots }: Example, random: () => number): TranslatorContext {
  const [keys, checkpoints, tasks]: [
    string[],
    { id: string; name: string }[],
    { id: string; agent: string; task: string }[],
  ] = [[], [], []]
  for (const { slot, start, end } of slots) {
    const said = text.slice(start, end).replace(/^(?:the|our|my) /i, '')
    const name = said.replaceAll(' ', '_')
    if (slot === 'key' && random() < 0.3) keys.push(name)
    else if (slot === 'name' && random() < 0.2 && !/^(?:before|after)/.test(said))
      checkpoints.push({ id: 'cp_001', name })
    else if (slot === 'id' && random() < 0.5) checkpoints.push({ id: 'cp_001', name })
    else if (slot === 'task' && random() < (/^\w+$/.test(said) ? 0.35 : 0.06) && said.split(' ').length < 3)
      tasks.push({ id: 'task_id_001', agent: 'DevAgent', task: name })
    else if (/^(?:task|msg|issue|value|text|desc|topic|condition)$/.test(slot) && random() < 0.12) {
      const words = said.split(' ').filter((word) => /^[a-z_]{4,}$/.test(word))
      if (words.length > 0) keys.push(words[Math.floor(random() * words.length)]!)
    }
  }
  return { ...nowhere, agents: ['gemini', 'coder-1'], keys, checkpoints, tasks }
}

/** Logistic regression by AdaGrad; half of the features are left out at each step, so that none is relied upon alone. */
function trainIntents(
  corpus: Corpus,
  intents: readonly string[],
  { seed, scale, rounds, bits, log }: Options,
): Float32Array {
  const [count, mask] = [intents.length, (1 << bits) - 1]
  const weights = new Float32Array(count << bits)
  const squares = new Float32Array(count << bits).fill(0.01)
  const random = randomFrom(seed + 17)
  const scores = new Float64Array(count)
  for (let round = 0; round < rounds; round++) {
    let loss = 0
    const examples = examplesOf(corpus, seed * 100 + round, scale).map(({ tokens, intent }) => ({
      features: Int32Array.from(new Set([...sentenceFeatures(tokens)].map((one) => one & mask))),
      intent: intents.indexOf(intent),
    }))
    for (let pass = 0; pass < 4; pass++)
      for (const { features, intent } of examples) {
        scores.fill(0)
        const kept = features.filter(() => random() < 0.5)
        for (const feature of kept) for (let k = 0, at = feature * count; k < count; k++) scores[k]! += weights[at + k]!
        const most = Math.max(...scores)
        let total = 0
        for (let k = 0; k < count; k++) total += scores[k] = Math.exp(scores[k]! - most)
        for (let k = 0; k < count; k++) scores[k]! /= total
        loss -= Math.log(scores[intent]! + 1e-9)
        scores[intent]! -= 1
        for (const feature of kept)
          for (let k = 0, at = feature * count; k < count; k++, at++) {
            const slope = scores[k]!
            if (slope < 1e-4 && slope > -1e-4) continue
            squares[at]! += slope * slope
            weights[at]! -= (0.25 * slope) / Math.sqrt(squares[at]!)
          }
      }
    log(`requests, round ${round + 1}: ${examples.length} examples, loss ${(loss / examples.length / 4).toFixed(4)}`)
  }
  return weights
}

/** An averaged perceptron over sequences of labels. */
function trainSlots(
  corpus: Corpus,
  slots: ReadonlyMap<string, ReadonlySet<string>>,
  { seed, scale, rounds, slotBits, log }: Options,
): Float32Array {
  const mask = (1 << slotBits) - 1
  const weights = new Float32Array(1 << slotBits)
  const sums = new Float32Array(1 << slotBits)
  let count = 1
  const change = (pair: number, by: number) => {
    weights[pair & mask]! += by
    sums[pair & mask]! += by * count
  }
  for (let round = 0; round < rounds; round++) {
    let [wrong, all] = [0, 0]
    for (const example of examplesOf(corpus, 900 + seed * 100 + round, scale)) {
      const { intent, tokens } = example
      const names = [...(slots.get(intent) ?? [])].sort()
      if (names.length === 0 || tokens.length === 0) continue
      const right = labelsOf(example, names)
      const features = tokenFeatures(tokens, intent)
      const found = bestLabels(features, intent, names, (pair) => weights[pair & mask]!)
      all++
      count++
      if (right.every((label, i) => label === found[i])) continue
      wrong++
      for (const [i, own] of features.entries()) {
        const [r, f] = [labelName(names, right[i]!), labelName(names, found[i]!)]
        if (r !== f)
          for (const feature of own) {
            change(pairOf(feature, hash(r)), 1)
            change(pairOf(feature, hash(f)), -1)
          }
        if (i === 0) continue
        const [before, foundBefore] = [labelName(names, right[i - 1]!), labelName(names, found[i - 1]!)]
        if (r === f && before === foundBefore) continue
        change(transition(intent, before, r), 1)
        change(transition(intent, foundBefore, f), -1)
      }
    }
    log(`slots, round ${round + 1}: ${wrong} of ${all} sentences had a wrong one`)
  }
  for (let i = 0; i < weights.length; i++) weights[i]! -= sums[i]! / count
  return weights
}

/** Articles belong to a text, and not to a name. */
const keepsArticle = new Set([
  'msg',
  'issue',
  'desc',
  'text',
  'reason',
  'result',
  'value',
  'task',
  'name',
  'condition',
  'category',
])

export function labelsOf({ tokens, slots, text }: Tokenized, names: readonly string[]): number[] {
  const labels = tokens.map(() => 0)
  for (const { slot, start, end } of slots) {
    const article = keepsArticle.has(slot)
      ? ''
      : (/^(?:the|an?|our|my|your|both)\s+/i.exec(text.slice(start, end))?.[0] ?? '')
    let isFirst = true
    for (const [i, token] of tokens.entries()) {
      if (token.end <= start + article.length || token.start >= end || (isFirst && token.kind === 'mark')) continue
      labels[i] = 1 + 2 * names.indexOf(slot) + (isFirst ? 0 : 1)
      isFirst = false
    }
  }
  return labels
}

/** So that all but the few largest fit into a signed byte. */
function stepOf(weights: Float32Array): number {
  const sizes = weights
    .filter((one) => one !== 0)
    .map(Math.abs)
    .sort()
  return (sizes[Math.floor(sizes.length * 0.9995)] ?? 127) / 127
}

const quantized = (weights: Float32Array, step: number): Buffer =>
  Buffer.from(Int8Array.from(weights, (one) => Math.max(-127, Math.min(127, Math.round(one / step)))).buffer)
