/**
 * Templates of Jinja2. The interpreter in jinja/ is pure and knows nothing of Signalbox; here its errors become ours. It is
 * loaded when something is rendered, never before.
 */
import { invalidInput, notFound } from '../kernel/errors.ts'

export interface RenderRequest {
  /** Relative to the folder of templates. */
  readonly name: string
  /** A JSON object as text, in which 1 is a whole number and 1.0 a broken one, or plain values. */
  readonly data: string | Readonly<Record<string, unknown>>
  /** The text of a template, or `undefined` where there is none of that name. What it throws comes through as it is. */
  readonly load: (name: string) => Promise<string | undefined>
}

export const templates = {
  async load(): Promise<void> {
    await import('./jinja/index.ts')
  },

  async render(request: RenderRequest): Promise<string> {
    const { renderTemplate, TemplateError } = await import('./jinja/index.ts')
    try {
      return (await renderTemplate(request)).text
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const { code, template, line, variable, reason, hint } = error
      const details = { template: template ?? request.name, line, variable, reason }
      const isMissing = code === 'TEMPLATE_NOT_FOUND'
      const message = isMissing ? `There is no template ${JSON.stringify(variable ?? '')}` : error.message
      const place = isMissing && template !== undefined ? ` (${template}, line ${line})` : ''
      const sentence = `${message}${place}${/[.!?]$/.test(message + place) ? '' : '.'}`
      throw (isMissing ? notFound : invalidInput)(code, sentence, { hint, details, cause: error })
    }
  },
}
