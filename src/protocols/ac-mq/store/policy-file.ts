/** What `policy.yaml` says: patterns under `hold`, and nothing else; and when a text matches one. AC-MQ §11.2. */
import { readFields } from '../../../formats/front-matter.ts'
import { type Fields, longestHeader } from '../../../formats/header-field.ts'
import { corrupt, SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import type { Tree } from '../../../tree/tree.ts'
import { policyPath } from './policy.ts'

export async function readPatterns(tree: Tree, size: number): Promise<readonly string[]> {
  if (size > longestHeader) throw badPolicy(`is larger than ${longestHeader} bytes`)
  const leaf = await tree.read(policyPath)
  return leaf ? patternsIn(Buffer.from(leaf.bytes).toString('utf8')) : []
}

/** Refuses what is not understood: failing open would let through exactly what a person wanted to see first. */
function patternsIn(text: string): readonly string[] {
  const fields = fieldsIn(text)
  for (const key of fields.keys()) if (key !== 'hold') throw badPolicy(`has an unknown key ${JSON.stringify(key)}`)
  const hold = fields.get('hold')
  const patterns = hold === undefined || hold.value === null ? [] : hold.texts
  if (patterns?.every((pattern) => pattern.replaceAll('*', '').trim() !== '')) return patterns
  throw badPolicy('must have a list of texts under `hold`')
}

function fieldsIn(text: string): Fields {
  try {
    return readFields(text)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { line, reason } = error.details
    throw badPolicy(`cannot be read, line ${line}: ${printableLine(String(reason))}`)
  }
}

export function firstMatching(patterns: readonly string[], text: string): string | undefined {
  const simpler = simple(text)
  return patterns.find((pattern) => matches(pattern, simpler))
}

const badPolicy = (problem: string) =>
  corrupt('BAD_POLICY', `${policyPath} ${problem}.`, {
    hint: 'Nobody is handed a message until it is put right. Write for example: hold: ["rm -rf", "deploy * production"]',
  })

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
