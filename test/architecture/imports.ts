/** Finds everything a TypeScript file loads or names of other modules, however it is written. */
import { type Token, tokenize } from './tokens.ts'

export interface Import {
  readonly line: number
  /** What is imported, or `undefined` when it is computed and cannot be known by reading. */
  readonly specifier: string | undefined
  readonly kind: 'static' | 'type' | 'side-effect' | 'dynamic' | 'export' | 'require' | 'url' | 'reference'
}

export function findImports(source: string): Import[] {
  const tokens = tokenize(source)
  const found: Import[] = []
  const loaders = namesOfLoaders(tokens)

  tokens.forEach((token, at) => {
    const add = (kind: Import['kind'], specifier: string | undefined): void => {
      found.push({ line: token.line, kind, specifier })
    }
    if (token.kind === 'reference') add('reference', token.text)
    if (token.kind !== 'word') return
    const isMember = tokens[at - 1]?.text === '.' && tokens[at - 1]?.kind === 'punctuation'
    const next = tokens[at + 1]

    if (token.text === 'import' && !isMember) {
      if (next?.kind === 'string') add('side-effect', next.text)
      else if (isSign(next, '(')) {
        if (!isMethod(tokens, at)) add('dynamic', onlyString(tokens, at + 1))
      } else {
        const clause = fromClause(tokens, at + 1)
        if (clause !== undefined)
          add(next?.text === 'type' && tokens[at + 2]?.text !== 'from' ? 'type' : 'static', clause)
      }
    } else if (token.text === 'export' && !isMember) {
      const start = next?.text === 'type' ? at + 2 : at + 1
      if (isSign(tokens[start], '{') || isSign(tokens[start], '*')) {
        const clause = fromClause(tokens, start)
        if (clause !== undefined) add(next?.text === 'type' ? 'type' : 'export', clause)
      }
    } else if (loaders.has(token.text)) {
      // `require(…)`, `require.resolve(…)`, `module.require(…)`, and whatever `createRequire` was called.
      const call = isSign(next, '.') && tokens[at + 2]?.text === 'resolve' ? at + 3 : at + 1
      if (isSign(tokens[call], '(') && !isMethod(tokens, call - 1)) add('require', onlyString(tokens, call))
    } else if (token.text === 'createRequire' && isSign(next, '(')) {
      const call = closing(tokens, at + 1) + 1
      if (isSign(tokens[call], '(')) add('require', onlyString(tokens, call))
    } else if (token.text === 'getBuiltinModule' && isSign(next, '(')) {
      add('require', onlyString(tokens, at + 1))
    } else if (token.text === 'URL' && tokens[at - 1]?.text === 'new' && isSign(next, '(')) {
      // A worker's program is named this way: new Worker(new URL('./worker.ts', import.meta.url)).
      const [specifier, comma, ...base] = tokens.slice(at + 2, at + 9)
      const isOwn =
        base
          .slice(0, 5)
          .map(({ text }) => text)
          .join('') === 'import.meta.url'
      if (specifier?.kind === 'string' && isSign(comma, ',') && isOwn && /\.[cm]?[jt]sx?$/.test(specifier.text)) {
        add('url', specifier.text)
      }
    }
  })
  return found
}

const isSign = (token: Token | undefined, text: string): boolean => token?.kind === 'punctuation' && token.text === text

/** `require` itself and every name that `createRequire(…)` was given to. */
function namesOfLoaders(tokens: readonly Token[]): Set<string> {
  const names = new Set(['require'])
  tokens.forEach((token, at) => {
    if (token.text !== 'createRequire' || !isSign(tokens[at + 1], '(')) return
    const isWhole = !isSign(tokens[closing(tokens, at + 1) + 1], '(')
    // const load = createRequire(…), also behind a namespace: const load = module.createRequire(…)
    const before = isSign(tokens[at - 1], '.') ? at - 3 : at - 1
    const name = tokens[before - 1]
    if (isWhole && isSign(tokens[before], '=') && name?.kind === 'word') names.add(name.text)
  })
  return names
}

/** The text of a call's first argument when it is nothing but a string, or a constant that is one. */
function onlyString(tokens: readonly Token[], open: number): string | undefined {
  const [argument, after] = tokens.slice(open + 1, open + 3)
  if (!isSign(after, ')') && !isSign(after, ',')) return undefined
  if (argument?.kind === 'string') return argument.text
  return argument?.kind === 'word' ? constantString(tokens, argument.text) : undefined
}

/** The value of `const name = 'text'`, when the file has exactly one constant of that name. */
function constantString(tokens: readonly Token[], name: string): string | undefined {
  const declared = tokens.flatMap((token, at) => (token.text === name && tokens[at - 1]?.text === 'const' ? [at] : []))
  const [at, another] = declared
  if (at === undefined || another !== undefined || !isSign(tokens[at + 1], '=')) return undefined
  const [value, after] = tokens.slice(at + 2, at + 4)
  // On the next line a new statement begins; on the same one the string may be only part of an expression.
  return value?.kind === 'string' && (after === undefined || after.line > value.line || isSign(after, ';'))
    ? value.text
    : undefined
}

/** `import(path) { … }` and `require(): T` in a class, object or interface are names, not calls. */
function isMethod(tokens: readonly Token[], name: number): boolean {
  const before = tokens[name - 1]
  const after = tokens[closing(tokens, name + 1) + 1]
  if (before?.text === 'function') return true
  const startsMember = before === undefined || [...'{,;}'].includes(before.text) || before.text === 'async'
  return startsMember && (isSign(after, '{') || isSign(after, ':'))
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) depth++
    if (isSign(tokens[at], ')') && --depth === 0) return at
  }
  return tokens.length
}

/** Reads `{ a as b }, * as c from 'x'` up to the string; `undefined` when it turns out to be something else. */
function fromClause(tokens: readonly Token[], start: number): string | undefined {
  let braces = 0
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'string' && braces === 0) return tokens[at - 1]?.text === 'from' ? token.text : undefined
    if (isSign(token, '{')) braces++
    else if (isSign(token, '}')) braces--
    else if (token.kind !== 'word' && token.kind !== 'string' && !isSign(token, ',') && !isSign(token, '*'))
      return undefined
  }
  return undefined
}
