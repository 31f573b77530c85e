/** Reads `policy.yaml`, which has patterns under `hold` and nothing else, and matches texts. AC-MQ §11.2. */
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

/** Refuses what it does not understand: ignoring it could hand out a message that a person wanted to see first. */
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

/** Lower case, with one blank for any run of white space: to a shell, `rm  -rf` with a tab or an escaped line end is the same. */
export const simple = (text: string): string => text.toLowerCase().replaceAll(whiteSpace, ' ')

// A shell goes on in the next line after a backslash, so that counts as white space too.
const whiteSpace = /(?:[\s\u0085]|\\(?=[\r\n]))+/g

/** True when a text, made `simple` before, contains the pattern. `*` stands for any text. Searches forward only, so no pattern is slow. */
export function matches(pattern: string, text: string): boolean {
  let at = 0
  let last = ''
  for (const piece of simple(pattern).split('*')) {
    // `a * b` matches `a b` too: the one blank there serves for both blanks of the pattern.
    const isShared = last.endsWith(' ') && piece.startsWith(' ')
    const found = text.indexOf(piece, isShared ? at - 1 : at)
    if (found < 0) return false
    at = found + piece.length
    last = piece
  }
  return true
}
