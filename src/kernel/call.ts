/**
 * Operations and inputs that a text for the caller names, such as a hint. They are written in neutral words, and each surface
 * spells them in its own: a command line as a command to type, a tool server as a call.
 */

type Input = Readonly<Record<string, unknown>>

/** Text between backquotes, in which no further backquote can stand, so that no value can end it. */
const quoted = (text: string): string => `\`${text}\``
const json = (input: Input): string => JSON.stringify(input).replaceAll('`', '\\u0060')

/** An operation with its input: `` `acmq claim {"mission":"alpha"}` ``. A value in capitals stands for one that the caller knows. */
export const call = (operation: string, input: Input = {}): string => quoted(`${operation} ${json(input)}`)

/** Inputs of the operation that was called: `` `{"budget":5000}` ``. */
export const inputs = (input: Input): string => quoted(json(input))

/** How a surface spells a call, or inputs alone where no operation is named. */
export type CallSpelling = (operation: string | undefined, input: Input) => string

const calls = /`(?:([a-z][a-z -]*) )?(\{[^`]*\})`/g

/** The text with every call and every input as the surface spells it. What is no JSON between backquotes stays. */
export const spellCalls = (text: string, spell: CallSpelling): string =>
  text.replace(calls, (whole, operation: string | undefined, written: string) => {
    try {
      return spell(operation, JSON.parse(written) as Input)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return whole
    }
  })
