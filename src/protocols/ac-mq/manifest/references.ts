/** The paths and patterns that a manifest mentions. What leads out of the mission is reported, never followed. AC-MQ §5. */

import { compileGlob } from '../../../formats/glob.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { type Line, type ManifestProblem, sectionOf } from './lines.ts'

const mostPatterns = 500
/** Nobody lists files in longer lines, and looking for marks in one takes time that grows with its square. */
const longestLine = 4096

export class References {
  readonly patterns = new Set<string>()
  readonly problems: ManifestProblem[] = []

  /** `isExpected`: it stands where paths are expected, so that less is asked of its looks. */
  add(text: string, line: number, isExpected: boolean): void {
    const path = tidy(text)
    if (!looksLikePath(path, isExpected)) return
    const reason =
      reasonAgainst(path) ?? (this.patterns.size < mostPatterns ? undefined : `there are more than ${mostPatterns}`)
    if (reason === undefined) this.patterns.add(normal(path))
    else this.problems.push({ line, text: printableLine(path.slice(0, 200)), reason })
  }
}

/** `linksUp`: a link may begin with one `../`, because it is relative to a manifest that lies in `_meta/`. */
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

/** Words of a line that stand there without any marking. */
function addPlain({ text, number, value, kind }: Line, into: References): void {
  const source = kind === 'text' && value !== undefined ? value : text
  const bare = source.replace(/(`+).+?\1(?!`)|!?\[[^\]]*\]\([^)]*\)/g, ' ').replace(/\s#\s.*$/, '')
  const item = bare.replace(/^(?:\s|>)*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[.?\]\s+)?/, '')
  const words = item.split(/\s+|,(?![^{]*\})/).filter((word) => word !== '')
  for (const [i, word] of words.entries()) {
    const path = word.replace(/^[("']+|[)"',;:.]+$/g, '')
    // The first word may be any path. Later words are prose, where `and/or` is not a path.
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
/** The folders of a mission that hold what is meant to be read. AC-MQ §2. */
const readable = /^(?:\.\/)?(?:context|artifacts|findings|_meta)\//

const isPlainlyPath = (path: string): boolean =>
  !/^\*\*[^*/]+\*\*$/.test(path) &&
  ((path.includes('/') && (hasGlob(path) || extension.test(path))) || readable.test(path) || /^\.\/./.test(path))

function looksLikePath(path: string, isExpected: boolean): boolean {
  if (path === '' || path.length > 1024 || /[<>|"'$;&()=`\u0000-\u001f]/.test(path) || /^[-!@#]/.test(path))
    return false
  if (/^[a-z][a-z0-9+.-]+:/i.test(path) || path.startsWith('//')) return false
  // A file name may have spaces; a command has them too, but no slash in its first word.
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
    // A percent sign that encodes nothing stands for itself.
    return target
  }
}
