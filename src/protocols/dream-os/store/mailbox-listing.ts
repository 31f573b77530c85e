/** The messages of all shared mailboxes, those in the archive too. Looks only. */
import { readJsonLines } from '../../../formats/json-lines.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import type { SettledView } from '../envelope.ts'
import { mailboxArchivePath, mailboxPath } from '../layout.ts'
import type { MailboxState } from '../lifecycle.ts'
import { readMessage } from '../mailbox-format.ts'
import { isObject, type MailboxMessage } from '../schema.ts'
import type { Dream } from './dream.ts'
import { type DreamParts, unlessCorrupt } from './parts.ts'
import { envelopeIn } from './view.ts'

/** `states`: only those in one of these. A mailbox that cannot be read is passed over; `inspect` reports it. */
export async function* mailboxViews(dream: Dream, states: readonly MailboxState[]): AsyncGenerator<SettledView> {
  const { parts, files } = dream
  for (const number of await files.numbers()) {
    const found: SettledView[] = []
    await unlessCorrupt(async () => {
      for await (const view of viewsOf(dream, number)) if (states.includes(view.state as MailboxState)) found.push(view)
    })
    yield* found
    if (!states.includes('packed')) continue
    const path = mailboxArchivePath(parts.places, number)
    for await (const value of packedIn(parts, number)) {
      const { message } = readMessage(value, parts.compat)
      if (message) yield viewOf(message, number, 'packed', path)
    }
  }
}

async function* viewsOf(dream: Dream, number: number): AsyncGenerator<SettledView> {
  const path = mailboxPath(dream.parts.places, number)
  const { mailbox, processed, now } = await dream.files.open(number)
  const given = await dream.files.memory.given(number)
  let failed: ReadonlySet<string> | undefined
  for (const { message } of mailbox.messages) {
    if (!message) continue
    const id = message.message_id
    const handed = given.get(id)
    if (processed.has(id)) {
      failed ??= await dream.logs.failed()
      const hasFailed = [handed?.agent, mailbox.agent].some((agent) => failed!.has(`${agent} ${id}`))
      yield { ...viewOf(message, number, 'processed', path), hasFailed }
    } else if (handed && handed.until > now) {
      const { agent: by, attempt, until } = handed
      yield { ...viewOf(message, number, 'given', path), claim: { by, attempt, until: isoTime(until) } }
    } else yield viewOf(message, number, 'waiting', path)
  }
}

const viewOf = (message: MailboxMessage, mailbox: number, state: MailboxState, path: TreePath): SettledView => ({
  ...envelopeIn(message, mailbox, state, path),
  protocol: 'dream',
  state,
  file: nameOf(path),
  message,
})

/** What was packed into the archive of a mailbox, as it stands there, the oldest first. */
export async function* packedIn({ tree, places }: DreamParts, number: number): AsyncGenerator<Record<string, unknown>> {
  const read = await readOrSayWhy(tree, mailboxArchivePath(places, number), { most: Number.POSITIVE_INFINITY })
  for (const line of read && !isUnread(read) ? readJsonLines(read.bytes) : [])
    if (line.kind === 'record' && isObject(line.value)) yield line.value
}
