/** Finds where JSON is wrong, with the same words on every runtime. Used only after parsing failed, or on request. */

export interface JsonFault {
  readonly at: number
  readonly reason: string
}

const blanks = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const literal = /true|false|null/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** The first fault, or `undefined` when the text is valid. Recursive: bound the depth before. */
export function findJsonFault(text: string): JsonFault | undefined {
  const walker = new Walker(text)
  try {
    walker.value()
    walker.skip(blanks)
    if (walker.at < text.length) walker.fail('there is more after the end of the value')
    return undefined
  } catch (fault) {
    if (fault instanceof Fault) return fault
    throw fault
  }
}

/** The first key that its object already has. The text must be valid. */
export function findDuplicateKey(text: string): { at: number; key: string } | undefined {
  let found: { at: number; key: string } | undefined
  const walker = new Walker(text, (key, at) => {
    found ??= { key, at }
  })
  walker.value()
  return found
}

/** Thrown to leave the recursion, and always caught in this file. */
class Fault implements JsonFault {
  readonly at: number
  readonly reason: string

  constructor(at: number, reason: string) {
    this.at = at
    this.reason = reason
  }
}

class Walker {
  at = 0
  private readonly text: string
  private readonly onTwin: ((key: string, at: number) => void) | undefined

  constructor(text: string, onTwin?: (key: string, at: number) => void) {
    this.text = text
    this.onTwin = onTwin
  }

  value(): void {
    this.skip(blanks)
    const first = this.text[this.at]
    if (first === '{') this.members()
    else if (first === '[') this.items()
    else if (first === '"') this.string()
    else if (!this.skip(number) && !this.skip(literal)) {
      this.fail(first === undefined ? 'it ends where a value should be' : 'no value starts like this')
    }
  }

  skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  fail(reason: string): never {
    throw new Fault(this.at, reason)
  }

  private items(): void {
    this.at++
    if (this.next(']')) return
    do this.value()
    while (this.next(','))
    if (!this.next(']')) this.fail('a comma or `]` is missing')
  }

  private members(): void {
    this.at++
    if (this.next('}')) return
    const keys = this.onTwin && new Set<string>()
    do {
      this.skip(blanks)
      const start = this.at
      if (this.text[start] !== '"') this.fail('a key in double quotes is missing')
      this.string()
      if (keys) this.note(keys, start)
      if (!this.next(':')) this.fail('a colon is missing')
      this.value()
    } while (this.next(','))
    if (!this.next('}')) this.fail('a comma or `}` is missing')
  }

  private note(keys: Set<string>, start: number): void {
    const key = JSON.parse(this.text.slice(start, this.at)) as string
    if (keys.has(key)) this.onTwin?.(key, start)
    keys.add(key)
  }

  /** Skips blanks and then `sign`, if it is there. */
  private next(sign: string): boolean {
    this.skip(blanks)
    if (this.text[this.at] !== sign) return false
    this.at++
    return true
  }

  private string(): void {
    const start = this.at++
    for (let sign = this.text[this.at]; sign !== '"'; sign = this.text[this.at]) {
      if (sign === undefined) {
        this.at = start
        this.fail('the text that begins here has no closing quote')
      }
      if (sign < ' ') this.fail('a control character must be escaped')
      if (sign !== '\\') this.at++
      else if (!this.skip(escapeSequence)) this.fail('this is not an escape')
    }
    this.at++
  }
}
