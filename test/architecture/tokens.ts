/**
 * Splits TypeScript into the tokens that matter for finding imports: words, strings, punctuation. Comments
 * vanish, and what stands inside strings, templates and regular expressions is never taken for code.
 */
export interface Token {
  readonly kind: 'word' | 'string' | 'template' | 'number' | 'regexp' | 'punctuation' | 'reference'
  /** The word or sign; of a string, its content. */
  readonly text: string
  readonly line: number
}

const wordStart = /[\p{ID_Start}$_#@]/u
const wordPart = /[\p{ID_Continue}$\u200c\u200d]/u

// After these words a slash begins a regular expression; after any other word it divides.
const beforeExpression = new Set(
  'return typeof case in of delete void throw new else do instanceof yield await extends import export default'.split(
    ' ',
  ),
)

export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  // Each open `${` remembers how deep in braces it lies, so that its own `}` leads back into the template.
  const templates: number[] = []
  let depth = 0
  let line = 1
  let at = 0

  const push = (kind: Token['kind'], text: string, startLine = line): void => {
    tokens.push({ kind, text, line: startLine })
  }
  const advanceTo = (end: number): string => {
    const passed = source.slice(at, end)
    for (const character of passed) if (character === '\n') line++
    at = end
    return passed
  }
  const endOf = (stop: string, from: number): number => {
    const found = source.indexOf(stop, from)
    return found < 0 ? source.length : found
  }

  /** Reads template text from `at` up to the closing backquote or the next `${`. */
  function templateText(startLine: number, isHead: boolean): void {
    let end = at
    while (end < source.length && source[end] !== '`' && !source.startsWith('${', end))
      end += source[end] === '\\' ? 2 : 1
    const text = advanceTo(Math.min(end, source.length))
    if (source[at] === '`') {
      at++
      // Only a template without substitutions has a content that can be known.
      push(isHead ? 'string' : 'template', isHead ? unescaped(text) : text, startLine)
    } else if (at < source.length) {
      at += 2
      push('template', text, startLine)
      templates.push(depth++)
      push('punctuation', '${')
    }
  }

  function slashBeginsRegexp(): boolean {
    const last = tokens.at(-1)
    if (last === undefined) return true
    if (last.kind === 'word') return beforeExpression.has(last.text) && tokens.at(-2)?.text !== '.'
    if (last.kind === 'punctuation') return last.text !== ')' && last.text !== ']' && last.text !== '}'
    return false
  }

  function regexpEnd(): number {
    let inClass = false
    for (let end = at + 1; end < source.length && source[end] !== '\n'; end++) {
      const character = source[end]
      if (character === '\\') end++
      else if (character === '[') inClass = true
      else if (character === ']') inClass = false
      else if (character === '/' && !inClass) {
        while (wordPart.test(source[end + 1] ?? '')) end++
        return end + 1
      }
    }
    return at + 1
  }

  if (source.startsWith('#!')) advanceTo(endOf('\n', 0))
  while (at < source.length) {
    const character = source[at]!
    const startLine = line
    if (/\s/.test(character)) {
      advanceTo(at + 1)
    } else if (source.startsWith('//', at)) {
      const comment = advanceTo(endOf('\n', at))
      const referred = /^\/\/\/\s*<reference\s+(?:path|types)\s*=\s*["']([^"']+)["']/.exec(comment)
      if (referred) push('reference', referred[1]!, startLine)
    } else if (source.startsWith('/*', at)) {
      advanceTo(Math.min(endOf('*/', at + 2) + 2, source.length))
    } else if (character === "'" || character === '"') {
      let end = at + 1
      while (end < source.length && source[end] !== character && source[end] !== '\n')
        end += source[end] === '\\' ? 2 : 1
      const text = advanceTo(Math.min(end + 1, source.length))
      push('string', unescaped(text.slice(1, -1)), startLine)
    } else if (character === '`') {
      at++
      templateText(startLine, true)
    } else if (character === '}' && templates.at(-1) === depth - 1) {
      depth = templates.pop()!
      at++
      push('punctuation', '}')
      templateText(line, false)
    } else if (character === '/' && slashBeginsRegexp()) {
      push('regexp', advanceTo(regexpEnd()), startLine)
    } else if (/[0-9]/.test(character)) {
      let end = at + 1
      while (/[0-9a-zA-Z_.]/.test(source[end] ?? '')) end++
      push('number', advanceTo(end))
    } else if (wordStart.test(character)) {
      let end = at + 1
      while (wordPart.test(source[end] ?? '')) end++
      push('word', advanceTo(end))
    } else {
      if (character === '{') depth++
      if (character === '}') depth--
      at++
      push('punctuation', character)
    }
  }
  return tokens
}

/** A specifier can be written with escapes (`'node:\x66s'`); what counts is what it means. */
const unescaped = (text: string): string =>
  text.includes('\\')
    ? text.replace(
        /\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|\r?\n|([\s\S]))/g,
        (_, x, braces, u, other) =>
          other !== undefined
            ? other
            : x || braces || u
              ? String.fromCodePoint(Number.parseInt(x ?? braces ?? u, 16))
              : '',
      )
    : text
