/** Every request that is understood, with its forms made ready, for a table of commands. */
import { type CommandSpec, wordsOf } from '../../commands/spec.ts'
import { compile, type Node, needsOf } from '../pattern.ts'
import { aboutRequests } from './about.ts'
import { coordinationRequests } from './coordination.ts'
import { keepingRequests } from './keeping.ts'
import { knowledgeRequests } from './knowledge.ts'
import type { Request } from './request.ts'
import { stateRequests } from './state.ts'
import { taskRequests } from './tasks.ts'

export const requests: readonly Request[] = [
  ...taskRequests,
  ...knowledgeRequests,
  ...stateRequests,
  ...coordinationRequests,
  ...keepingRequests,
  ...aboutRequests,
]

export interface Form {
  readonly spec: CommandSpec
  readonly request: Request
  readonly nodes: readonly Node[]
  /** Words of which one each must be there. */
  readonly needs: readonly (readonly string[])[]
}

const made = new WeakMap<readonly CommandSpec[], Forms>()

/** Forms by the words of which they need one; each is under all of them, or among those that need none. */
export class Forms {
  readonly #byWord = new Map<string, Form[]>()
  readonly #always: Form[] = []

  constructor(forms: readonly Form[]) {
    for (const form of forms) {
      if (form.needs.length === 0) this.#always.push(form)
      for (const word of form.needs[0] ?? []) {
        const known = this.#byWord.get(word)
        if (known) known.push(form)
        else this.#byWord.set(word, [form])
      }
    }
  }

  /** Those that can fit a sentence of these words; with `mayBeOpen` only their first words count. */
  with(words: ReadonlySet<string>, mayBeOpen: boolean): ReadonlySet<Form> {
    const found = new Set(this.#always)
    for (const word of words)
      for (const form of this.#byWord.get(word) ?? [])
        if (mayBeOpen || form.needs.every((some) => some.some((one) => words.has(one)))) found.add(form)
    return found
  }
}

/** The forms whose command is in the table; made once for each table. */
export function formsFor(table: readonly CommandSpec[]): Forms {
  const known = made.get(table)
  if (known) return known
  const specs = new Map(table.map((spec) => [spec.name, spec]))
  const spoken = [...requests, ...table.flatMap(asWritten)]
  const forms = new Forms(
    spoken.flatMap((request) => {
      const spec = specs.get(request.command)
      return spec ? request.forms.map((form) => formOf(spec, request, form)) : []
    }),
  )
  made.set(table, forms)
  return forms
}

function formOf(spec: CommandSpec, request: Request, form: string): Form {
  const nodes = compile(form)
  return { spec, request, nodes, needs: needsOf(nodes) }
}

/**
 * A command that is said as it is written, without its marks: `state load user`, `checkpoint list`. For those of two words,
 * which nobody says by chance, and for those that a workspace has added, which have no other form.
 */
function asWritten(spec: CommandSpec): Request[] {
  const [head, form] = wordsOf(spec)
  if (form === undefined && spec.says === undefined) return []
  const name = [head, ...(form === undefined ? [] : [form])].map((word) => word.toLowerCase()).join(' ')
  const parameters = spec.parameters.map((one) => (one.optional ? `[<${one.name}>]` : `<${one.name}>`))
  return [{ command: spec.name, forms: [`[run|do|execute|say|call] ${[name, ...parameters].join(' ')}`] }]
}
