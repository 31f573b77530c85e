/** How reports say things: links, lists of names, and how many of each. Pure. */
import { inlineCode } from '../../../kernel/quotation.ts'
import { shortOf } from '../../../kernel/short-id.ts'
import { plainText } from './plain-text.ts'

/** A link from a file in `folder` to `path`, both from the root of the tree. */
export const linkTo = (folder: string, text: string, path: string, longest = 120): string =>
  `[${plainText(text, longest)}](<${relative(folder, path).replace(/[<>\\%]/g, encodeURIComponent)}>)`

function relative(folder: string, path: string): string {
  const from = folder === '' ? [] : folder.split('/')
  const to = path.split('/')
  let same = 0
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same++
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/')
}

interface Named {
  readonly id: string
  readonly mission?: string
}

/** How a message is named: by what `acmq show` takes. A path would be wrong once the message moves on. */
export function sourceIn({ mission, messages }: { readonly mission?: string; readonly messages: readonly Named[] }) {
  const meant = new Map<string, number>()
  const keyOf = ({ mission: place, id }: Named) => `${place}\n${shortOf(id)}`
  for (const message of messages) meant.set(keyOf(message), (meant.get(keyOf(message)) ?? 0) + 1)
  return (message: Named): string => {
    const isShort = uuid.test(message.id) && meant.get(keyOf(message)) === 1
    const id = inlineCode(isShort ? shortOf(message.id) : message.id)
    return message.mission === mission ? id : `${id} of ${plainText(message.mission ?? '', 200)}`
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `a, b and c` */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** `a, b, c and 4 more` */
export const listedAtMost = (words: readonly string[], most: number): string =>
  words.length <= most ? listed(words) : `${words.slice(0, most).join(', ')} and ${words.length - most} more`

type Counted = { readonly status: string }
type BlockedOnes = { has(message: never): boolean }

const words: Readonly<Record<string, readonly [one: string, many: string, short: string]>> = {
  completed: ['is completed', 'are completed', 'done'],
  failed: ['failed', 'failed', 'failed'],
  processing: ['is being worked on', 'are being worked on', 'in work'],
  pending: ['waits', 'wait', 'waiting'],
  blocked: ['is blocked for good', 'are blocked for good', 'blocked for good'],
}

function counted(messages: readonly Counted[], blocked: BlockedOnes) {
  const counts = new Map<string, number>()
  for (const message of messages) {
    const state = blocked.has(message as never) ? 'blocked' : message.status
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  return Object.entries(words).flatMap(([state, names]) => {
    const count = counts.get(state)
    return count === undefined ? [] : [{ count, names }]
  })
}

/** `Of 5 messages 3 are completed, 1 failed and 1 waits.` */
export function standingOf(messages: readonly Counted[], blocked: BlockedOnes): string {
  if (messages.length === 0) return 'Nothing has been asked for yet.'
  const states = counted(messages, blocked)
  if (messages.length === 1) return `There is one message; it ${states[0]?.names[0] ?? 'is in no queue'}.`
  const [only] = states
  if (states.length === 1 && only?.count === messages.length)
    return `${messages.length === 2 ? 'Both' : `All ${messages.length}`} messages ${only.names[1]}.`
  return `Of ${messages.length} messages ${listed(states.map(({ count, names: [one, many] }) => `${count} ${count === 1 ? one : many}`))}.`
}

/** `1 failed and 2 waiting` */
export const countsOf = (messages: readonly Counted[], blocked: BlockedOnes): string =>
  listed(counted(messages, blocked).map(({ count, names: [, , short] }) => `${count} ${short}`))

/** `planner asked for it, and codex and qa worked on it` */
export function whoIn(
  messages: readonly { readonly from: string; readonly to: string; readonly status: string }[],
): string {
  // A message to all has no recipient until an agent claims it.
  const taken = messages.filter(({ to, status }) => status !== 'pending' && to !== 'all')
  const workers = new Set(taken.map(({ to }) => to))
  const askers = new Set(messages.map(({ from }) => from).filter((name) => !workers.has(name)))
  const parts = [
    askers.size === 0 ? '' : `${namesOf(askers)} asked for it`,
    workers.size === 0 ? '' : `${namesOf(workers)} worked on it`,
  ]
  return parts.filter((part) => part !== '').join(', and ')
}

function namesOf(names: ReadonlySet<string>): string {
  const sorted = [...names].sort().map((name) => plainText(name))
  return listedAtMost(sorted, 6)
}
