/** Which files of `context/` belong together, what their folder is called, and the README that says so. AC-MQ §15. Pure. */
import { inlineCode } from '../../../kernel/quotation.ts'
import { isWeak, namesFor } from '../../../text/group-names.ts'
import { groupTexts } from '../../../text/grouping.ts'
import { keyTerms } from '../../../text/labels.ts'
import { keySentences, sentencesIn } from '../../../text/sentences.ts'
import { termsOf } from '../../../text/words.ts'
import { generatedMark, withCheck } from './generated.ts'
import { plainText } from './plain-text.ts'
import { listed, listedAtMost } from './report-words.ts'

export interface ContextFile {
  readonly name: string
  readonly text: string
  /** The cluster that the file is in; `undefined` when it is in none. */
  readonly cluster?: string
}

export interface Cluster {
  readonly name: string
  readonly joining: readonly string[]
}

const leastFiles = 3

/** `taken`: folders that are no clusters of ours. `vectorOf`: what a file means, where that is known. */
export function clustersOf(
  files: readonly ContextFile[],
  taken: ReadonlySet<string>,
  vectorOf: (file: ContextFile) => Float32Array | undefined = () => undefined,
): Cluster[] {
  const byKey = new Map(files.map((file) => [keyOf(file), file]))
  const groups = groupTexts(
    files.map((file) => ({ key: keyOf(file), text: comparedText(file), vector: vectorOf(file) })),
  )
  const names = new Set([...taken, ...files.flatMap(({ cluster }) => cluster ?? [])].map((name) => name.toLowerCase()))
  const clusters: Cluster[] = []
  for (const keys of groups) {
    const members = keys.map((key) => byKey.get(key)!)
    const joining = members.filter(({ cluster }) => cluster === undefined).map(({ name }) => name)
    const known = [...new Set(members.flatMap(({ cluster }) => cluster ?? []))]
    // Files that are like two clusters stay where they are: they would merge both.
    if (joining.length === 0 || known.length > 1) continue
    if (known.length === 1) clusters.push({ name: known[0]!, joining })
    else if (members.length >= leastFiles) {
      const others = files.filter((file) => !members.includes(file))
      const name = freeName(members.map(comparedText), others.map(comparedText), names)
      names.add(name)
      clusters.push({ name, joining })
    }
  }
  return clusters
}

const keyOf = ({ name, cluster }: ContextFile): string => `${cluster ?? ''}/${name}`

/** The name of a file says what it is about, too. */
export const comparedText = ({ name, text }: ContextFile): string =>
  `${name.replace(/\.[^.]*$/, '').replaceAll(/[-_.]/g, ' ')}\n${text}`

function freeName(inside: readonly string[], outside: readonly string[], taken: ReadonlySet<string>): string {
  const names = namesFor(inside, outside).flatMap((name) => slugOf(name) ?? [])
  const [first = 'documents'] = names
  const free = names.find((name) => !taken.has(name) && name !== 'readme.md')
  if (free !== undefined) return free
  for (let n = 2; ; n++) if (!taken.has(`${first}-${n}`)) return `${first}-${n}`
}

function slugOf(name: string): string | undefined {
  const words = name
    .toLowerCase()
    .normalize('NFKD')
    .match(/[\p{L}\p{N}]+/gu)
  return words?.join('-').slice(0, 60)
}

export function printReadme(
  mission: string,
  cluster: string,
  files: readonly ContextFile[],
  others: readonly ContextFile[],
): string {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const terms = keyTerms(sorted.map(comparedText), others.map(comparedText), mostTerms).filter((term) => !isWeak(term))
  const lines = sorted.map((file) => `- [${plainText(file.name)}](<${linkOf(file.name)}>): ${summaryOf(file)}`)
  const relations = relationsOf(sorted, terms)
  const body = `# ${plainText(cluster.replaceAll('-', ' '))}

${generatedMark}

${sorted.length === 1 ? 'One document' : `${sorted.length} documents`} that \`acmq organize\` brought together. To put ${sorted.length === 1 ? 'it' : 'them'} back: \`acmq organize ${plainText(mission)} --undo\`.

## Documents

${lines.join('\n')}
${relations.length === 0 ? '' : `\n## How they relate\n\n${relations.join('\n')}\n`}`
  return withCheck(body)
}

