/** `#STATE`, variables and `#ERROR`. Shared Agent Protocol §4, §6, §7. */
import { isWithin } from '../../../kernel/tokenizer.ts'
import { withRest } from '../commands/limits.ts'
import { Refusal } from '../refusal.ts'
import type { Declaration } from '../schema.ts'
import { bullets, type CommandAnswer, type Handlers, line, notFound, type Speech, told } from './speech.ts'

const mostVariables = 100

export const stateHandlers: Handlers = {
  async 'STATE:save'({ parts, id, agent, given }) {
    const { key = '', value = '', persistent } = given
    const { settings, tokenizer } = parts
    expectFlat(value)
    if (!(await isWithin(value, settings.valueTokens, tokenizer)))
      throw new Refusal('E004', `max_value_${settings.valueTokens}_tokens`, 'The value is too long.')
    return parts.documents.change(id, { by: agent }, (session, at) => {
      const others = session.state.filter((one) => one.key !== key)
      const isNew = others.length === session.state.length
      if (isNew && others.length >= settings.mostKeys)
        throw new Refusal('E003', `max_keys_${settings.mostKeys}`, 'Clear what is not needed, or overwrite a key.')
      const saved = { key, value, persistent: persistent !== undefined, at, by: agent }
      // A key that is overwritten keeps its place.
      const state = isNew ? [...others, saved] : session.state.map((one) => (one.key === key ? saved : one))
      const before = session.state.find((one) => one.key === key)?.value
      // Shared Agent Protocol §15: a major phase transition is a reason for a new session.
      const isPhase = /^(?:current_)?phase$/i.test(key) && before !== undefined && before !== value
      const next = { ...session, state, ...(isPhase ? { phaseAt: at } : {}) }
      return { session: next, line: { did: 'STATE:save', about: key, text: value }, answer: told(`saved:${key}`) }
    })
  },

  async 'STATE:load'({ session, given }) {
    const found = session.state.find(({ key }) => key === given.key)
    return found ? told(found.value) : notFound
  },

  /** Limited by the number of keys, since keys are short. Tokens are counted only when the command names a token limit. */
  async 'STATE:list'(speech) {
    const keys = speech.session.state.map(({ key }) => key)
    if (keys.length === 0) return notFound
    if (typeof speech.modifier === 'object') return bullets(speech, keys)
    const most = speech.modifier === 'brief' ? 2 : speech.modifier === 'detailed' ? 10 : 5
    const shown = keys.slice(0, most).map((key) => `• ${key}`)
    return told(...withRest(shown, keys.length))
  },

  async 'STATE:clear'({ parts, id, agent }) {
    const answer = told('cleared')
    return parts.documents.change(id, { by: agent }, (session) =>
      session.state.length === 0
        ? { answer }
        : { session: { ...session, state: [] }, line: { did: 'STATE:clear' }, answer },
    )
  },

  /** Recorded and echoed; §14: with a P0 task at hand, in detail. */
  async ERROR(speech) {
    const { parts, id, agent, given, session } = speech
    const { code = '', desc = '' } = given
    const isUrgent = session.tasks.some(({ priority, state }) => priority === 0 && state !== 'completed')
    const error = { did: 'ERROR', about: code, text: desc }
    await parts.documents.change(id, { by: agent }, () => ({ line: error, answer: undefined }))
    return { ...(await line(speech, desc, `#ERROR:${code}:`, isUrgent)), isError: true }
  },
}

/** §6, "No nested structures": refuses a JSON object or list. */
function expectFlat(value: string): void {
  if (!/^\s*[[{]/.test(value)) return
  try {
    JSON.parse(value)
  } catch {
    // A SyntaxError: it is a text that happens to begin with a bracket.
    return
  }
  throw new Refusal('E002', 'no_nested_values', 'A value is one text; save its parts under keys of their own.')
}

export async function declare(
  { parts, id, agent }: Pick<Speech, 'parts' | 'id' | 'agent'>,
  { name, value }: Declaration,
): Promise<CommandAnswer> {
  const { settings, tokenizer } = parts
  if (!(await isWithin(value, settings.variableTokens, tokenizer)))
    throw new Refusal('E004', `max_variable_${settings.variableTokens}_tokens`, 'The value is too long.')
  return parts.documents.change(id, { by: agent }, (session) => {
    const others = session.variables.filter(([one]) => one !== name)
    if (others.length >= mostVariables)
      throw new Refusal('E003', `max_variables_${mostVariables}`, 'There are too many variables.')
    const variables = [...others, [name, value] as const]
    const line = { did: 'declare', about: name, text: value }
    return { session: { ...session, variables }, line, answer: told(`saved:${name}`) }
  })
}
