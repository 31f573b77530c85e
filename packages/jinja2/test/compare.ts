/** Whether our interpreter did what Jinja2 did. */
import { renderTemplate, TemplateError } from '../index.ts'
import type { OracleAnswer, OracleError, TemplateCase } from './oracle.ts'

/** Errors with words of Jinja2's own. Those of Python differ between its versions, and only their kind is compared. */
const ownErrors = /^(UndefinedError|Template.*Error|TemplatesNotFound|TemplateNotFound|FilterArgumentError)$/

export const isOfJinja2 = (kind: string): boolean => ownErrors.test(kind)

export type OurAnswer = { readonly text: string } | { readonly error: OracleError; readonly code: string }

export async function renderCase({ templates, name, data }: TemplateCase): Promise<OurAnswer> {
  try {
    return await renderTemplate({ name, data, load: async (wanted) => templates[wanted] })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const { kind, reason, template = null, line = null, code } = error
    return { error: { kind, message: reason, template, line }, code }
  }
}

/** What differs, in one sentence, or `undefined`. */
export function findDifference(wanted: OracleAnswer, got: OurAnswer, { templates }: TemplateCase): string | undefined {
  const told = `Jinja2: ${JSON.stringify(wanted)}\nwe:     ${JSON.stringify(got)}`
  // An address in memory is never the same twice, so that we refuse to print one, even where nobody gets to see it.
  if ('error' in got && got.error.message.includes('an address in memory')) return undefined
  if ('text' in wanted) return 'text' in got && got.text === wanted.text ? undefined : told
  // Jinja2 computes what is constant when it loads a template, and then fails without saying where.
  if (wanted.error.kind === 'UndefinedError' && wanted.error.template === null) return undefined
  if ('text' in got) return told
  if (wanted.error.kind === 'RecursionError') return got.code === 'TEMPLATE_LIMIT' ? undefined : told
  // Jinja2 does not note the lines of `with`, and tells that of the statement before.
  const knowsLines = !/\{%[-+]? with/.test(templates[wanted.error.template ?? ''] ?? '')
  const isSameLine = wanted.error.line === got.error.line || !knowsLines
  const isSamePlace = isSameLine && wanted.error.template === got.error.template
  return isSamePlace && isSameError(wanted.error, got) ? undefined : told
}

function isSameError(wanted: OracleError, { error, code }: Extract<OurAnswer, { error: OracleError }>): boolean {
  // Python knows nothing of undefined values, and cannot name the variable. We can.
  if (/Undefined' object|StrictUndefined|type Undefined/.test(wanted.message)) return code === 'TEMPLATE_UNDEFINED'
  if (code === 'TEMPLATE_REFUSED') return false
  if (error.kind !== wanted.kind) return false
  return !isOfJinja2(wanted.kind) || error.message === wanted.message
}
