/** A sentence as typed tokens: words, and what has a form of its own (paths, times, names of the session). Pure. */
import { nearest } from '../../../kernel/nearest.ts'
import { timeAt } from './times.ts'
import { type TranslatorContext, usualAgents } from './translation.ts'

type Piecewise = 'word' | 'mark' | 'quote'
type File = 'path' | 'context' | 'folder'
type Known = 'checkpoint' | 'task' | 'error' | 'key' | 'channel' | 'agent' | 'command'
type Figure = 'priority' | 'version' | 'percent' | 'time' | 'number'
/** `name`, `code` and `capitals` are known by their looks alone. */
export type Kind = Piecewise | File | Known | Figure | 'name' | 'code' | 'capitals'

export interface Token {
  readonly kind: Kind
  /** What the model sees: the word in lower case, or the kind in brackets. */
  readonly word: string
  readonly raw: string
  /** What it means: seconds, the known name, what stood between quotes. */
  readonly value: string
  readonly start: number
  readonly end: number
}

/** A word as it was written, before its kind is known. */
export interface Piece {
  readonly word: string
  readonly raw: string
  readonly kind: Piecewise
  readonly start: number
  readonly end: number
}

/** Names compare without case, and `_`, `-` and a blank are nothing. */
export const flat = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '')

export const channels = ['file_changes', 'deploy_status', 'test_results', 'priority_alert'] as const

const extension =
  /^[\w.-]+\.(?:ctx|[cm]?[jt]sx?|json|ya?ml|md|txt|py|rb|go|rs|java|kt|[ch]|cc|[ch]pp|cs|php|sh|sql|s?css|html?|xml|toml|ini|cfg|conf|lock|env|vue|svelte|swift|scala|log|csv|proto|tf|gradle|ipynb|lua|zip|tar|gz|bak|am|svg|png)$/i
const wellKnownFile = /^(?:makefile|dockerfile|readme|changelog|jenkinsfile|gemfile|procfile|\.env)$/i
const isPath = (raw: string): boolean =>
  (/[/\\]/.test(raw) && /[A-Za-z]/.test(raw) && raw.length > 2 && !/^(?:and\/or|w\/o?|s\/he|tl\/dr)$/i.test(raw)) ||
  extension.test(raw) ||
  wellKnownFile.test(raw)

const piecePattern =
  /"([^"]{1,2000})"|“([^”]{1,2000})”|`([^`]{1,2000})`|(?<=^|[\s(])'([^']{1,2000})'(?=$|[\s.,:;!?)])|[^\s"“”`]+|["“”`]/gu
const marksBehind = /(?:\.{2,}|->|→|=>|[,;:!?.)\]}>*…¿¡])$/u

