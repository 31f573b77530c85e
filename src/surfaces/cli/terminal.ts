import { spellCalls } from '../../kernel/call.ts'
import { commandLine } from './call-spelling.ts'
import { shellWord } from './spelling.ts'

/** Where a command line prints. `main.ts` fills it in; tests keep what was printed. */
export interface Terminal {
  /** False when its reader has ended, as `head` does, so that some of it was dropped. */
  // biome-ignore lint/suspicious/noConfusingVoidType: who keeps all that is printed has nothing to tell.
  out(text: string): boolean | void
  err(text: string): void
  streams(): { readonly out: Stream; readonly err: Stream }
}

export interface Stream {
  readonly isTerminal: boolean
  readonly columns: number
}

/** What faces need to know to print. */
export interface Screen {
  readonly paint: Paint
  readonly columns: number
  readonly isTerminal: boolean
  /** A text with commands to type next: they get the flags that say where this one has worked, so that they can be pasted. */
  readonly next: (text: string) => string
  /** The same for a text in which operations are named in neutral words (`call`). */
  readonly spell: (text: string) => string
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type Colour = keyof typeof codes
export type Paint = (colour: Colour, text: string) => string

const coloured: Paint = (colour, text) => {
  const [on, off] = codes[colour]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}
const uncoloured: Paint = (_colour, text) => text

export interface Wishes {
  /** `--color` and `--no-color`; `undefined` when neither was given. */
  readonly flag: boolean | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The flags that were typed. */
  readonly given?: Readonly<Record<string, unknown>>
}

export function screenOn(stream: Stream, wishes: Wishes): Screen {
  const next = (text: string) => withPlace(text, wishes.given ?? {})
  const spell = (text: string) => next(spellCalls(text, commandLine))
  return { paint: isColoured(stream, wishes) ? coloured : uncoloured, ...stream, next, spell }
}

/** `signalbox circe inbox eng` after `--root team` is `signalbox --root team circe inbox eng`. */
function withPlace(text: string, given: Readonly<Record<string, unknown>>): string {
  const flags = ['root', 'engine'].flatMap((name) =>
    typeof given[name] === 'string' ? [`--${name} ${shellWord(given[name])}`] : [],
  )
  if (flags.length === 0) return text
  return text.replace(
    /\b(signalbox|(?<!signalbox )acmq) (?=[a-z])(?!init --root)/g,
    (_, program) => `${program} ${flags.join(' ')} `,
  )
}

/** The flag decides, then NO_COLOR, then FORCE_COLOR, then whether a capable terminal is there. */
function isColoured(stream: Stream, { flag, environment }: Wishes): boolean {
  if (flag !== undefined) return flag
  if (environment.NO_COLOR) return false
  const forced = environment.FORCE_COLOR
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return stream.isTerminal && environment.TERM !== 'dumb'
}
