/**
 * Changes to a JSON text that leave everything else as it stands: keys keep their order (also `"2"` before `"1"`, which
 * parsing would turn round), numbers their digits, and lines their indentation. The text must be valid: parse it first.
 */
import { closeBrace, closeBracket, comma, doubleQuote, openBrace, openBracket, slash, space } from './codes.ts'
import { endOfString } from './json.ts'

/** Where a value stands in the text, its brackets or quotes included. */
export interface Place {
  readonly start: number
  readonly end: number
}

interface Splice extends Place {
  readonly text: string
}

/** What is added to a container: a value, with a key where that is an object. */
interface Part {
  readonly key?: string
  readonly value: unknown
}

interface Addition {
  readonly container: Place
  readonly parts: Part[]
}

export class JsonEditor {
  readonly #text: string
  /** The same text with blanks in place of comments, so that an offset means the same in both. */
  readonly #bare: string
  /** By the offset at which they begin: of two changes to the same value, the last counts. */
  readonly #splices = new Map<number, Splice>()
  readonly #added = new Map<number, Addition>()
  /** Arrays out of which everything is taken. */
  readonly #emptied = new Set<number>()
  /** The members of objects that were asked about, so that a long text is gone through once. */
  readonly #members = new Map<number, ReadonlyMap<string, Place>>()
  readonly root: Place
  readonly #lineEnd: string
  /** What one level is indented by; empty when all stands on one line. */
  readonly #unit: string
  readonly #afterColon: string

  /** `members`: where those of the outermost object stand, if that is known. */
  constructor(text: string, bare: string = text, members?: ReadonlyMap<string, Place>) {
    this.#text = text
    this.#bare = bare
    const start = pastBlanks(bare, bare.charCodeAt(0) === 0xfeff ? 1 : 0)
    // The text is one value: it ends where the text does.
    let end = bare.length
    while (end > start && bare.charCodeAt(end - 1) <= space) end--
    this.root = { start, end }
    if (members) this.#members.set(start, members)
    const line = text.indexOf('\n')
    this.#lineEnd = line > 0 && text[line - 1] === '\r' ? '\r\n' : '\n'
    this.#unit = unitOf(bare, this.root)
    const key = bare.indexOf('"', start)
    const colon = key < 0 ? -1 : bare.indexOf(':', endOfString(bare, key))
    this.#afterColon = colon < 0 || bare.charCodeAt(colon + 1) <= space ? ' ' : ''
  }

  /** The value of a key of an object. Of two equal keys the last counts, as in parsing. */
  member(object: Place, key: string): Place | undefined {
    const known = this.#members.get(object.start) ?? new Map(membersOf(this.#bare, object))
    this.#members.set(object.start, known)
    return known.get(key)
  }

