/** The patterns of a policy, and when a text matches one. Pure. AC-MQ §11.2. */

/** One case, and one blank for any run of white space: to a shell, `rm  -rf` with a tab or an escaped line end is the same. */
export const simple = (text: string): string => text.toLowerCase().replaceAll(whiteSpace, ' ')

// A backslash before a line end counts as white space: the command goes on in the next line.
const whiteSpace = /(?:[\s\u0085]|\\(?=[\r\n]))+/g

/** A pattern, with `*` for anything in between, in a text that is `simple`. Looks forward only, so no pattern is slow. */
export function matches(pattern: string, text: string): boolean {
  let at = 0
  let last = ''
  for (const piece of simple(pattern).split('*')) {
    // `a * b` is also in `a b`: nothing in between, and one run of white space for both blanks.
    const isShared = last.endsWith(' ') && piece.startsWith(' ')
    const found = text.indexOf(piece, isShared ? at - 1 : at)
    if (found < 0) return false
    at = found + piece.length
    last = piece
  }
  return true
}
