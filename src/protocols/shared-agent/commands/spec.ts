/** How one command is described. Parsing, printing, checking, help, completion and translation are read off this. */

/** What a parameter may be; the grammar checks it after variables have been put in. */
export type Kind = 'word' | 'key' | 'agent' | 'agents' | 'text' | 'path' | 'version' | 'type'

export interface Parameter {
  /** As usage shows it: `<key>`. */
  readonly name: string
  /** As a bullet shows it, where room is short: `<k>`. */
  readonly short?: string
  readonly kind: Kind
  readonly optional?: true
}

/** What may follow the last parameter, printed in this order. Each is recognised by its form, from the end of the line. */
export type Tail =
  | {
      readonly name: string
      readonly kind: 'seconds'
      readonly least: number
      /** Names that may contain a colon: behind any other name a colon begins the time. */
      readonly mayHaveColons: RegExp
    }
  | { readonly name: string; readonly kind: 'priority' }
  | {
      readonly name: string
      readonly kind: 'choice'
      readonly choices: readonly string[]
      /** Left out of usage, where the specification leaves it out. */
      readonly unshown?: true
    }

/** The limit of an answer. `fixed`: its form is given, and it is never cut. Others are free text within the limits of §5. */
export type LimitKind = 'fixed' | 'status' | 'summary' | 'list' | 'error'

export const categories = [
  'core',
  'state',
  'error',
  'coordination',
  'version',
  'tasks',
  'checkpoint',
  'context',
] as const
export type Category = (typeof categories)[number]

export interface CommandSpec {
  /** `STATE:save`: the word in capitals, and the word that says which of its forms is meant, if it has several. */
  readonly name: string
  /** The last one takes all that is left, colons included. */
  readonly parameters: readonly Parameter[]
  readonly tails?: readonly Tail[]
  readonly category: Category
  /** The answer's form, as the specification writes it. */
  readonly answer: string
  readonly limit: LimitKind
  /** Where a list has another length than §5 gives. */
  readonly items?: number
  /** A few words, for a bullet. */
  readonly brief: string
  /** One sentence for `#HELP:<command>`. */
  readonly help: string
  readonly example: string
  readonly deprecated?: { readonly replacement: string }
  /** Set for what `.signalbox/session.yaml` adds: the answer, with `{{parameter}}` for what was given. */
  readonly says?: string
}

/** `['STATE', 'save']`, `['LOCK', undefined]`. */
export function wordsOf({ name }: Pick<CommandSpec, 'name'>): readonly [head: string, form: string | undefined] {
  const colon = name.indexOf(':')
  return colon < 0 ? [name, undefined] : [name.slice(0, colon), name.slice(colon + 1)]
}

export function usageOf(spec: CommandSpec, which: 'long' | 'short' = 'long'): string {
  const parameters = spec.parameters.map(({ name, short, optional }) => {
    const shown = `:<${which === 'short' ? (short ?? name) : name}>`
    return optional ? `[${shown}]` : shown
  })
  const tails = (spec.tails ?? []).filter((tail) => which === 'long' && !('unshown' in tail))
  return `#${spec.name}${parameters.join('')}${tails.map(({ name }) => `[:${name}]`).join('')}`
}
