/**
 * Templates of Jinja2 3.1, rendered as Jinja2 does with strict undefined, without escaping and without extensions.
 *
 *   await renderTemplate({ name: 'prompt.j2', data: '{"task": "test"}', load: async (name) => texts.get(name) })
 *
 * A lexer, a parser and an evaluator; pure: templates come through `load`, nothing else goes in or out, and no code is
 * generated. What it knows: LANGUAGE.md.
 */
import { readData, type TemplateData } from './data.ts'
import { Library, type Load } from './library.ts'
import { defaultLimits, type Limits } from './limits.ts'

export type { TemplateData } from './data.ts'
export type { Load } from './library.ts'
export { defaultLimits, type Limits } from './limits.ts'
export { TemplateError, type TemplateErrorCode } from './problem.ts'

export interface TemplateOptions {
  readonly load: Load
  readonly limits?: Partial<Limits>
  /** For the filter `random`. */
  readonly random?: () => number
}

export interface RenderOptions {
  readonly name: string
  /** JSON text, in which `1` and `1.0` differ, or plain JavaScript values. */
  readonly data: TemplateData
}

/** Templates that are loaded and compiled once, and rendered as often as wanted. */
export function openTemplates({ load, limits, random = Math.random }: TemplateOptions) {
  const library = new Library(load, { ...defaultLimits, ...limits }, random)
  return {
    /** Throws a `TemplateError` with template, line and reason. What `load` throws comes through as it is. */
    async render({ name, data }: RenderOptions): Promise<{ readonly text: string }> {
      return { text: await library.render(name, () => readData(data)) }
    },
  }
}

export async function renderTemplate(options: TemplateOptions & RenderOptions): Promise<{ readonly text: string }> {
  return openTemplates(options).render(options)
}
