/**
 * Templates of Jinja2. The interpreter `@signalbox/jinja2` (packages/jinja2) knows nothing of Signalbox; here its errors become
 * ours. It is loaded when something is rendered, never before.
 */
import { inputs } from '../kernel/call.ts'
import { corrupt, invalidInput, notFound } from '../kernel/errors.ts'

export interface RenderRequest {
  /** Relative to the folder of templates. */
  readonly name: string
  /** A JSON object as text, in which 1 is a whole number and 1.0 a broken one, or plain values. */
  readonly data: string | Readonly<Record<string, unknown>>
  /** The text of a template, or `undefined` where there is none of that name. What it throws comes through as it is. */
  readonly load: (name: string) => string | undefined | Promise<string | undefined>
}

export async function renderTemplate(request: RenderRequest): Promise<string> {
  const jinja = await import('@signalbox/jinja2')
  try {
    return (await jinja.renderTemplate({ ...request, load: async (name) => request.load(name) })).text
  } catch (error) {
    if (!(error instanceof jinja.TemplateError)) throw error
    const { code, message, hint, template, line, variable } = error
    const isMissing = code === 'TEMPLATE_NOT_FOUND'
    const make = isMissing ? notFound : code === 'TEMPLATE_SYNTAX' ? corrupt : invalidInput
    const place = template === undefined ? '' : `${template}${line === undefined ? '' : `, line ${line}`}`
    const missing = `There is no template ${JSON.stringify(variable ?? '')}${place === '' ? '' : ` (${place})`}.`
    const ownHint =
      variable === undefined
        ? 'Correct the template.'
        : `Give ${variable} with ${inputs({ vars: 'JSON' })}, or a default in the template.`
    throw make(code, isMissing ? missing : message, {
      hint: hint ?? ownHint,
      details: { template: template ?? request.name, line: line ?? null, variable: variable ?? null },
      cause: error,
    })
  }
}
