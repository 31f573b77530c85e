/**
 * The text of a settings file as entries, each with its line. Ordinary files (`key: value`, one level of
 * sections, comments) are read right here, since every cold command pays for it. Whatever else YAML can say,
 * mistakes included, is left to the `yaml` package; a property test holds the two to the same answer.
 */
export type Scalar = string | number | boolean | null

export type Value =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'list'; readonly items: readonly Scalar[] }
  | { readonly kind: 'section'; readonly entries: readonly Entry[] }

export interface Entry {
  readonly key: string
  readonly line: number
  readonly value: Value
}

/** A mistake in the text, with its line, for the caller to dress up. */
export class UnreadableSettings extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

export async function readSettingsText(text: string): Promise<readonly Entry[]> {
  return readSimple(text) ?? (await import('./settings-yaml.ts')).readYaml(text)
}

const emptyLine = /^ *(#.*)?$/
const keyedLine = /^( *)([A-Za-z][\w-]*):(?: +([^ #].*?))?(?: +#.*)? *$/
const quoted = /^(?:'([^'\\]*)'|"([^"\\]*)")$/
const word = /^(?:\.|[A-Za-z_/][\w/@.+-]*(?::[\w/@.+-]+)*)$/
/** No number to YAML, whatever the units. */
const duration = /^(?:\d{1,15}(?:ms|[wdhms]))+$/
const wholeNumber = /^(?:0|-?[1-9]\d{0,14})$/
/** YAML gives these words a meaning of their own in some spelling. */
const special = /^(?:null|true|false)$/i
const beyondAscii = /[^ -~]/

/** The entries, or `undefined` as soon as a line is not plainly simple. */
export function readSimple(text: string): readonly Entry[] | undefined {
  const entries: Entry[] = []
  let section: Entry[] | undefined
  let indentation = 0
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.endsWith('\r') ? lines[index]!.slice(0, -1) : lines[index]!
    if (emptyLine.test(line)) {
      if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(line)) return undefined
      continue
    }
    const [, indent, key, written] = keyedLine.exec(line) ?? []
    if (beyondAscii.test(line) || indent === undefined || key === undefined || special.test(key)) return undefined
    const scalar = written === undefined ? null : readScalar(written)
    if (scalar === undefined) return undefined

    const siblings = indent === '' ? entries : section
    if (siblings === undefined || siblings.some((entry) => entry.key === key)) return undefined
    if (indent === '') {
      section = written === undefined ? [] : undefined
      const own = section
      // Whether the key opens a section shows only when the next line is read, hence the getter.
      entries.push({
        key,
        line: index + 1,
        get value(): Value {
          return own?.length ? { kind: 'section', entries: own } : { kind: 'scalar', scalar }
        },
      })
    } else {
      if (siblings.length > 0 && indent.length !== indentation) return undefined
      indentation = indent.length
      siblings.push({ key, line: index + 1, value: { kind: 'scalar', scalar } })
    }
  }
  return entries
}

function readScalar(written: string): Scalar | undefined {
  if (written === 'true' || written === 'false') return written === 'true'
  if (wholeNumber.test(written)) return Number(written)
  const [, single, double] = quoted.exec(written) ?? []
  if (single !== undefined || double !== undefined) return single ?? double
  return duration.test(written) || (word.test(written) && !special.test(written)) ? written : undefined
}
