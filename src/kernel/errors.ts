/**
 * Errors, grouped by who can act next. This table is the only place that maps them outward.
 *
 * Ordinary life (a lost race, an empty queue) is an outcome and is returned; an error is thrown when a
 * request could not be honoured as asked.
 */
export const errorKinds = {
  InvalidInput: { http: 400, exit: 2 },
  NotFound: { http: 404, exit: 3 },
  Conflict: { http: 409, exit: 4 },
  Corrupt: { http: 422, exit: 5 },
  Denied: { http: 403, exit: 6 },
  Unsupported: { http: 501, exit: 7 },
  Unavailable: { http: 503, exit: 8 },
} as const

export type ErrorKind = keyof typeof errorKinds

/** The exit status of a defect in Signalbox itself. Never 1: shell loops end on 1. */
export const internalErrorExit = 70

export interface ErrorParts {
  /** What to do next, in the imperative. */
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

const longestText = 1000

/**
 * A text without its middle if it is very long: an argument of 100,000 characters is recognised by how it begins and ends.
 */
export function shortened(text: string): string {
  if (text.length <= longestText) return text
  const [head, tail] = [text.slice(0, 500), text.slice(-300)]
  return `${head} … (${text.length - 800} characters left out) … ${tail}`.toWellFormed()
}

function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value)
  if (Array.isArray(value)) return value.map(withShortTexts)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withShortTexts(part)]))
}

export class SignalboxError extends Error {
  readonly kind: ErrorKind
  /** Stable, upper case, for programs: `PATH_ESCAPES_ROOT`. */
  readonly code: string
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(kind: ErrorKind, code: string, message: string, parts: ErrorParts = {}) {
    super(shortened(message), parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = kind
    this.kind = kind
    this.code = code
    this.hint = parts.hint === undefined ? undefined : shortened(parts.hint)
    this.details = parts.details === undefined ? {} : (withShortTexts(parts.details) as Record<string, unknown>)
  }

  get exit(): number {
    return errorKinds[this.kind].exit
  }

  get http(): number {
    return errorKinds[this.kind].http
  }
}

const errorOf =
  (kind: ErrorKind) =>
  (code: string, message: string, parts?: ErrorParts): SignalboxError =>
    new SignalboxError(kind, code, message, parts)

/** The caller must fix the request. */
export const invalidInput = errorOf('InvalidInput')
/** The caller must ask for something else. */
export const notFound = errorOf('NotFound')
/** The caller must read again, then decide. */
export const conflict = errorOf('Conflict')
/** A person must see to a file that breaks its format. */
export const corrupt = errorOf('Corrupt')
/** The operator must change a permission or policy. */
export const denied = errorOf('Denied')
/** Cannot work here at all, so trying again is of no use. */
export const unsupported = errorOf('Unsupported')
/** Only time helps: try later. */
export const unavailable = errorOf('Unavailable')