/** Words, marks and quotations, in order. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  const put = (raw: string, start: number, kind: Piece['kind'] = 'word', end = start + raw.length) =>
    pieces.push({ word: raw.toLowerCase().replaceAll('’', "'"), raw, kind, start, end })
  for (const found of text.matchAll(piecePattern)) {
    const quoted = found[1] ?? found[2] ?? found[3] ?? found[4]
    if (quoted !== undefined) {
      put(quoted.trim(), found.index, 'quote', found.index + found[0].length)
      continue
    }
    const [before = ''] = /^[([{<*¿¡]+(?=.)/u.exec(found[0]) ?? []
    const start = found.index + before.length
    let word = found[0].slice(before.length)
    const behind: [string, number][] = []
    for (let mark = marksBehind.exec(word); mark && mark[0].length < word.length; mark = marksBehind.exec(word)) {
      behind.unshift([mark[0], start + mark.index])
      word = word.slice(0, mark.index)
    }
    const assigned = /^([A-Za-z_][\w-]*)(:?=)(\S+)$/.exec(word)
    const [, owner] = /^(.+)['’]s$/.exec(word) ?? []
    if (assigned && assigned[1] !== 'lock') {
      const [, key = '', sign = '', value = ''] = assigned
      put(key, start)
      put('=', start + key.length, 'mark')
      put(value, start + key.length + sign.length)
    } else if (/^(?:-+>?|→|=+>?|:=|–|—)$/u.test(word))
      put(/[=>→]/u.test(word) ? '=' : '-', start, 'mark', start + word.length)
    else if (!/[\p{L}\p{N}_#~/]/u.test(word)) put(word, start, 'mark')
    else if (owner !== undefined && spelledOut(word.toLowerCase().replaceAll('’', "'")).length === 1) {
      put(owner, start)
      put("'s", start + owner.length)
    } else put(word, start)
    for (const [mark, at] of behind) put(mark, at, 'mark')
  }
  return pieces
}

/** `don't`, `whats` and the like in full. */
function spelledOut(word: string): readonly string[] {
  const [, negated] =
    /^(ca|wo|do|does|did|should|would|could|is|are|was|were|has|have|had|must|need)n'?t$/.exec(word) ?? []
  if (negated !== undefined) return [negated === 'ca' ? 'can' : negated === 'wo' ? 'will' : negated, 'not']
  if (word === 'cannot') return ['can', 'not']
  if (/^let'?s$/.test(word)) return ['let', 'us']
  if (/^(?:what|where|who|how|that|there|it|here)'s$|^(?:what|where|how|that)s$/.test(word))
    return [word.replace(/'?s$/, ''), 'is']
  const [, head, tail] = /^(i|we|you|they|it|that|he|she)'(m|re|ve|ll|d)$/.exec(word) ?? []
  if (head !== undefined) return [head, { m: 'am', re: 'are', ve: 'have', ll: 'will', d: 'would' }[tail as 'm']]
  return (hasty.get(word) ?? word).split(' ')
}
const hasty = new Map(
  'im=i am,ive=i have,pls=please,plz=please,thx=thanks,u=you,gonna=going to,wanna=want to,gotta=got to,wat=what,msg=message'
    .split(',')
    .map((one) => one.split('=') as [string, string]),
)

/** The forms by which a single word is known, the first that fits. */
const forms: readonly (readonly [Kind, RegExp])[] = [
  ['checkpoint', /^cp[_-]?\d+$/i],
  ['task', /^task[_-](?:id[_-])?\d+$/i],
  ['error', /^e\d{3}$/i],
  ['priority', /^p[0-3]$/i],
  ['version', /^v?\d+\.\d+\.\d+(?:[-+][\w.]+)?$|^v\d+\.\d+$|^\d+\.\d+$/],
  ['percent', /^\d+(?:\.\d+)?%$/],
]
const laterForms: readonly (readonly [Kind, RegExp])[] = [
  ['number', /^\d+$/],
  ['name', /^[A-Za-z]\w*_[\w-]*$|^[a-z]+(?:[A-Z][a-z0-9]+)+$/],
  ['code', /^[A-Za-z]+[-_.]?\d[\w.-]*$|^#\d+$/],
  ['capitals', /^(?!(?:PR|OK|ASAP|FYI|API|UI|CI|URL|DM|TTL|ID|PM|AM|DB|IT)$)[A-Z][A-Z0-9]{1,5}s?$/],
]

/** What stands before "agent" without being the name of one. */
const noAgent =
  /^(?:an?|the|this|that|each|every|my|your|our|which|what|any|another|other|some|all|no|his|her|their|one|same|new|to|and|or|of|with|by|for|is)$/

export function tokensOf(text: string, around: TranslatorContext): Token[] {
  const pieces = piecesOf(text)
  const known = knownNames(around)
  const agents = agentsKnown(around)
  const heads = new Set(around.table.map(({ name }) => name.split(':')[0]))
  const tokens: Token[] = []
  for (let at = 0; at < pieces.length; ) {
    const { word, raw, kind, start } = pieces[at]!
    const put = (typed: Kind, value: string, count = 1, seen = `<${typed}>`) => {
      const end = pieces[at + count - 1]!.end
      tokens.push({ kind: typed, word: seen, raw: text.slice(start, end), value, start, end })
      at += count
    }
    if (kind === 'quote') {
      const isName = known.get(flat(raw))?.[0] === 'checkpoint'
      put(isName ? 'checkpoint' : isPath(raw) && !/\s/.test(raw) ? 'path' : 'quote', raw)
      continue
    }
    if (kind === 'mark') {
      put('mark', raw, 1, raw[0])
      continue
    }
    const named = longestName(pieces, at, known, around)
    const next = pieces[at + 1]
    const form = forms.find(([one, pattern]) => pattern.test(raw) && !(one === 'version' && timeAt(pieces, at)))?.[0]
    if (form)
      put(form, form === 'checkpoint' ? word : form === 'task' ? raw : raw.replace(/^v(?=\d)/, '').toUpperCase())
    else if (/^\d+(?:\.\d+)?$/.test(raw) && next?.word === 'percent') put('percent', `${raw} percent`, 2)
    else if (named) put(named.kind, named.value, named.count)
    else if (next?.word === 'agent' && /^[a-z]{2,}$/i.test(raw) && !noAgent.test(word))
      put('agent', agentCalled(agents, `${raw}Agent`) ?? `${capital(word)}Agent`, 2)
    else if (agentCalled(agents, raw) !== undefined) put('agent', agentCalled(agents, raw)!)
    else if (/^[a-z]{2,}agent$/i.test(raw))
      put('agent', /[A-Z].*[a-z]/.test(raw) ? raw : `${capital(word.slice(0, -5))}Agent`)
    // Perhaps a name that was mistyped: it stays as it is written, and is asked about.
    else if (/^[A-Z][a-z]+(?:[A-Z][a-z]+)+$/.test(raw) && nearest(raw, agents, 2) !== undefined) put('agent', raw)
    else if (roleOf(pieces, at, agents) !== undefined) put('agent', roleOf(pieces, at, agents)!)
    else {
      const time = timeAt(pieces, at)
      const late = laterForms.find(
        ([, pattern]) => pattern.test(raw) && (text !== text.toUpperCase() || /\d/.test(raw)),
      )
      if (time) put('time', String(time.seconds), time.length)
      else if (isPath(raw)) put(/\.ctx$/i.test(raw) ? 'context' : /[/\\]$/.test(raw) ? 'folder' : 'path', raw)
      else if (heads.has(/^#?([A-Z]{2,})(?::[\w-]+)*$/.exec(raw)?.[1] ?? '')) put('command', raw.replace(/^#/, ''))
      else if (late) put(late[0], raw)
      else {
        const { end } = pieces[at++]!
        for (const one of spelledOut(word)) tokens.push({ kind: 'word', word: one, raw, value: raw, start, end })
      }
    }
  }
  return tokens
}

export const agentsKnown = ({ agents }: Pick<TranslatorContext, 'agents'>): readonly string[] => {
  const known = new Set(agents.map(flat))
  return [...agents, ...usualAgents.filter((one) => !known.has(flat(one)))]
}

/** Finds an agent in any case and with any dashes. Of names that differ only in that, the one that is written exactly so. */
function agentCalled(agents: readonly string[], said: string): string | undefined {
  const found = agents.filter((one) => flat(one) === flat(said))
  return found.find((one) => one === said) ?? (found.length === 1 ? found[0] : undefined)
}

/** "the tester", where there is a TestAgent. */
function roleOf(pieces: readonly Piece[], at: number, agents: readonly string[]): string | undefined {
  const [, role] = /^(dev|test)(?:eloper|er)$/.exec(pieces[at]!.word) ?? []
  const isOne = role !== undefined && /^(?:the|our)$/.test(pieces[at - 1]?.word ?? '')
  return isOne ? agentCalled(agents, `${role}Agent`) : undefined
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

type Names = ReadonlyMap<string, readonly [kind: Kind, value: string]>

const knownNames = ({ agents, checkpoints, keys, tasks }: TranslatorContext): Names =>
  new Map<string, readonly [Kind, string]>([
    ...agents
      .filter((one) => agentCalled(agents, flat(one)) === one)
      .map((one) => [flat(one), ['agent', one]] as const),
    ...tasks.flatMap(({ id, task }) => [id, task].map((one) => [flat(one), ['task', one]] as const)),
    ...channels.map((one) => [flat(one), ['channel', one]] as const),
    ...keys.map((one) => [flat(one), ['key', one]] as const),
    ...checkpoints.flatMap(({ id, name }) => [id, name].map((one) => [flat(one), ['checkpoint', one]] as const)),
  ])

const mostWordsOfName = 4

/** The longest name of the session that begins here. A key that is a plain word counts only as it is written. */
function longestName(pieces: readonly Piece[], at: number, known: Names, { keys }: TranslatorContext) {
  for (let count = Math.min(mostWordsOfName, pieces.length - at); count > 0; count--) {
    const part = pieces.slice(at, at + count)
    if (part.some(({ kind }) => kind !== 'word')) continue
    const found = known.get(flat(part.map(({ raw }) => raw).join('')))
    if (!found || (found[0] === 'key' && count === 1 && !/[_A-Z\d]/.test(part[0]!.raw) && !keys.includes(part[0]!.raw)))
      continue
    return { kind: found[0], value: found[1], count }
  }
  return undefined
}
