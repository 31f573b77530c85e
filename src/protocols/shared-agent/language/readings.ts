/** The commands that a sentence can mean, cheapest first. Pure. */
import type { CommandSpec } from '../commands/spec.ts'
import type { Command } from '../schema.ts'
import { type Adjuncts, peelings } from './adjuncts.ts'
import { type Fit, fitsOf } from './match.ts'
import { type Form, formsFor } from './requests/index.ts'
import { type Hearing, textOf } from './slots.ts'
import type { Surroundings } from './surroundings.ts'
import type { Token } from './tokens.ts'

export interface Reading {
  readonly command: Command
  readonly cost: number
  readonly isUnnamed: boolean
  readonly doubts: readonly string[]
  /** Parameters that are not said. */
  readonly open: readonly string[]
  /** The words that free text has taken: another request may hide in them. */
  readonly texts: readonly (readonly Token[])[]
}

export interface Said {
  readonly text: string
  readonly around: Surroundings
  readonly mayCorrect: boolean
  readonly mayBeOpen: boolean
}

export function readingsOf(
  tokens: readonly Token[],
  { text, around, mayCorrect, mayBeOpen }: Said,
): readonly Reading[] {
  const found: Reading[] = []
  for (const peeled of peelings(tokens)) {
    const hearing: Hearing = { text, tokens: peeled.tokens, around, mayCorrect }
    const words = new Set(peeled.tokens.map(({ word }) => word))
    for (const form of formsFor(around.table).with(words, mayBeOpen)) {
      for (const fit of fitsOf(form.nodes, hearing, mayBeOpen)) {
        const reading = readingOf(form, fit, peeled.adjuncts, hearing)
        if (reading && reading.open.length > 0 === mayBeOpen) found.push(reading)
      }
    }
  }
  return found.sort((a, b) => a.cost - b.cost)
}

function readingOf({ spec, request }: Form, fit: Fit, adjuncts: Adjuncts, hearing: Hearing): Reading | undefined {
  const said = Object.entries(fit.given).map(([name, filling]) => [name, textOf(filling)] as const)
  const { modifier, resource, ...rest } = { ...request.with, ...Object.fromEntries(said) } as Record<string, string>
  const tails = tailsOf(spec, adjuncts)
  if (!tails || (adjuncts.modifier !== undefined && !takesModifier(spec))) return undefined
  // A time or priority that the form itself has heard is not said a second time around it.
  if (Object.keys(tails).some((name) => Object.hasOwn(rest, name))) return undefined
  const given = {
    ...rest,
    ...(resource === undefined ? {} : spec.name === 'WAIT' ? { condition: `lock=${resource}` } : { resource }),
    ...tails,
  }
  const complete = withWhatIsKnown(spec, given, hearing.around)
  const wanted = spec.parameters.filter(({ name, optional }) => !optional && complete[name] === undefined)
  const open = [
    ...new Set([...fit.open.filter((name) => complete[name] === undefined), ...wanted.map(({ name }) => name)]),
  ]
  return {
    command: {
      kind: 'command',
      spec,
      given: complete,
      modifier: (modifier as 'brief' | 'detailed' | undefined) ?? adjuncts.modifier,
    },
    cost: fit.cost,
    isUnnamed: request.isUnnamed === true,
    doubts: fit.doubts,
    open,
    texts: fit.texts.map(([from, to]) => hearing.tokens.slice(from, to)),
  }
}

/** What is said around a request as the tails of its command; `undefined` where it does not have them. */
function tailsOf({ tails = [] }: CommandSpec, adjuncts: Adjuncts): Readonly<Record<string, string>> | undefined {
  const given: Record<string, string> = {}
  const put = (value: string | undefined, name: string | undefined): boolean => {
    if (value === undefined) return true
    if (name === undefined) return false
    given[name] = value
    return true
  }
  const choice = (word: string): string | undefined =>
    tails.find((tail) => tail.kind === 'choice' && tail.choices.includes(word))?.name
  const named = (kind: string): string | undefined => tails.find((tail) => tail.kind === kind)?.name
  const fits =
    put(adjuncts.priority, named('priority')) &&
    put(adjuncts.seconds === undefined ? undefined : String(adjuncts.seconds), named('seconds')) &&
    put(adjuncts.persistent && 'persistent', choice('persistent')) &&
    put(adjuncts.force && 'force', choice('force')) &&
    put(adjuncts.merge && 'merge', choice('merge'))
  return fits ? given : undefined
}

/** A modifier changes nothing in an answer of a fixed form, except in help. */
const takesModifier = ({ limit, name }: CommandSpec): boolean =>
  limit !== 'fixed' || name === 'HELP' || name === 'VERSION:features'

/** Whose task it is, where only one agent has one of that name; which checkpoint, where none is named. */
function withWhatIsKnown(spec: CommandSpec, given: Readonly<Record<string, string>>, around: Surroundings) {
  if (spec.name === 'RETRY' && given.agent === undefined && given.task !== undefined) {
    const whose = new Set(
      around.tasks.filter(({ id, task }) => id === given.task || task === given.task).map(({ agent }) => agent),
    )
    const [agent] = whose
    return whose.size === 1 ? { agent: agent!, ...given } : given
  }
  if (spec.name === 'ROLLBACK' && given.id === undefined) {
    const last = around.checkpoints.at(-1)
    return last ? { id: last.id, ...given } : given
  }
  return given
}
