/** Expands `a{b,c}d` to `abd` and `acd`. Braces may be nested; the number of results is limited. */
import { badGlob } from './glob-error.ts'

const mostWays = 256

/** All expansions of the pattern. Braces without a comma are letters, as in a shell. */
export function expandBraces(pattern: string): string[] {
  return new Expander(pattern).all()
}

class Expander {
  private at = 0
  private readonly pattern: string

  constructor(pattern: string) {
    this.pattern = pattern
  }

  all(): string[] {
    const ways = this.sequence(0)
    if (this.at < this.pattern.length) throw badGlob(this.pattern, 'a brace closes that was not opened')
    return ways
  }

  /** Up to the end, or inside braces up to a comma or closing brace. */
  private sequence(depth: number): string[] {
    let ways = ['']
    while (this.at < this.pattern.length) {
      const sign = this.pattern[this.at]
      if (sign === '}' || (sign === ',' && depth > 0)) break
      ways = this.join(ways, sign === '{' ? this.braces(depth + 1) : [this.piece()])
    }
    return ways
  }

  private braces(depth: number): string[] {
    const ways: string[] = []
    let parts = 0
    do {
      this.at++
      parts++
      ways.push(...this.sequence(depth))
      if (ways.length > mostWays) throw this.tooMany()
    } while (this.pattern[this.at] === ',')
    if (this.pattern[this.at] !== '}') throw badGlob(this.pattern, 'a brace is not closed')
    this.at++
    return parts > 1 ? ways : ways.map((way) => `{${way}}`)
  }

  private join(heads: string[], tails: string[]): string[] {
    if (heads.length * tails.length > mostWays) throw this.tooMany()
    return heads.flatMap((head) => tails.map((tail) => head + tail))
  }

  /** A run of ordinary letters, or a whole `[...]`, in which braces and commas are letters. */
  private piece(): string {
    const rest = this.pattern.slice(this.at)
    const [piece] = /^\[[!^]?\]?[^\]/]*\]/.exec(rest) ?? /^.[^[{},]*/s.exec(rest)!
    this.at += piece.length
    return piece
  }

  private tooMany() {
    return badGlob(this.pattern, `its braces give more than ${mostWays} patterns`)
  }
}