  items(array: Place): Place[] {
    return [...itemsOf(this.#bare, array)]
  }

  textOf({ start, end }: Place): string {
    return this.#text.slice(start, end)
  }

  replace(place: Place, value: unknown): void {
    this.#splice({ ...place, text: this.#printed(value, this.#indentAt(place.start)) })
  }

  /** Gives a key its value, at the end of the object if it is new. */
  set(object: Place, key: string, value: unknown): void {
    const found = this.member(object, key)
    if (found) this.replace(found, value)
    else this.#add(object, { key, value })
  }

  push(array: Place, value: unknown): void {
    this.#add(array, { value })
  }

  removeItems(array: Place, isRemoved: (index: number) => boolean): void {
    const items = this.items(array)
    const kept = items.filter((_, index) => !isRemoved(index))
    if (kept.length === items.length) return
    if (kept.length === 0) {
      this.#emptied.add(array.start)
      this.#splice({ start: array.start + 1, end: array.end - 1, text: '' })
      return
    }
    // With each item goes the comma behind it; behind the last one kept there is none.
    const lastKept = items.findLastIndex((_, index) => !isRemoved(index))
    for (const [index, item] of items.entries()) {
      if (!isRemoved(index)) continue
      if (index < lastKept) this.#splice({ start: item.start, end: items[index + 1]!.start, text: '' })
      else this.#splice({ start: items[index - 1]!.end, end: item.end, text: '' })
    }
  }

  result(): string {
    return this.#pieces()
      .map((piece) => (typeof piece === 'string' ? piece : this.textOf(piece)))
      .join('')
  }

  /** The same as bytes. `original`: the bytes of the text, of which whatever stays is copied as it is. */
  resultOver(original: Uint8Array): Uint8Array {
    // Where every character is one byte, places in the text are places in the bytes.
    if (original.length !== this.#text.length) return Buffer.from(this.result())
    return Buffer.concat(
      this.#pieces().map((piece) =>
        typeof piece === 'string' ? Buffer.from(piece) : original.subarray(piece.start, piece.end),
      ),
    )
  }

  /** The new text, in order: what stays of the old one, by its place, and what is new. */
  #pieces(): (Place | string)[] {
    const pieces: (Place | string)[] = []
    let at = 0
    for (const { start, end, text } of this.#allSplices()) {
      pieces.push({ start: at, end: start }, text)
      at = end
    }
    return [...pieces, { start: at, end: this.#text.length }]
  }

  /** Where the members of the outermost object stand in the new text; `undefined` where it is easier to look again. */
  membersAfter(): ReadonlyMap<string, Place> | undefined {
    const known = this.#members.get(this.root.start)
    if (!known || this.#added.has(this.root.start)) return undefined
    const splices = this.#allSplices()
    const after = (at: number) =>
      splices.reduce((sum, { start, end, text }) => (end <= at ? sum + text.length - (end - start) : sum), at)
    return new Map([...known].map(([key, { start, end }]) => [key, { start: after(start), end: after(end) }]))
  }

  #allSplices(): Splice[] {
    // What is added to an array that is emptied comes in place of all that was in it.
    const all = new Map(this.#splices)
    for (const one of this.#added.values()) {
      const addition = this.#addition(one)
      all.set(addition.start, addition)
    }
    return [...all.values()].sort((a, b) => a.start - b.start)
  }

  #splice(splice: Splice): void {
    this.#splices.set(splice.start, splice)
  }

  #add(container: Place, part: Part): void {
    const known = this.#added.get(container.start) ?? { container, parts: [] }
    const twin = known.parts.findIndex(({ key }) => key !== undefined && key === part.key)
    if (twin >= 0) known.parts.splice(twin, 1)
    known.parts.push(part)
    this.#added.set(container.start, known)
  }

  #addition({ container, parts }: Addition): Splice {
    const bare = this.#bare
    const first = pastBlanks(bare, container.start + 1)
    const isEmptied = this.#emptied.has(container.start)
    const isEmpty = isEmptied || first >= container.end - 1
    const lineEnd = this.#lineEnd
    const own = this.#indentAt(container.start)
    const unit = this.#unit
    const isSpread = isEmpty ? unit !== '' : bare.slice(container.start, first).includes('\n')
    const indent = isEmpty ? own + unit : this.#indentAt(first)
    const printed = parts.map(({ key, value }) => {
      const text = this.#printed(value, isSpread ? indent : undefined)
      return key === undefined ? text : `${JSON.stringify(key)}:${this.#afterColon}${text}`
    })
    const between = isSpread ? `,${lineEnd}${indent}` : `,${this.#afterColon}`
    if (!isEmpty) {
      const end = lastEnd(bare, container)
      return { start: end, end, text: between + printed.join(between) }
    }
    const inside = { start: container.start + 1, end: container.end - 1 }
    // Remarks between the brackets stay, behind what is added.
    const hasRemarks = !isEmptied && this.#text.slice(inside.start, inside.end).trim() !== ''
    const before = isSpread ? `${lineEnd}${indent}` : ''
    const after = isSpread && !hasRemarks ? `${lineEnd}${own}` : ''
    return { ...inside, end: hasRemarks ? inside.start : inside.end, text: before + printed.join(between) + after }
  }

  /** On one line without an indentation, or where the text itself has none. */
  #printed(value: unknown, indent: string | undefined): string {
    if (indent === undefined || this.#unit === '')
      return this.#afterColon === '' ? JSON.stringify(value) : spaced(value)
    return JSON.stringify(value, null, this.#unit).replaceAll('\n', `${this.#lineEnd}${indent}`)
  }

  /** The blanks at the beginning of the line on which a place is. */
  #indentAt(at: number): string {
    const line = this.#bare.lastIndexOf('\n', at - 1) + 1
    return /^[ \t]*/.exec(this.#bare.slice(line, at))![0]
  }
}

function unitOf(bare: string, { start, end }: Place): string {
  const first = pastBlanks(bare, start + 1)
  const gap = bare.slice(start + 1, first)
  const line = gap.lastIndexOf('\n')
  if (line >= 0 && first < end - 1) return /^[ \t]+$/.test(gap.slice(line + 1)) ? gap.slice(line + 1) : '  '
  return first >= end - 1 ? '  ' : ''
}

/** `{"a": 1, "b": [1, 2]}`: as most programs write one line. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, part]) => part !== undefined)
  return `{${members.map(([key, part]) => `${JSON.stringify(key)}: ${spaced(part)}`).join(', ')}}`
}

/** The text with every `//` remark outside of strings blanked out, each character by a blank. */
export function withoutRemarks(text: string): string {
  let [bare, from] = ['', 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === doubleQuote) at = endOfString(text, at) - 1
    else if (code === slash && text.charCodeAt(at + 1) === slash) {
      const end = text.indexOf('\n', at)
      const stop = end < 0 ? text.length : end
      bare += text.slice(from, at) + ' '.repeat(stop - at)
      from = stop
      at = stop
    }
  }
  return bare + text.slice(from)
}

function* membersOf(text: string, object: Place): Generator<[key: string, value: Place]> {
  for (let at = pastBlanks(text, object.start + 1); at < object.end - 1; ) {
    const keyEnd = endOfString(text, at)
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const start = pastBlanks(text, text.indexOf(':', keyEnd) + 1)
    const end = endOfValue(text, start)
    yield [key, { start, end }]
    at = pastComma(text, end)
  }
}

function* itemsOf(text: string, array: Place): Generator<Place> {
  for (let start = pastBlanks(text, array.start + 1); start < array.end - 1; ) {
    const end = endOfValue(text, start)
    yield { start, end }
    start = pastComma(text, end)
  }
}

/** Where the last value of a container ends: going backwards, past blanks. */
function lastEnd(text: string, { end }: Place): number {
  let at = end - 1
  while (at > 0 && text.charCodeAt(at - 1) <= space) at--
  return at
}

function pastComma(text: string, end: number): number {
  const at = pastBlanks(text, end)
  return text.charCodeAt(at) === comma ? pastBlanks(text, at + 1) : at
}

function pastBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= space) at++
  return at
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === doubleQuote) return endOfString(text, start)
  if (first !== openBrace && first !== openBracket) {
    let at = start
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code <= space || code === comma || code === closeBrace || code === closeBracket) break
    }
    return at
  }
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === doubleQuote) at = endOfString(text, at) - 1
    else if (code === openBrace || code === openBracket) depth++
    else if ((code === closeBrace || code === closeBracket) && --depth === 0) return at + 1
  }
  return text.length
}
