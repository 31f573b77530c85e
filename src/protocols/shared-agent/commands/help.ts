/** `#HELP` in all its forms, made from the table. Shared Agent Protocol §3 and §11. Pure. */
import { nearest } from '../../../kernel/nearest.ts'
import { quotedWord, Refusal } from '../refusal.ts'
import type { Modifier } from '../schema.ts'
import { type Category, type CommandSpec, categories, usageOf, wordsOf } from './spec.ts'

/** What a newcomer needs first, with the words of the specification's own example. */
const first: readonly (readonly [name: string, says: string])[] = [
  ['ASK', 'load context'],
  ['STATE:save', 'persist'],
  ['HELP', 'category help'],
  ['VERSION', 'check version'],
  ['DELEGATE', 'give task'],
  ['REPORT', 'tell results'],
  ['LOCK', 'acquire lock'],
  ['CHECKPOINT:create', 'keep files'],
]

const footer = '[Use #HELP:all for complete list]'
const mostOfCategory = 6

export function helpLines(topic: string | undefined, modifier: Modifier | undefined, table: readonly CommandSpec[]) {
  if (topic === undefined) return overview(modifier, table)
  if (topic === 'all') return table.map((spec) => bullet(spec))
  if (/^#?[A-Z]/.test(topic)) return explain(topic, table)
  if ((categories as readonly string[]).includes(topic)) return ofCategory(topic as Category, modifier, table)
  const meant = nearest(topic, categories)
  const reason = `Categories: ${categories.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`
  throw new Refusal('E002', `unknown_category_${quotedWord(topic)}`, reason, 6)
}

/** §5: a list has 4 items, half or twice as many with a modifier; never more than the 10 of §3. */
function overview(modifier: Modifier | undefined, table: readonly CommandSpec[]): string[] {
  const count = modifier === 'brief' ? 2 : modifier === 'detailed' ? 8 : 4
  const shown = first.slice(0, count).flatMap(([name, says]) => {
    const spec = table.find((one) => one.name === name)
    // The specification's own example writes this one with its parameter, which is optional.
    const usage = name === 'HELP' ? '#HELP:<category>' : spec && usageOf(spec, 'short')
    return usage ? [`• ${usage} - ${says}`] : []
  })
  return [...shown, footer]
}

const bullet = (spec: CommandSpec, usage = usageOf(spec, 'short')): string =>
  `• ${usage} - ${spec.brief}${spec.deprecated ? ' [DEPRECATED]' : ''}`

function ofCategory(category: Category, modifier: Modifier | undefined, table: readonly CommandSpec[]): string[] {
  const all = table.filter((spec) => spec.category === category)
  const most = modifier === 'brief' ? mostOfCategory / 2 : modifier === 'detailed' ? all.length : mostOfCategory
  // In a category of one command the command's own name is left out, as §11 shows for `state`.
  const isOneCommand = new Set(all.map((spec) => wordsOf(spec)[0])).size === 1 && all.length > 1
  const shown = all.slice(0, most).map((spec) => {
    const usage = usageOf(spec, 'short')
    return bullet(spec, isOneCommand ? usage.slice(wordsOf(spec)[0].length + 2) : usage)
  })
  const left = all.length - shown.length
  return left > 0 ? [...shown, `[+${left} more: #HELP:${category}:detailed]`] : shown
}

/** `STATE:save`, `#STATE:save:k:v` or `STATE`, which stands for all its forms. */
function explain(topic: string, table: readonly CommandSpec[]): string[] {
  const words = topic.replace(/^#/, '').split(':')
  const found =
    table.find((spec) => words.length > 1 && spec.name === `${words[0]}:${words[1]}`) ??
    table.find((spec) => spec.name === words[0])
  if (found) return explained(found)
  const forms = table.filter((spec) => wordsOf(spec)[0] === words[0])
  if (forms.length > 0) return forms.map((spec) => bullet(spec))
  const [head = ''] = words
  throw new Refusal('E001', `unknown_command_${quotedWord(head)}`, `There is no command #${head.slice(0, 40)}.`, 6)
}

const explained = (spec: CommandSpec): string[] => [
  `Usage: ${usageOf(spec)}`,
  spec.help,
  `Ex: ${spec.example}`,
  ...(spec.deprecated ? [`[DEPRECATED] Use ${spec.deprecated.replacement}`] : []),
]