function summaryOf({ name, text }: ContextFile): string {
  const kind = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const [first = ''] = lines
  if (first === '') return 'nothing in it'
  if (kind === 'csv' || kind === 'tsv')
    return `a table of ${lines.length === 2 ? 'one row' : `${lines.length - 1} rows`} with the columns “${plainText(first, 160)}”`
  const keys = kind === 'json' ? keysOf(text) : undefined
  if (keys !== undefined) return keys
  const declared = codeKinds.has(kind) ? declaredIn(text) : []
  if (declared.length > 0) return `code that declares ${declared.map((one) => inlineCode(one)).join(', ')}`
  if (dataKinds.has(kind) || codeKinds.has(kind))
    return `${lines.length === 1 ? 'one line' : `${lines.length} lines`}, beginning with “${plainText(first, 120)}”`
  const sentences = sentencesIn(text)
  const [key] = keySentences([sentences], 1)
  return `“${plainText(key?.text ?? sentences[0] ?? /^#\s+(.+)$/m.exec(text)?.[1] ?? first, 200)}”`
}

const dataKinds = new Set(['json', 'yaml', 'yml', 'toml', 'ini', 'xml', 'jsonl', 'log'])
const codeKinds = new Set(
  'ts tsx js mjs cjs jsx py rb go rs java kt c h cpp hpp cs php swift scala sh bash sql lua pl r'.split(' '),
)

/** The members of a JSON object or list; `undefined` for other text, or when it is longer than what was read. */
function keysOf(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // A SyntaxError.
  }
  if (Array.isArray(value)) return `a JSON list of ${value.length}`
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Object.keys(value)
  const named = keys.slice(0, 8).map((key) => plainText(key, 40))
  return `JSON with ${named.join(', ')}${keys.length > 8 ? ` and ${keys.length - 8} more` : ''}`
}

const declaring =
  /^\s*(?:export\s+|public\s+|pub\s+|async\s+|default\s+)*(?:function|class|def|fn|func|interface|struct|enum|type|const|create\s+(?:table|index|view))\s+(?:if\s+not\s+exists\s+)?([A-Za-z_]\w{0,60})/gim

const declaredIn = (text: string): string[] =>
  [...new Set([...text.matchAll(declaring)].map(([, name]) => name!))].slice(0, 6)

const mostTerms = 8

/** Which file names which, and which words several files share: each word once, the words of most files first. */
function relationsOf(files: readonly ContextFile[], terms: readonly string[]): string[] {
  const naming = files.flatMap((a) =>
    files
      .filter((b) => a !== b && a.text.includes(b.name))
      .map((b) => `- ${inlineCode(a.name)} names ${inlineCode(b.name)}.`),
  )
  const said = files.map((file) => new Set(termsOf(comparedText(file))))
  const byFiles = new Map<string, { readonly names: readonly string[]; readonly words: string[] }>()
  for (const term of terms) {
    const stems = termsOf(term)
    const names = files.filter((_, i) => stems.every((stem) => said[i]!.has(stem))).map(({ name }) => inlineCode(name))
    if (names.length < 2) continue
    const known = byFiles.get(names.join()) ?? { names, words: [] }
    byFiles.set(names.join(), known)
    known.words.push(plainText(term))
  }
  const sharing = [...byFiles.values()]
    .sort((a, b) => b.names.length - a.names.length)
    .map(({ names, words }) => {
      const who = names.length === files.length && names.length > 2 ? `All ${names.length}` : listedAtMost(names, 6)
      return `- ${who} speak of ${listed(words)}.`
    })
  return [...naming, ...sharing].slice(0, mostRelations)
}

const mostRelations = 20

const linkOf = (name: string): string => name.replace(/[<>\\%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
