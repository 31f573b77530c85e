/** Where a command line prints. `main.ts` fills it in; tests keep what was printed. */
export interface Terminal {
  out(text: string): void
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
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type Colour = keyof typeof codes
export type Paint = (colour: Colour, text: string) => string

const coloured: Paint = (colour, text) => {
  const [on, off] = codes[colour]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}
const uncoloured: Paint = (_colour, text) => text

export interface ColourWishes {
  /** `--color` and `--no-color`; `undefined` when neither was given. */
  readonly flag: boolean | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function screenOn(stream: Stream, wishes: ColourWishes): Screen {
  return { paint: isColoured(stream, wishes) ? coloured : uncoloured, ...stream }
}

/** The flag decides, then NO_COLOR, then FORCE_COLOR, then whether a capable terminal is there. */
function isColoured(stream: Stream, { flag, environment }: ColourWishes): boolean {
  if (flag !== undefined) return flag
  if (environment.NO_COLOR) return false
  const forced = environment.FORCE_COLOR
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return stream.isTerminal && environment.TERM !== 'dumb'
}
