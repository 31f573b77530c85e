/**
 * Patterns over paths with `/`: `*`, `?`, `[a-z]`, `[!x]` within a name, `**` across folders, `{a,b}` for either.
 * A name that starts with a dot is matched only by a dot.
 */
import { expandBraces } from './glob-braces.ts'
import { badGlob, compileName, type PatternPart, passes, star } from './glob-name.ts'

const longestPattern = 1024

export type GlobMatcher = (path: string) => boolean

/** Checks and compiles a pattern, which must stay below the folder it is used in. */
export function compileGlob(pattern: string): GlobMatcher {
  const ways = expandBraces(checked(pattern)).map((way) => compileWay(way, pattern))
  return (path) => {
    const names = path.split('/')
    // `**` stands for any folders whose names do not start with a dot.
    return path !== '' && ways.some((steps) => passes(steps, names, (name) => !name.startsWith('.')))
  }
}

/** The deepest folder that contains everything the pattern can match, so that a walk begins there. `''` is the root. */
export function staticPrefix(pattern: string): string {
  const names = checked(pattern).split('/')
  const special = names.findIndex((name) => /[*?[{]/.test(name))
  return names
    .slice(0, special < 0 ? -1 : special)
    .filter((name) => name !== '.')
    .join('/')
}

function checked(pattern: string): string {
  if (pattern === '') throw badGlob(pattern, 'it is empty')
  if (pattern.length > longestPattern) throw badGlob(pattern, `it has more than ${longestPattern} characters`)
  if (pattern.includes('\\')) throw badGlob(pattern, 'a backslash has no place in it')
  if (pattern.includes('\0')) throw badGlob(pattern, 'it contains a NUL character')
  if (pattern.startsWith('/')) throw badGlob(pattern, 'it is absolute')
  return pattern
}

function compileWay(way: string, pattern: string): PatternPart<string>[] {
  const names = way.split('/').filter((name) => name !== '.')
  const steps: PatternPart<string>[] = []
  for (const name of names) {
    if (name === '') throw badGlob(pattern, 'a part of it is empty')
    if (name === '..') throw badGlob(pattern, 'it leads out of its folder')
    if (name !== '**') steps.push(compileName(name, pattern))
    else if (steps.at(-1) !== star) steps.push(star)
  }
  if (steps.length === 0) throw badGlob(pattern, 'it names nothing')
  // At the end, `**` matches what is below a folder, not the folder itself.
  if (steps.at(-1) === star) steps.push(compileName('*', pattern))
  return steps
}
