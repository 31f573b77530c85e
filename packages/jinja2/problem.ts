/** What goes wrong in a template: one class for all of it, which says what, where and what to do next. */

/**
 * - TEMPLATE_SYNTAX: the text is no template of Jinja2.
 * - TEMPLATE_UNDEFINED: a variable, attribute or item is missing; `variable` names it.
 * - TEMPLATE_NOT_FOUND: there is no template of that name.
 * - TEMPLATE_FAILED: an operation that Python refuses too: `1 + 'a'`, a division by zero.
 * - TEMPLATE_LIMIT: it takes more steps, depth, text or memory than allowed.
 * - TEMPLATE_REFUSED: Jinja2 knows it, and this interpreter does not; the reason names it.
 * - BAD_TEMPLATE_DATA: what the template was given is no JSON object.
 */
export type TemplateErrorCode =
  | 'TEMPLATE_SYNTAX'
  | 'TEMPLATE_UNDEFINED'
  | 'TEMPLATE_NOT_FOUND'
  | 'TEMPLATE_FAILED'
  | 'TEMPLATE_LIMIT'
  | 'TEMPLATE_REFUSED'
  | 'BAD_TEMPLATE_DATA'

interface Parts {
  readonly hint?: string | undefined
  /** The missing variable, attribute or template. */
  readonly variable?: string | undefined
  readonly cause?: unknown
}

export class TemplateError extends Error {
  readonly code: TemplateErrorCode
  /** The class that Jinja2 or Python would raise: `UndefinedError`, `TypeError`. */
  readonly kind: string
  /** What is wrong, without the place. Where Jinja2 has words for it, they are the same. */
  readonly reason: string
  readonly hint: string | undefined
  readonly variable: string | undefined
  template: string | undefined
  line: number | undefined

  constructor(code: TemplateErrorCode, kind: string, reason: string, parts: Parts = {}) {
    super(reason, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = 'TemplateError'
    this.code = code
    this.kind = kind
    this.reason = reason
    this.hint = parts.hint
    this.variable = parts.variable
  }

  /** Says where it happened. The innermost place is told first, and stays. */
  at(template: string, line: number): this {
    if (this.template !== undefined) return this
    this.template = template
    this.line = line
    this.message = `${template}, line ${line}: ${this.reason}`
    return this
  }
}

export const syntaxError = (reason: string, hint?: string): TemplateError =>
  new TemplateError('TEMPLATE_SYNTAX', 'TemplateSyntaxError', reason, { hint })

/** What Jinja2 notices when it compiles a template, although its grammar allows it. */
export const assertionError = (reason: string, hint?: string): TemplateError =>
  new TemplateError('TEMPLATE_SYNTAX', 'TemplateAssertionError', reason, { hint })

export const runtimeError = (reason: string): TemplateError =>
  new TemplateError('TEMPLATE_FAILED', 'TemplateRuntimeError', reason)

export const failure = (kind: string, reason: string): TemplateError =>
  new TemplateError('TEMPLATE_FAILED', kind, reason)

export const typeError = (reason: string): TemplateError => failure('TypeError', reason)
export const valueError = (reason: string): TemplateError => failure('ValueError', reason)

export const refused = (what: string, hint: string): TemplateError =>
  new TemplateError('TEMPLATE_REFUSED', 'Refused', `${what} is not supported`, { hint })
