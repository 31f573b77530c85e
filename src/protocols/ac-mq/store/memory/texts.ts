/** Every message of a mission with its text, archived ones too, for comparing and summarising. */
import { compareTexts } from '../../../../kernel/order.ts'
import { unlessUnreadable } from '../../../../messaging/leaves/tolerant.ts'
import type { TimedEntry } from '../../../../tree/tree.ts'
import { type ArchivedEntry, eachArchived } from '../../archive/archive.ts'
import { archivePath, isMessageName } from '../../layout.ts'
import { comparedText } from '../../memory/message-parts.ts'
import { type QueueName, queueNames } from '../../schema.ts'
import { archivedCopy, readCopy } from '../copies.ts'
import { bodyElsewhere } from '../large-bodies.ts'
import type { MissionFiles } from '../parts.ts'
import type { AcmqView } from '../view.ts'

export interface MessageText {
  readonly message: AcmqView
  /** The text below the header, with results and reports; where the body is a file of its own, the text of that file. */
  readonly body: string
  /** `completed`, `failed` …; of an archived one what it was when it was archived. */
  readonly status: string
  /** When it was last written or moved, by the tree's time; of an archived one when it was finished. */
  readonly changedAt: number
}

/** Of a body that lies in a file of its own no more is read than is compared. */
const mostElsewhere = 64 * 1024

/** The files in the queues, listed once for everything that one pass of supervision does. */
export type QueueListing = Readonly<Record<QueueName, readonly TimedEntry[]>>

export async function listQueues({ tree, queues }: MissionFiles): Promise<QueueListing> {
  const listed: Partial<Record<QueueName, readonly TimedEntry[]>> = {}
  for (const queue of queueNames) {
    const entries = await tree.list(queues[queue], { times: true })
    listed[queue] = entries.filter(({ name, kind }) => kind === 'leaf' && isMessageName(name))
  }
  return listed as QueueListing
}

/** In no particular order. What cannot be read is left out: `list` and `doctor` report it. */
export async function* eachText(
  files: MissionFiles,
  {
    queues = queueNames,
    archived = true,
  }: { readonly queues?: readonly QueueName[]; readonly archived?: boolean } = {},
): AsyncGenerator<MessageText> {
  for (const queue of queues) {
    for (const { name, kind } of await files.tree.list(files.queues[queue])) {
      const text = kind === 'leaf' && isMessageName(name) ? await queuedText(files, queue, name) : undefined
      if (text) yield text
    }
  }
  if (!archived) return
  for await (const entry of eachArchived(files.tree, archivePath(files.place), files.settings)) {
    const text = await archivedText(files, entry)
    if (text) yield text
  }
}

/** `undefined` for what is not there, or cannot be read. `most`: of a body that lies elsewhere, in bytes. */
export const queuedText = (
  files: MissionFiles,
  queue: QueueName,
  name: string,
  most?: number,
): Promise<MessageText | undefined> => unlessUnreadable(textAt(files, queue, name, most))

async function textAt(files: MissionFiles, queue: QueueName, name: string, most: number | undefined) {
  const path = files.at(queue, name)
  const leaf = await files.readWhole(path)
  if (!leaf) return undefined
  const { body: own, ...message } = readCopy(files, { state: queue, name, path, ...leaf })
  return { message, status: queue, body: await wholeBody(files, message, own, most), changedAt: leaf.changedAt }
}

export const archivedText = (
  files: MissionFiles,
  entry: ArchivedEntry,
  most?: number,
): Promise<MessageText | undefined> => unlessUnreadable(textInPack(files, entry, most))

async function textInPack(files: MissionFiles, entry: ArchivedEntry, most: number | undefined): Promise<MessageText> {
  const { body: own, ...view } = readCopy(files, await archivedCopy(files, entry))
  const message = { ...view, name: entry.name }
  return { message, status: entry.status, body: await wholeBody(files, view, own, most), changedAt: entry.finishedAt }
}

/** One message with its whole text, wherever it is now: in the queue it was in, in another one, or in the archive. */
export async function readOneText(
  files: MissionFiles,
  id: string,
  name: string,
  at: QueueName | ArchivedEntry,
): Promise<MessageText | undefined> {
  const most = files.settings.largestMessage
  if (typeof at !== 'string') return archivedText(files, at, most)
  for (const queue of [at, ...queueNames.filter((one) => one !== at)]) {
    const text = await queuedText(files, queue, name, most)
    if (text?.message.id === id) return text
  }
  return undefined
}

/** A result that was written into the message comes after the body that lies elsewhere. */
async function wholeBody(files: MissionFiles, view: AcmqView, own: string, most = mostElsewhere): Promise<string> {
  const elsewhere = bodyElsewhere(view)
  if (elsewhere === undefined) return own
  const leaf = await unlessUnreadable(files.tree.read(files.inside(elsewhere), { atMost: most }))
  if (!leaf) return own
  const rest =
    leaf.size > most ? `\n\n(These are its first ${most} of ${leaf.size} bytes; all of it is in ${elsewhere}.)` : ''
  return `${Buffer.from(leaf.bytes).toString('utf8')}${rest}\n\n${own}`
}

/** The oldest first. */
export const byTime = (a: Pick<AcmqView, 'createdAt' | 'id'>, b: Pick<AcmqView, 'createdAt' | 'id'>): number =>
  compareTexts(a.createdAt, b.createdAt) || compareTexts(a.id, b.id)

/** What is compared of a message; worked out once. */
export function textToCompare(text: MessageText): string {
  const known = compared.get(text)
  if (known !== undefined) return known
  const made = comparedText(text.message.summary, text.body)
  compared.set(text, made)
  return made
}

const compared = new WeakMap<MessageText, string>()
