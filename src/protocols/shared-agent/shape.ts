/** Checks JSON, which another program may have written, against a shape. Pure. */
import { parseJson } from '../../formats/json.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { isAgentName, isKey } from './names.ts'
import type { Priority } from './schema.ts'

/** A name of `tests`, or words with `|` between them, with `?` if it may be absent; a list of one shape; or fields. */
export type Shape = string | readonly [Shape] | readonly [Shape, '?'] | { readonly [field: string]: Shape }

interface Values {
  readonly text: string
  readonly flag: boolean
  readonly count: number
  readonly time: number
  readonly key: string
  readonly name: string
  readonly checkpoint: string
  readonly priority: Priority
  readonly pair: readonly [string, string]
  readonly cursor: readonly [string, number]
  readonly texts: readonly string[]
  readonly exported: 0 | Readonly<Record<ExportedKind, number>>
  readonly any: unknown
}
export type ExportedKind = 'persistent' | 'temporary' | 'tasks' | 'configuration'

type Optional<S> = { [K in keyof S]: S[K] extends `${string}?` | readonly [unknown, '?'] ? K : never }[keyof S]

/** The type of a value that has a shape. */
export type Of<S> = S extends `${infer Name}?`
  ? Of<Name>
  : S extends keyof Values
    ? Values[S]
    : S extends `${infer Word}|${infer Words}`
      ? Word | Of<Words>
      : S extends string
        ? S
        : S extends readonly [infer Item, ...unknown[]]
          ? readonly Of<Item>[]
          : { readonly [K in Exclude<keyof S, Optional<S>>]: Of<S[K]> } & {
              readonly [K in Optional<S>]?: Of<S[K]>
            }

export interface Wrong {
  readonly wrong: string
}

/** The parsed value, or what is wrong with the bytes. */
export function parseShaped<T extends object>(bytes: Uint8Array, shape: Shape, maxBytes: number): T | Wrong {
  try {
    const value = parseJson(bytes, { maxBytes })
    const wrong = firstWrong(value, shape, '')
    return wrong === undefined ? (value as T) : { wrong: `\`${wrong}\` is not as it should be` }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return { wrong: error.message }
  }
}

/** The parsed value; `undefined` for bytes that are not of this shape. */
export function shapedIn<T extends object>(bytes: Uint8Array | undefined, shape: Shape, maxBytes: number) {
  const value = bytes && parseShaped<T>(bytes, shape, maxBytes)
  return value && !('wrong' in value) ? value : undefined
}

export const hasShape = (value: unknown, shape: Shape): boolean => firstWrong(value, shape, '') === undefined

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8e15
const isTextWith = (test: (text: string) => boolean) => (value: unknown) => typeof value === 'string' && test(value)
const isPairOf = (second: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && second(value[1])

const tests: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  flag: (value) => typeof value === 'boolean',
  count: isCount,
  time: isTime,
  key: isTextWith(isKey),
  name: isTextWith(isAgentName),
  checkpoint: isTextWith((text) => /^cp_(?:\d{3}|[1-9]\d{3,8})$/.test(text)),
  commit: isTextWith((text) => /^[0-9a-f]{40,64}$/.test(text)),
  work: isTextWith((text) => /^[0-9a-f]{12}$/.test(text)),
  priority: (value) => value === 0 || value === 1 || value === 2 || value === 3,
  // Earlier versions wrote one number for all kinds.
  exported: (value) => isCount(value) || hasShape(value, exported),
  pair: isPairOf(isText),
  cursor: isPairOf(isCount),
  texts: (value) => Array.isArray(value) && value.every(isText),
  any: () => true,
}

const exported = { persistent: 'count', temporary: 'count', tasks: 'count', configuration: 'count' }

/** The first place that is not of its shape: `tasks[2].priority`. */
function firstWrong(value: unknown, expected: Shape, at: string): string | undefined {
  if (typeof expected === 'string') {
    const name = expected.replace(/\?$/, '')
    if (expected !== name && value === undefined) return undefined
    const isRight = tests[name] ?? ((one: unknown) => name.split('|').includes(one as string))
    return isRight(value) ? undefined : at
  }
  if (Array.isArray(expected)) {
    if (value === undefined && expected[1] === '?') return undefined
    if (!Array.isArray(value)) return at
    for (const [n, item] of value.entries()) {
      const wrong = firstWrong(item, expected[0] as Shape, `${at}[${n}]`)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return at || 'the whole of it'
  for (const [field, inner] of Object.entries(expected)) {
    const own = Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined
    const wrong = firstWrong(own, inner, at === '' ? field : `${at}.${field}`)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
