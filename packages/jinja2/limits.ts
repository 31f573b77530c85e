/**
 * What a template may use up. A template is a file of a stranger: it may loop, call itself and double its strings, and must
 * end with an error, within bounded time and memory.
 */
import { TemplateError } from './problem.ts'

export interface Limits {
  /** Statements, iterations, calls and operations, of all passes together. */
  readonly steps: number
  /** Macros, blocks, includes, imports and recursive loops that are under way at once. */
  readonly depth: number
  /** Characters of text that are made while rendering, where an item of a list counts as 16. They are not given back. */
  readonly units: number
  /** Characters of the result. */
  readonly output: number
  /** Characters of one template. */
  readonly source: number
  /** Templates that one rendering may load. */
  readonly templates: number
  /** Digits of a whole number; Python refuses to print more of them. */
  readonly digits: number
}

export const defaultLimits: Limits = {
  steps: 2_000_000,
  depth: 200,
  units: 64 * 1024 * 1024,
  output: 16 * 1024 * 1024,
  source: 1024 * 1024,
  templates: 200,
  digits: 4300,
}

const hints: Readonly<Record<keyof Limits, string>> = {
  steps: 'Loop over less, or render in several parts.',
  depth: 'Look for a macro, include or loop that calls itself without an end.',
  units: 'Make shorter texts and lists, or render in several parts.',
  output: 'Render in several parts.',
  source: 'Split the template, and include the parts.',
  templates: 'Include fewer templates.',
  digits: 'Use smaller numbers.',
}

export const limitError = (limit: keyof Limits, reason: string): TemplateError =>
  new TemplateError('TEMPLATE_LIMIT', 'Limit', reason, { hint: hints[limit] })

export interface Spent {
  steps: number
  units: number
  depth: number
}

export const nothingSpent = (): Spent => ({ steps: 0, units: 0, depth: 0 })

/**
 * The limits and the account of the pass that runs now. A pass never awaits, so that there is only one at any time, and
 * operations deep inside can charge it without handing it through every call.
 */
let limits = defaultLimits
let spent = nothingSpent()

export function withLimits<T>(of: Limits, account: Spent, pass: () => T): T {
  const before = [limits, spent] as const
  limits = of
  spent = account
  try {
    return pass()
  } finally {
    ;[limits, spent] = before
  }
}

export const currentLimits = (): Limits => limits

export function step(count = 1): void {
  spent.steps += count
  if (spent.steps > limits.steps) throw limitError('steps', `the template takes more than ${limits.steps} steps`)
}

/** Call it before the text or list is made. */
export function grow(units: number): void {
  spent.units += units
  if (spent.units > limits.units || Number.isNaN(spent.units)) {
    throw limitError('units', `the template makes more than ${limits.units} characters of text and lists`)
  }
}

/** The same for items of lists and mappings, each of which takes the room of some characters. */
export const growItems = (count: number): void => grow(count * 16)

export function deeper<T>(inner: () => T): T {
  if (spent.depth >= limits.depth) throw limitError('depth', `the template nests more than ${limits.depth} calls`)
  spent.depth++
  try {
    return inner()
  } finally {
    spent.depth--
  }
}
