/** What Dream.OS needs from outside the tree: what renders templates. */
import { corrupt, invalidInput, notFound } from '../../kernel/errors.ts'
import type { DreamPorts, RenderRequest } from '../../protocols/dream-os/index.ts'

export const dreamPorts: DreamPorts = {
  async renderer() {
    const { renderTemplate, TemplateError } = await import('../../adapters/jinja/index.ts')
    return async ({ name, data, load }: RenderRequest) => {
      try {
        return (await renderTemplate({ name, data: data as string, load: async (one) => load(one) })).text
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error
        const { code, message, hint, template, line, variable, reason } = error
        const make = code === 'TEMPLATE_NOT_FOUND' ? notFound : code === 'TEMPLATE_SYNTAX' ? corrupt : invalidInput
        const where = template === undefined ? '' : `${template}${line === undefined ? '' : `, line ${line}`}: `
        throw make(code, message.startsWith(where) && where !== '' ? message : `${where}${reason}`, {
          hint:
            hint ??
            (variable === undefined
              ? 'Correct the template.'
              : `Give ${variable} with --vars, or a default in the template.`),
          details: { template: template ?? name, line: line ?? null, variable: variable ?? null },
          cause: error,
        })
      }
    }
  },
}
