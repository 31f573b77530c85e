/** The sentences of `data/sentences/` as they are written, and as examples with their slots filled. Seeded: always the same. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export interface Entry {
  /** A command, or `none` for what is to be asked back. */
  readonly intent: string
  /** With `{name}` and `{name=text}` where slots are. */
  readonly body: string
  /** An order, which can be put politely. */
  readonly isOrder: boolean
  readonly weight: number
}

export interface Filled {
  readonly slot: string
  readonly start: number
  readonly end: number
}

export interface Example {
  readonly intent: string
  readonly text: string
  readonly slots: readonly Filled[]
}

export interface Corpus {
  readonly entries: readonly Entry[]
  /** In styles of their own. Left out of training when one wants to see how well it does on them. */
  readonly development: readonly Entry[]
  readonly fillers: Fillers
  /** Of all files. */
  readonly checksum: string
}

interface Filler {
  readonly slot: string | undefined
  /** A line stands in it as often as it counts. */
  readonly lines: readonly string[]
}
type Fillers = ReadonlyMap<string, Filler>

const everydayWeight = 10

export function readCorpus(folder: string): Corpus {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
  const texts = new Map(files.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]))
  const sum = createHash('sha256')
  for (const [name, text] of texts) sum.update(`${name}\0${text}\0`)
  const listed = [...texts].filter(([name]) => !/^(?:fillers|any-words|development)\.txt$/.test(name))
  return {
    entries: listed.flatMap(([name, text]) => entriesIn(text, name === 'everyday.txt' ? everydayWeight : 1)),
    development: entriesIn(texts.get('development.txt') ?? '', 1),
    fillers: fillersIn(
      texts.get('fillers.txt') ?? '',
      texts.get('any-words.txt') ?? '',
      listed.map(([, text]) => text),
    ),
    checksum: sum.digest('hex').slice(0, 16),
  }
}

function* headed(text: string): Generator<readonly [heading: string, line: string]> {
  let heading = ''
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('## ')) heading = line.slice(3)
    else if (line !== '' && !line.startsWith('# ')) yield [heading, line]
  }
}

const entriesIn = (text: string, weight: number): Entry[] =>
  [...headed(text)].map(([intent, line]) => ({
    intent,
    body: line.replace(/^! /, ''),
    isOrder: line.startsWith('! '),
    weight,
  }))

function fillersIn(text: string, words: string, sentences: readonly string[]): Fillers {
  const fillers = new Map<string, { slot: string | undefined; lines: string[] }>()
  for (const [heading, line] of headed(text)) {
    const [name = '', slot] = heading.split(' = ')
    const filler = fillers.get(name) ?? { slot, lines: [] }
    const [, count, rest] = /^(?:(\d+)\* )?(.*)$/.exec(line)!
    // What begins or ends with a blank stands between quotes.
    const meant = /^".*"$/.test(rest!) && slot === undefined ? JSON.parse(rest!) : rest!
    for (let n = Number(count ?? 1); n > 0; n--) filler.lines.push(meant)
    fillers.set(name, filler)
  }
  fillers.set('any', {
    slot: undefined,
    lines: words
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join(' ')
      .split(' ')
      .filter(Boolean),
  })
  fillers.set('cue', { slot: undefined, lines: wordsOfRequests(sentences) })
  return fillers
}

/** What requests are made of stands in tasks and messages too, where it asks for nothing. */
function wordsOfRequests(sentences: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of sentences)
    for (const [word] of text
      .replace(/\{[^}]*\}|^#.*$/gm, ' ')
      .toLowerCase()
      .matchAll(/[a-z]{4,}/g))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > 2).map(([word]) => word)
}

/** Numbers from 0 to 1 that are the same at every run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}

/** Makes examples of entries. */
export class Expander {
  readonly #fillers: Fillers
  readonly random: () => number

  constructor(fillers: Fillers, seed: number) {
    this.#fillers = fillers
    this.random = randomFrom(seed * 7919)
  }

  pick<T>(some: readonly T[]): T {
    return some[Math.floor(this.random() * some.length)]!
  }

  line(list: string): string {
    const filler = this.#fillers.get(list)
    if (!filler) throw new Error(`fillers.txt has no list ${list}.`)
    return this.pick(filler.lines).replace(/\{([\w-]+)\}/g, (_, name: string) => this.line(name))
  }

