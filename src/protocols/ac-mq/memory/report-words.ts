/** How reports say things: links, lists of names, and how many of each. Pure. */
import { plainText } from './plain-text.ts'

/** A link from a file in `folder` to `path`, both from the root of the tree. */
export const linkTo = (folder: string, text: string, path: string): string =>
  `[${plainText(text, 120)}](<${relative(folder, path).replace(/[<>\\%]/g, encodeURIComponent)}>)`

function relative(folder: string, path: string): string {
  const from = folder === '' ? [] : folder.split('/')
  const to = path.split('/')
  let same = 0
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same++
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/')
}

/** `a, b and c` */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** `a, b, c and 4 more` */
export const listedAtMost = (words: readonly string[], most: number): string =>
  words.length <= most ? listed(words) : `${words.slice(0, most).join(', ')} and ${words.length - most} more`

const words: Readonly<Record<string, readonly [one: string, many: string]>> = {
  completed: ['is completed', 'are completed'],
  failed: ['failed', 'failed'],
  processing: ['is being worked on', 'are being worked on'],
  pending: ['waits', 'wait'],
}

/** `Of 5 messages 3 are completed, 1 failed and 1 waits.` */
export function standingOf(messages: readonly { readonly status: string }[]): string {
  if (messages.length === 0) return 'Nothing has been asked for yet.'
  const parts = Object.entries(words).flatMap(([status, [one, many]]) => {
    const count = messages.filter((message) => message.status === status).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  if (messages.length === 1) return `There is one message; it ${parts[0]?.slice(2) ?? 'is in no queue'}.`
  return `Of ${messages.length} messages ${listed(parts)}.`
}
