/**
 * What a template is given. As JSON text, `1` is a whole number and `1.0` a broken one, as in Python; whole numbers may be of
 * any size. As JavaScript values, a number without a fraction is whole. Only own keys count.
 */
import { currentLimits, grow, growItems } from './limits.ts'
import { toInt } from './numbers.ts'
import { TemplateError } from './problem.ts'
import { Dict, Float, type Value } from './values.ts'

const deepest = 200

export type TemplateData = string | Readonly<Record<string, unknown>>

export function readData(data: TemplateData): ReadonlyMap<string, Value> {
  const value = typeof data === 'string' ? new JsonReader(data).read() : fromJavaScript(data, 0)
  if (!(value instanceof Dict)) throw badData('it is no JSON object')
  return new Map(value.list().map((entry) => [entry.key as string, entry.value]))
}

const badData = (reason: string): TemplateError =>
  new TemplateError('BAD_TEMPLATE_DATA', 'ValueError', `The data of the template cannot be used: ${reason}.`, {
    hint: 'Give a JSON object, for example {"name": "value"}.',
  })

function fromJavaScript(value: unknown, depth: number): Value {
  if (depth > deepest) throw badData(`it is nested more than ${deepest} levels deep`)
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return toInt(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : new Float(value)
  if (typeof value === 'string') return value
  if (typeof value !== 'object') throw badData(`it holds a ${typeof value}`)
  if (Array.isArray(value)) return value.map((item) => fromJavaScript(item, depth + 1))
  const keys = Object.keys(value)
  return Dict.of(keys.map((key) => [key, fromJavaScript((value as Record<string, unknown>)[key], depth + 1)]))
}

const blanks = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const text = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const word = /true|false|null/y

class JsonReader {
  private at = 0
  private readonly source: string
  constructor(source: string) {
    this.source = source.startsWith('\ufeff') ? source.slice(1) : source
  }

  read(): Value {
    const value = this.value(0)
    this.take(blanks)
    if (this.at < this.source.length) this.fail('there is more after the end of the value')
    return value
  }

  private fail(reason: string): never {
    const before = this.source.slice(0, this.at).split('\n')
    throw badData(`${reason}, in line ${before.length}, column ${before.at(-1)!.length + 1}`)
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.source)
    if (match !== null) this.at += match[0].length
    return match
  }

  private value(depth: number): Value {
    if (depth > deepest) this.fail(`it is nested more than ${deepest} levels deep`)
    this.take(blanks)
    const first = this.source[this.at]
    if (first === '{') return this.members(depth)
    if (first === '[') return this.items(depth)
    if (first === '"') return this.string()
    const found = this.take(number)
    if (found !== null) return this.number(found)
    const name = this.take(word)?.[0]
    if (name === undefined)
      this.fail(first === undefined ? 'it ends where a value should be' : 'no value starts like this')
    return name === 'null' ? null : name === 'true'
  }

  private number([written, fraction, exponent]: RegExpExecArray): Value {
    if (fraction !== undefined || exponent !== undefined) return new Float(Number(written))
    const small = Number(written)
    if (Number.isSafeInteger(small)) return small === 0 ? 0 : small
    if (written.length > currentLimits().digits) this.fail('a number has too many digits')
    return BigInt(written)
  }

  private string(): string {
    const found = this.take(text)
    if (found === null) this.fail('a text is not closed, or holds a sign that must be escaped')
    grow(found[0].length)
    return JSON.parse(found[0]) as string
  }

  private next(sign: string): boolean {
    this.take(blanks)
    if (this.source[this.at] !== sign) return false
    this.at++
    return true
  }

  private items(depth: number): Value[] {
    this.at++
    const items: Value[] = []
    if (this.next(']')) return items
    do items.push(this.value(depth + 1))
    while (this.next(','))
    if (!this.next(']')) this.fail('a comma or `]` is missing')
    growItems(items.length)
    return items
  }

  private members(depth: number): Dict {
    this.at++
    const dict = new Dict()
    if (this.next('}')) return dict
    do {
      this.take(blanks)
      if (this.source[this.at] !== '"') this.fail('a key in double quotes is missing')
      const key = this.string()
      if (!this.next(':')) this.fail('a colon is missing')
      dict.set(key, this.value(depth + 1))
    } while (this.next(','))
    if (!this.next('}')) this.fail('a comma or `}` is missing')
    return dict
  }
}