  /** As it stands, with its slots filled. `exchange`: how often a given filling is replaced by another one. */
  fill({ intent, body }: Entry, before = '', behind = '', exchange = 0): Example {
    const slots: Filled[] = []
    let text = before
    let at = 0
    for (const found of body.matchAll(/\{([\w-]+)(?:=([^}>]*)(?:>[^}]*)?)?\}/g)) {
      const [whole, list = '', given] = found
      text += body.slice(at, found.index)
      at = found.index + whole.length
      const filler = this.#fillers.get(list)
      if (!filler?.slot) throw new Error(`${body}: fillers.txt has no list "${list}" that fills a slot.`)
      const isKept = given !== undefined && !(exchangeable.has(list) && this.random() < exchange)
      let said = isKept ? given : this.line(list)
      if (/\b(?:the|our|my|your|an?)\s$/i.test(text)) said = said.replace(/^(?:the|our|my)\s/, '')
      slots.push({ slot: filler.slot, start: text.length, end: text.length + said.length })
      text += said
    }
    return { intent, text: text + body.slice(at) + behind, slots }
  }

  /** As somebody else would say it: politely, in haste, mistyped. */
  vary(entry: Entry): Example {
    const often = (share: number) => this.random() < share
    const isClosed = /[?!.:}"]$/.test(entry.body)
    let [before, behind] = ['', '']
    if (entry.isOrder) {
      if (often(0.45)) before = this.line('before-order')
      if (often(0.3) && !/[?!.:]$/.test(entry.body)) behind = this.line('behind-order')
    } else {
      if (often(entry.intent === 'none' ? 0.12 : 0.2)) before = this.line('before-other')
      if (often(0.25) && !isClosed)
        behind = entry.intent === 'none' ? this.pick(['.', '!', '?', ' please', '']) : this.line('behind-other')
    }
    if (entry.intent !== 'none' && often(0.07)) before = `${this.line('chatter')} ${before}`
    if (entry.intent !== 'none' && often(0.05) && behind === '' && !isClosed) behind = this.line('reason-behind')
    let example = this.fill(entry, before, behind, 0.6)
    const { text, slots } = example
    if (often(0.12) && /[?!.]$/.test(text) && !slots.some(({ end }) => end === text.length))
      example = { ...example, text: text.slice(0, -1) }
    if (often(0.16)) example = this.#mistyped(example)
    const [first = ''] = example.text
    if (often(0.15)) example = { ...example, text: first.toUpperCase() + example.text.slice(1) }
    else if (often(0.25) && !/^I\b/.test(example.text))
      example = { ...example, text: first.toLowerCase() + example.text.slice(1) }
    return example
  }

  #mistyped(example: Example): Example {
    const words = [...example.text.matchAll(/[A-Za-z]{4,}/g)].filter(
      ({ index, 0: word }) => !example.slots.some(({ start, end }) => index < end && index + word.length > start),
    )
    if (words.length === 0) return example
    const { index, 0: word } = this.pick(words)
    const typed = this.#slip(word)
    const move = typed.length - word.length
    const moved = (at: number) => (at > index ? at + move : at)
    return {
      ...example,
      text: example.text.slice(0, index) + typed + example.text.slice(index + word.length),
      slots: example.slots.map(({ slot, start, end }) => ({ slot, start: moved(start), end: moved(end) })),
    }
  }

  #slip(word: string): string {
    const i = 1 + Math.floor(this.random() * (word.length - 2))
    const way = this.random()
    if (way < 0.35) return word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2)
    if (way < 0.65) return word.slice(0, i) + word.slice(i + 1)
    if (way < 0.85) return word.slice(0, i) + word[i] + word.slice(i)
    return word.slice(0, i) + String.fromCharCode(97 + Math.floor(this.random() * 26)) + word.slice(i + 1)
  }

  /** Two requests in one sentence, put together from orders. */
  two(orders: readonly Entry[]): Example {
    for (;;) {
      const [one, other] = [this.pick(orders), this.pick(orders)]
      // A text at the end of the first would swallow the second.
      if (
        /\{(?:task|taskn|msg|issue|desc|def|value|question|reason|q\w+)\}$/.test(one.body) &&
        !plainSecond.test(other.intent)
      )
        continue
      if (one.intent === other.intent && !repeatable.test(one.intent)) continue
      const before = this.random() < 0.3 ? this.pick(['please ', 'can you ', 'first ', 'could you ']) : ''
      const first = this.fill(one, before).text.replace(/[.?!]$/, '')
      return { intent: 'several', text: first + this.line('between-requests') + this.fill(other).text, slots: [] }
    }
  }
}

const exchangeable = new Set(['agent', 'cp', 'dur', 'chan', 'version', 'code'])
const plainSecond = /^(?:ROLLBACK|STATE:clear|LOCK|UNLOCK|CONTEXT|SUBSCRIBE|UNSUBSCRIBE|CHECKPOINT)/
const repeatable = /^(?:LOCK|UNLOCK|DELEGATE|DIRECT|STATE:save|SIGNAL|SUBSCRIBE)/
