/** The names of this protocol. Those that become parts of paths are checked before anything is written. */
import { invalidInput } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'

declare const brand: unique symbol
export type SessionId = string & { readonly [brand]: 'SessionId' }

const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const isSessionId = (text: string): text is SessionId => plain.test(text)
export const isAgentName = (text: string): boolean => plain.test(text)

/** Shared Agent Protocol §6: "Alphanumeric + underscore"; the length is ours. */
export const isKey = (text: string): boolean => /^[A-Za-z0-9_]{1,64}$/.test(text)

/** §4: "UPPERCASE with underscores". */
export const isVariableName = (text: string): boolean => /^[A-Z][A-Z0-9_]{0,63}$/.test(text)

export function sessionId(text: string): SessionId {
  if (isSessionId(text)) return text
  const details = { session: text.slice(0, 400) }
  throw invalid('INVALID_SESSION_ID', 'a session', text, { hint: 'Use a name such as ctx_001 or release-2.', details })
}

export function agentName(text: string): string {
  if (isAgentName(text)) return text
  const details = { agent: text.slice(0, 400) }
  throw invalid('INVALID_AGENT_ID', 'an agent', text, { hint: 'Use a name such as DevAgent or coder-1.', details })
}

const invalid = (code: string, what: string, text: string, more: Parameters<typeof invalidInput>[2]) => {
  const shown = printableLine(JSON.stringify(text.slice(0, 80)))
  return invalidInput(code, `Not ${what}: ${shown}: ${reasonAgainst(text)}.`, more)
}

function reasonAgainst(text: string): string {
  if (text === '') return 'the name is empty'
  if (text.length > 64) return `it has ${text.length} characters; 64 is the most`
  return 'a name begins with a letter or digit and has only letters, digits, `.`, `_` and `-`'
}
