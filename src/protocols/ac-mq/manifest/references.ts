/** The paths and patterns that a manifest mentions. One that leads out of the mission is reported and not used. AC-MQ §5. */

import { compileGlob } from '../../../formats/glob.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { type Line, type ManifestProblem, sectionOf } from './lines.ts'

const mostPatterns = 500
/** The rest of a longer line is not searched: searching takes time that grows with the square of its length. */
const longestLine = 4096

export class References {
  readonly patterns = new Set<string>()
  readonly problems: ManifestProblem[] = []

  /** `isExpected`: the text stands where paths are listed, so it counts as a path more easily. */
  add(text: string, line: number, isExpected: boolean): void {
    const path = tidy(text)
    if (!looksLikePath(path, isExpected)) return
    const reason =
      reasonAgainst(path) ?? (this.patterns.size < mostPatterns ? undefined : `there are more than ${mostPatterns}`)
    if (reason === undefined) this.patterns.add(normal(path))
    else this.problems.push({ line, text: printableLine(path.slice(0, 200)), reason })
  }
}

/** `linksUp`: a link may begin with one `../`, because the manifest lies in `_meta/`. */
export function collectFrom(lines: readonly Line[], into: References, linksUp: boolean): void {
  for (const whole of lines) {
    const line = whole.text.length > longestLine ? { ...whole, text: whole.text.slice(0, longestLine) } : whole
    const isContext = line.section === 'context' || (line.label !== undefined && sectionOf(line.label) === 'context')
    if (line.kind === 'code') {
      if (isContext || /\b(globs?|paths?|files|gitignore)\b/i.test(line.value ?? '')) addPlain(line, into)
    } else if (line.kind !== 'fence') {
      addMarked(line, isContext, linksUp, into)
      if (isContext && line.kind === 'text') addPlain(line, into)
    }
  }
}

function addMarked({ text, number }: Line, isContext: boolean, linksUp: boolean, into: References): void {
  for (const [, , code] of text.matchAll(/(`+)(.+?)\1(?!`)/g)) into.add(code!, number, isContext)
  for (const [, isImage, target] of text.matchAll(/(!?)\[[^\]]*\]\(\s*<?([^\s<>()]+)>?[^)]*\)/g)) {
    const path = isImage ? '' : decoded(target!.replace(/[#?].*$/, ''))
    if (path !== '') into.add(linksUp ? path.replace(/^\.\.\/(?!\.\.)/, '') : path, number, false)
  }
}

/** Adds paths that are written without backquotes and links. */
function addPlain({ text, number, value, kind }: Line, into: References): void {
  const source = kind === 'text' && value !== undefined ? value : text
  const bare = source.replace(/(`+).+?\1(?!`)|!?\[[^\]]*\]\([^)]*\)/g, ' ').replace(/\s#\s.*$/, '')
  const item = bare.replace(/^(?:\s|>)*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[.?\]\s+)?/, '')
  const words = item.split(/\s+|,(?![^{]*\})/).filter((word) => word !== '')
  for (const [i, word] of words.entries()) {
    const path = word.replace(/^[("']+|[)"',;:.]+$/g, '')
    // The first word may be any path. Later words may be prose, such as `and/or`.
    const isAlone = i === 0 && (words.length === 1 || /^[-–—:(#]/.test(words[1]!) || /[:,]$/.test(word))
    if (isAlone || (i === 0 && path.includes('/')) || isPlainlyPath(path)) into.add(path, number, isAlone)
  }
}

function tidy(text: string): string {
  const path = text
    .trim()
    .replace(/^path:\s*/, '')
    .replace(/^(["'])(.*)\1$/, '$2')
  return path.includes('/') ? path : path.replaceAll('\\', '/')
}

const normal = (path: string): string =>
  path
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '/**')

const extension = /[^/.]\.[A-Za-z][A-Za-z0-9]{0,7}$/
const textExtension =
  /[^/.]\.(?:md|mdx|markdown|txt|rst|adoc|json|jsonl|ya?ml|toml|ini|csv|tsv|xml|html?|css|sql|tsx?|jsx?|mjs|py|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|swift|proto|graphql|log|pdf)$/i
const hasGlob = (path: string): boolean => /[*?]|\[[^\]]+\]|\{[^}]*,[^}]*\}/.test(path)
/** The folders of a mission that hold documents. AC-MQ §2. */
const readable = /^(?:\.\/)?(?:context|artifacts|findings|_meta)\//

const isPlainlyPath = (path: string): boolean =>
  !/^\*\*[^*/]+\*\*$/.test(path) &&
  ((path.includes('/') && (hasGlob(path) || extension.test(path))) || readable.test(path) || /^\.\/./.test(path))

function looksLikePath(path: string, isExpected: boolean): boolean {
  if (path === '' || path.length > 1024 || /[<>|"'$;&()=`\u0000-\u001f]/.test(path) || /^[-!@#]/.test(path))
    return false
  if (/^[a-z][a-z0-9+.-]+:/i.test(path) || path.startsWith('//')) return false
  // A text with spaces is a path if its first word has a slash and its last an extension. Otherwise it may be a command.
  if (/\s/.test(path) && !(/^\S*\/\S*(?: \S+)*$/.test(path) && extension.test(path))) return false
  if (isPlainlyPath(path)) return true
  if (hasGlob(path) && /[./]/.test(path)) return true
  if (isExpected) return path.includes('/') ? /[^/]/.test(path) : extension.test(path)
  return textExtension.test(path)
}

function reasonAgainst(path: string): string | undefined {
  if (/^(?:\/|~|[A-Za-z]:)/.test(path)) return 'it is absolute; paths begin at the mission'
  if (path.split('/').includes('..')) return 'it leads out of its folder'
  try {
    compileGlob(normal(path))
    return undefined
  } catch (error) {
    if (error instanceof SignalboxError) return String(error.details.reason ?? error.message)
    throw error
  }
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target // URIError: the percent sign encodes nothing.
  }
}
