/**
 * A place in a tree: segments joined by `/`, relative to the root, checked once and trusted afterwards.
 * It cannot lead outside the root, and has no characters that a terminal or file system could misread.
 */
import { invalidInput } from './errors.ts'

declare const brand: unique symbol
export type TreePath = string & { readonly [brand]: 'TreePath' }

/** The root itself: the folder that holds everything. */
export const treeRoot = '' as TreePath

/**
 * In bytes. File systems allow 255; the difference is room for the private names that an engine gives a leaf while it is
 * being changed.
 */
export const longestSegment = 180

const longestPath = 2048

/** Checks text from outside and brands it. `''` is the root. */
export function treePath(text: string): TreePath {
  if (text === '') return treeRoot
  const bytes = Buffer.byteLength(text)
  if (bytes > longestPath) throw refused(text, `it has ${bytes} bytes; ${longestPath} is the most`)
  for (const segment of text.split('/')) {
    const reason = reasonAgainst(segment)
    if (reason) throw refused(text, reason)
  }
  return text as TreePath
}

/** True when `segment` can stand alone between two slashes. */
export const isSegment = (segment: string): boolean => reasonAgainst(segment) === undefined

export function childOf(folder: TreePath, name: string): TreePath {
  const reason = reasonAgainst(name)
  if (reason) throw refused(name, reason)
  return (folder === '' ? name : `${folder}/${name}`) as TreePath
}

export function parentOf(path: TreePath): TreePath {
  const slash = path.lastIndexOf('/')
  return (slash < 0 ? '' : path.slice(0, slash)) as TreePath
}

export const nameOf = (path: TreePath): string => path.slice(path.lastIndexOf('/') + 1)

/** True when `path` is `folder` or lies below it, also where a file system ignores case. */
export function isWithin(path: TreePath, folder: TreePath): boolean {
  if (folder === '') return true
  const [inner, outer] = [path.toLowerCase(), folder.toLowerCase()]
  return inner === outer || inner.startsWith(`${outer}/`)
}

// Matches nearly every segment, so that the slower checks are rarely needed.
const plain = /^\.?[A-Za-z0-9_][A-Za-z0-9_.~-]{0,127}$/
// C0, DEL, C1, line and paragraph separators, and the marks that reorder text on a screen.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

function reasonAgainst(segment: string): string | undefined {
  if (plain.test(segment)) return undefined
  if (segment === '') return 'a part of it is empty'
  if (segment === '.' || segment === '..') return `\`${segment}\` is not a name`
  if (segment.includes('/') || segment.includes('\\')) return 'a name cannot contain a slash'
  if (unprintable.test(segment)) return 'a name cannot contain control characters'
  if (!segment.isWellFormed()) return 'a name must be well-formed Unicode'
  if (Buffer.byteLength(segment) > longestSegment) return `a name has at most ${longestSegment} bytes`
  return undefined
}

const refused = (text: string, reason: string) =>
  invalidInput('PATH_ESCAPES_ROOT', `Not a path inside the root: ${JSON.stringify(text.slice(0, 120))}: ${reason}.`, {
    hint: 'Use a relative path of plain names, such as llm/missions/alpha.',
    details: { path: text.slice(0, 400), reason },
  })
