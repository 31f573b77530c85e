/** What was said for each slot of a request. Pure. */
import type { Slot } from './sentence-model.ts'
import type { Kind, Token } from './tokens.ts'
import type { TranslatorContext } from './translation.ts'

/** Words that name nothing by themselves. */
const empty =
  /^(?:it|this|that|these|those|them|something|anything|everything|stuff|(?:the |that |this )?(?:thing|file|lock|one|resource|channel|word|number)s?|him|her|he|she|they|some(?:one|body)|any(?:one|body)|all|all this|the|an?|me|us|you|there|here|now|please|pls|plz|bitte|to do|do (?:it|that|this|so)|so)$/i

const articles = /^(?:the|an?|our|my|your|this|that)$/i

/** Without marks, quotes and words of courtesy at its ends. */
const trimmed = (text: string): string =>
  text
    .replace(/^[\s,;:.!?"'“”`(–-]+/, '')
    .replace(/(?:[\s,]+(?:please|pls|plz|thanks|thx|bitte|por favor))?[\s,;:!?"“”`)–-]*$/i, '')
    .replace(/(?<![.\s]\w*)\.$/, '')

export class FilledSlots {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly slots: readonly Slot[]
  readonly around: TranslatorContext

  constructor(text: string, tokens: readonly Token[], slots: readonly Slot[], around: TranslatorContext) {
    this.text = text
    this.tokens = tokens
    this.slots = slots
    this.around = around
  }

  has(name: string): boolean {
    return this.slots.some((slot) => slot.name === name)
  }

  /** What fills a slot, as it was written; `undefined` where that says nothing. */
  words(name: string): string | undefined {
    const slot = this.#slot(name)
    if (!slot) return undefined
    const own = this.tokens.slice(slot.from, slot.to)
    const isName = own.some(({ kind }) => /^(?:task|name|quote)$/.test(kind))
    const part = isName ? own : this.tokens.slice(this.#from(slot), this.#to(slot))
    const [first, last] = [part[0]!, part.at(-1)!]
    const isQuote = part.length === 1 && first.kind === 'quote'
    const text = isQuote ? first.value : trimmed(this.text.slice(first.start, last.end))
    return text === '' || empty.test(text) ? undefined : text
  }

  /** The first token of these kinds within a slot; where nothing fills the slot, outside of all texts. */
  typed(name: string, ...kinds: readonly Kind[]): string | undefined {
    const slot = this.#slot(name, kinds)
    const tokens = slot ? this.tokens.slice(slot.from, slot.to) : this.#free()
    return tokens.find(({ kind }) => kinds.includes(kind))?.value
  }

  all(...kinds: readonly Kind[]): readonly string[] {
    return [...new Set(this.tokens.filter(({ kind }) => kinds.includes(kind)).map(({ value }) => value))]
  }

  /** Agents that are spoken of outside of a text. */
  agents(...slots: readonly string[]): readonly string[] {
    const free = this.#free(slots)
    return [...new Set(free.filter(({ kind }) => kind === 'agent').map(({ value }) => value))]
  }

  /** "… and TestAgent test it": a second agent is to do something, within what looks like one task. */
  hasSecondActor(): boolean {
    return this.tokens.some(({ kind }, i) => {
      const [before, next] = [this.tokens[i - 1], this.tokens[i + 1]]
      const isJoined = kind === 'agent' && /^(?:and|then|while|,)$/.test(before?.word ?? '')
      return isJoined && next?.kind === 'word' && !/^(?:and|or|is|are|to|with|for|on|in|about)$/.test(next.word)
    })
  }

  /** The sentence without what fills these slots. */
  outside(...names: readonly string[]): string {
    const cut = this.slots.filter(({ name }) => names.includes(name))
    let [rest, at] = ['', 0]
    for (const { from, to } of cut) {
      rest += `${this.text.slice(at, this.tokens[from]!.start)} `
      at = this.tokens[to - 1]!.end
    }
    return rest + this.text.slice(at)
  }

  /** The sentence behind what fills a slot; nothing where nothing does. */
  behind(name: string): string {
    const slot = this.#slot(name)
    return slot ? this.text.slice(this.tokens[slot.to - 1]!.end) : ''
  }

  afterColon(): string | undefined {
    const [, rest = ''] = /:\s+(.+)$/s.exec(this.text) ?? []
    return trimmed(rest) || undefined
  }

  /** Behind "ask DevAgent to" the task begins, whatever the model makes of its first words. */
  #from({ name, from }: Slot): number {
    const agent = this.tokens.findIndex(({ kind }) => kind === 'agent')
    const isCue = /^(?:to|should|must|shall)$/.test(this.tokens[agent + 1]?.word ?? '')
    const isManner = this.tokens.slice(agent + 2, from).some(({ word }) => /ly$|^(?:asap|please|now)$/.test(word))
    return name === 'task' && agent >= 0 && isCue && !isManner && agent + 2 < from ? agent + 2 : from
  }

  /** A text goes on to the end of the sentence, where nothing but words follows it. */
  #to({ name, to }: Slot): number {
    const rest = this.tokens.slice(to)
    const isFree = rest.every(({ kind }, i) => kind === 'word' && !this.slots.some(({ from }) => from === to + i))
    return isFree && /^(?:msg|issue|desc|reason|result|task)$/.test(name) ? this.tokens.length : to
  }

  /** Of several for one slot the one of the right form, else one that has a form, else the longest. */
  #slot(name: string, kinds: readonly Kind[] = []): Slot | undefined {
    const all = this.slots.filter((slot) => slot.name === name)
    const has = (slot: Slot, fits: (kind: Kind) => boolean) =>
      this.tokens.slice(slot.from, slot.to).some(({ kind }) => fits(kind))
    return (
      all.find((slot) => has(slot, (kind) => kinds.includes(kind))) ??
      all.find((slot) => has(slot, (kind) => kind !== 'word' && kind !== 'mark')) ??
      all.reduce<Slot | undefined>((a, b) => (a && a.to - a.from >= b.to - b.from ? a : b), undefined)
    )
  }

  /** Tokens in none of these slots. */
  #free(names: readonly string[] = texts): readonly Token[] {
    const taken = this.slots.filter(({ name }) => names.includes(name))
    return this.tokens.filter((_, i) => !taken.some(({ from, to }) => i >= from && i < to))
  }
}

/** Slots that are free texts. */
const texts = ['task', 'msg', 'issue', 'value', 'text', 'reason', 'result', 'desc', 'topic']
const plainWord = /^[\p{L}\p{N}_%+#.-]*[\p{L}\p{N}_%+#-]$/u
const mostWordsOfName = 5

/** `implement auth` is `implement_auth`, as the specification writes names; what is longer, or has marks in it, stays a text. */
export function nameOrText(text: string): string {
  const words = text.split(/\s+/)
  const named = words.filter((word) => !/^(?:the|an?)$/i.test(word))
  if (words.length === 1 || named.length === 0 || named.length > mostWordsOfName) return text
  return named.every((word) => plainWord.test(word) && !/[/\\]/.test(word)) ? named.join('_') : text
}

/** As one word, without articles and marks. */
export const oneWord = (text: string, without = articles): string =>
  text
    .replace(/[,;:!?"'“”]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !without.test(word))
    .join('_')
