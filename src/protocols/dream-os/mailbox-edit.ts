/**
 * Changes a mailbox in its text, so that everything else stays as it is, and works out the parsed mailbox along with it. So a
 * process that finds its own bytes at the next change need not parse thousands of messages again.
 */
import { JsonEditor, type Place } from '../../formats/json-edit.ts'
import { decodeText } from './json-text.ts'
import { checkedLater, inSpecifiedOrder, type MailboxParts, type ReadMailbox } from './mailbox-format.ts'
import type { MailboxMessage, MailboxStatus } from './schema.ts'
import { isoOf } from './times.ts'

/** A message as it stands in a mailbox, with its own digits, on one line. Not for files with remarks. */
export function messageOnOneLine(mailbox: ReadMailbox, index: number): string {
  const json = mailbox.edit()
  const list = mailbox.isBare ? json.root : json.member(json.root, 'messages')!
  const text = json.textOf(json.items(list)[index]!)
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (found) => (found.startsWith('"') ? found : ''))
}

export interface Life {
  readonly status?: MailboxStatus
  readonly agent?: string | null
  readonly seenAt?: number
}

export class MailboxEditor {
  readonly #before: ReadMailbox
  readonly #json: JsonEditor
  readonly #added: MailboxMessage[] = []
  readonly #processed = new Set<string>()
  #packed: ReadonlySet<string> = new Set()
  #life: Life = {}
  /** After packing, the mailbox is parsed again: that is easier than working it out. */
  #isPacked = false

  constructor(mailbox: ReadMailbox) {
    this.#before = mailbox
    this.#json = mailbox.edit()
  }

  add(message: MailboxMessage): void {
    const ordered = inSpecifiedOrder(message)
    this.#json.push(this.#list(), ordered)
    this.#added.push(JSON.parse(JSON.stringify(ordered)))
  }

  /** What a mailbox says of its agent. A bare list has no place for it. */
  setLife(life: Life): void {
    if (this.#before.isBare) return
    const { root } = this.#json
    if (life.status !== undefined) this.#json.set(root, 'status', life.status)
    if (life.agent !== undefined) this.#json.set(root, 'assigned_agent_id', life.agent)
    if (life.seenAt !== undefined) this.#json.set(root, 'last_seen_utc', isoOf(life.seenAt))
    this.#life = { ...this.#life, ...life }
  }

  markProcessed(id: string): void {
    if (this.#before.isBare || this.#before.isProcessed(id) || this.#processed.has(id) || this.#packed.has(id)) return
    const list = this.#json.member(this.#json.root, 'processed_message_ids')
    if (list) this.#json.push(list, id)
    else this.#json.set(this.#json.root, 'processed_message_ids', [...this.#processed, id])
    this.#processed.add(id)
  }

  /** Removes messages by their position, and their ids from the list of processed ones. */
  pack(indexes: ReadonlySet<number>, ids: ReadonlySet<string>): void {
    this.#isPacked = true
    this.#packed = ids
    this.#json.removeItems(this.#list(), (index) => indexes.has(index))
    const list = this.#before.isBare ? undefined : this.#json.member(this.#json.root, 'processed_message_ids')
    const known = list ? (JSON.parse(this.#json.textOf(list)) as unknown[]) : []
    if (list) this.#json.removeItems(list, (index) => ids.has(String(known[index])))
  }

  /** The new bytes, and the mailbox that parsing them would give; `undefined` where they have to be parsed. */
  resultOver(original: Uint8Array): { readonly bytes: Uint8Array; readonly mailbox: ReadMailbox | undefined } {
    const bytes = this.#json.resultOver(original)
    const { problems, notes, values, agent, status, lastSeenAt, processed, isBare, compat } = this.#before
    // Where something was wrong, a change may have put it right.
    if (this.#isPacked || problems.length > 0 || notes.length > 0) return { bytes, mailbox: undefined }
    const life = { status, agent, seenAt: lastSeenAt, ...this.#life }
    const members = this.#json.membersAfter()
    const parts: MailboxParts = {
      outcome: 'mailbox',
      status: life.status,
      agent: life.agent ?? undefined,
      lastSeenAt: life.seenAt,
      processed: [...processed, ...this.#processed],
      problems,
      notes,
      isBare,
      compat,
      edit: () => new JsonEditor(decodeText(bytes), undefined, members),
    }
    return { bytes, mailbox: checkedLater(parts, [...values, ...this.#added]) }
  }

  #list(): Place {
    return this.#before.isBare ? this.#json.root : this.#json.member(this.#json.root, 'messages')!
  }
}
