/**
 * `{{NAME}}` and `{{NAME|text}}` inside the parameters of a line. Shared Agent Protocol §4. Values are put in after the line
 * was taken apart, and once: a value never becomes a command, a parameter or another variable.
 */
import { Refusal } from './refusal.ts'

const reference = /\{\{([A-Z][A-Z0-9_]{0,63})(?:\|([^{}]*))?\}\}/g

/** `lookUp` answers `undefined` for a variable that nobody declared. */
export const withValues = (text: string, lookUp: (name: string) => string | undefined): string =>
  text.replace(reference, (_, name: string, fallback: string | undefined) => {
    const value = lookUp(name) ?? fallback
    if (value === undefined) throw new Refusal('E002', `undefined_${name}`, `Nobody has declared {{${name}}}.`)
    return value
  })
