/**
 * Functions that templates can call, with the parameters that they have in Python:
 *
 *   builtin('center(value, width=80)', (value, width) => …)
 *   builtin('format(value, *args, **kwargs)', (value, args, kwargs, use) => …)
 */
import { typeError } from './problem.ts'
import type { Kwargs, Value } from './values.ts'

interface Parameter {
  readonly name: string
  /** `undefined`: it must be given. */
  readonly fallback: Value | undefined
}

/** What some filters ask about the template that uses them. */
export interface Use {
  readonly escaping: { readonly isOn: boolean }
  readonly environment: { random(): number }
}

export interface Builtin {
  readonly name: string
  readonly call: (args: readonly Value[], kwargs: Kwargs, use?: Use) => Value
}

/** Where nobody says anything else: outside of all templates. */
const plainUse: Use = { escaping: { isOn: false }, environment: { random: Math.random } }

// biome-ignore lint/suspicious/noExplicitAny: what is bound is as long and as typed as the signature says
type Body = (...values: any[]) => Value

export function builtin(signature: string, body: Body): Builtin {
  const { name, parameters, takesMore, takesNamed } = readSignature(signature)
  return {
    name,
    call(args, kwargs, use = plainUse) {
      const bound: unknown[] = bind(name, parameters, args, kwargs, takesMore, takesNamed)
      if (takesMore) bound.push(args.slice(parameters.length))
      if (takesNamed) bound.push(new Map([...kwargs].filter(([key]) => !parameters.some((one) => one.name === key))))
      return body(...bound, use)
    },
  }
}

const constants: Readonly<Record<string, Value>> = { None: null, True: true, False: false }

const known = new Map<string, ReturnType<typeof parseSignature>>()

/** Methods are made anew for each value they belong to, so that each signature is read once and kept. */
function readSignature(signature: string): ReturnType<typeof parseSignature> {
  let parsed = known.get(signature)
  if (parsed === undefined) {
    parsed = parseSignature(signature)
    known.set(signature, parsed)
  }
  return parsed
}

function parseSignature(signature: string) {
  const [, name = '', list = ''] = /^(\S+?)\((.*)\)$/.exec(signature)!
  const words = list === '' ? [] : list.split(/, (?!')/)
  const parameters: Parameter[] = words
    .filter((word) => !word.startsWith('*'))
    .map((word) => {
      const [key = '', text] = word.split('=')
      return { name: key, fallback: text === undefined ? undefined : readConstant(text) }
    })
  return { name, parameters, takesMore: words.includes('*args'), takesNamed: words.includes('**kwargs') }
}

const readConstant = (text: string): Value => {
  if (text in constants) return constants[text]!
  return text.startsWith("'") ? text.slice(1, -1) : Number(text)
}

function bind(
  name: string,
  parameters: readonly Parameter[],
  args: readonly Value[],
  kwargs: Kwargs,
  takesMore: boolean,
  takesNamed: boolean,
): Value[] {
  if (args.length > parameters.length && !takesMore) {
    const plural = parameters.length === 1 ? '' : 's'
    throw typeError(`${name}() takes ${parameters.length} positional argument${plural} but ${args.length} were given`)
  }
  for (const key of takesNamed ? [] : kwargs.keys()) {
    if (!parameters.some((one) => one.name === key)) {
      throw typeError(`${name}() got an unexpected keyword argument '${key}'`)
    }
  }
  return parameters.map((parameter, i) => {
    const given = args[i]
    const named = kwargs.get(parameter.name)
    if (given !== undefined && named !== undefined) {
      throw typeError(`${name}() got multiple values for argument '${parameter.name}'`)
    }
    const value = given !== undefined ? given : named !== undefined ? named : parameter.fallback
    if (value === undefined) throw typeError(`${name}() missing 1 required positional argument: '${parameter.name}'`)
    return value
  })
}
