/** Errors as text for people and as JSON for programs. */
import { internalErrorExit, SignalboxError, shortened } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { Paint } from './terminal.ts'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly exit: number
}

export function failureOf(error: unknown): Failure {
  if (error instanceof SignalboxError) {
    const { code, message, hint, details, exit } = error
    return { code, message, hint, details, exit }
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'INTERNAL',
    message: `This is a defect in Signalbox, not in your request: ${shortened(reason)}`,
    hint: 'Please report it, with what the same command prints under SIGNALBOX_DEBUG=1.',
    details: {},
    exit: internalErrorExit,
  }
}

/** One line for what happened, one for what to do. */
export function failureText(
  { message, hint }: Pick<Failure, 'message' | 'hint'>,
  program: string,
  paint: Paint,
): string {
  const what = `${paint('red', `${program}:`)} ${printableLine(message)}\n`
  return hint === undefined ? what : `${what}${paint('dim', 'hint:')} ${printableLine(hint)}\n`
}

export function failureJson({ code, message, hint, details }: Failure): unknown {
  const more = Object.keys(details).length > 0 ? { details } : {}
  return { error: { code, message, hint: hint ?? null, ...more } }
}

/** For SIGNALBOX_DEBUG: where it came from, and what was behind it. */
export function traceOf(error: unknown): string {
  const lines: string[] = []
  for (let at: unknown = error; at !== undefined && lines.length < 5; at = at instanceof Error ? at.cause : undefined) {
    lines.push(at instanceof Error ? (at.stack ?? String(at)) : String(at))
  }
  return `${lines.join('\ncaused by: ')}\n`
}
