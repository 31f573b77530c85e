/**
 * Moves a file that is no message for its inbox to `rejected/`, with the reasons in `error.log`. The other messages are handed out.
 * Spec: Message Routing, "Message Validation".
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import { jsonIn, largestRead } from '../format.ts'
import { type AgentId, stemOf } from '../layout.ts'
import type { InboxMessage, Invalid } from './inbox.ts'
import { discarded, logError } from './logs.ts'
import { setMessageAside } from './moving.ts'
import type { MrView, Rejected } from './outcomes.ts'
import { messageNames, pathIn, type StoreParts } from './parts.ts'
import { pruneNowAndThen } from './pruning.ts'
import { leafAt, messageIn } from './reading.ts'

export class Rejecting {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /** A failure becomes a notice if there are messages to hand out. */
  async rejectAll(
    agent: AgentId,
    invalid: readonly Invalid[],
    { views, notices }: { readonly views: readonly MrView[]; readonly notices: string[] },
    compat: boolean,
  ): Promise<Rejected[]> {
    const rejected: Rejected[] = []
    for (const one of invalid) {
      try {
        rejected.push(...(await this.reject(agent, one, this.#isInvalid(agent, one.name, compat))))
      } catch (error) {
        if (views.length + rejected.length === 0 || !(error instanceof SignalboxError)) throw error
        notices.push(`${one.name} was not set aside: ${error.message}`)
      }
    }
    return rejected
  }

  /** The process that moves the file writes the line in `error.log`. */
  async reject(
    agent: AgentId,
    invalid: Invalid,
    isStillBad: (bytes: Uint8Array) => boolean,
    from: 'inbox' | 'taken' = 'inbox',
  ): Promise<Rejected[]> {
    const { name, rejection } = invalid
    // Judged again on the bytes that are moved: its writer may have finished or replaced it since.
    const judge = { isMeant: isStillBad, atMost: largestRead + 1 }
    const moved = await setMessageAside(this.#parts, { agent, name, from, transition: 'reject' }, judge)
    if (moved.outcome !== 'moved') return []
    const { code, issues, msgId = stemOf(name) } = rejection
    await logError(this.#parts, agent, { code, msgId, issues, action: discarded, file: `rejected/${moved.name}` })
    await pruneNowAndThen(this.#parts, agent, 'rejected', [stemOf(name)])
    return [rejectedAs(invalid, moved.path)]
  }

  /** A file in `taken/` means that its message was handed out. A forged one does not count, and is rejected. */
  async clearForged(agent: AgentId, name: string): Promise<boolean> {
    const { hooks } = this.#parts
    const leaf = hooks.verify && (await leafAt(this.#parts, pathIn(this.#parts, agent, 'taken', name)))
    if (!leaf) return false
    const message = await messageIn(this.#parts, leaf.bytes, { agent, fileName: name })
    const forgery = message ? await hooks.verify!(agent, message) : noMessage
    if (!forgery) return false
    const { code, issues } = forgery
    const invalid = { name, rejection: { code, issues, msgId: message?.msg_id } }
    await this.reject(agent, invalid, (now) => isSame(now, leaf.bytes), 'taken')
    return true
  }

  /**
   * True when another message was handed out under this name: other programs sometimes use an id twice. A copy has the same JSON
   * value. A taken file that cannot be read any more counts as the same message.
   */
  async isAnother(agent: AgentId, { name, bytes }: InboxMessage): Promise<boolean> {
    const value = jsonIn(bytes)
    for (const taken of await messageNames(this.#parts, agent, 'taken')) {
      if (nameBefore(taken) !== name) continue
      const leaf = await leafAt(this.#parts, pathIn(this.#parts, agent, 'taken', taken))
      const before = leaf && jsonIn(leaf.bytes)
      if (before === undefined || isEqual(before, value)) return false
    }
    return true
  }

  /** A copy of a message that was handed out before is never handed out. */
  rejectCopy(agent: AgentId, { name, message, bytes }: InboxMessage): Promise<Rejected[]> {
    const issues = [`A message ${message.msg_id} was handed out before; this copy is not`]
    const rejection = { code: 'DUPLICATE', issues, msgId: message.msg_id }
    return this.reject(agent, { name, rejection }, (now) => isSame(now, bytes))
  }

  /** The file was a message when it was read and is not any more: it is read and judged again. */
  async rejectChanged(agent: AgentId, name: string, compat: boolean): Promise<Rejected[]> {
    const { invalid } = await this.#parts.inbox.look(agent, { compat })
    const found = invalid.find((one) => one.name === name)
    return found ? this.reject(agent, found, this.#isInvalid(agent, name, compat)) : []
  }

  #isInvalid(agent: AgentId, name: string, compat: boolean): (bytes: Uint8Array) => boolean {
    // Of a file that is too large, `bytes` holds one more than is allowed: enough to refuse it.
    return (bytes) => this.#parts.inbox.judge(bytes, { agent, name, size: bytes.length, compat }).outcome !== 'message'
  }
}

const isEqual = (a: unknown, b: unknown): boolean => process.getBuiltinModule('node:util').isDeepStrictEqual(a, b)

export const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

export const rejectedAs = (
  { name, rejection: { code, msgId, issues }, isForeign = false }: Invalid,
  path: string,
): Rejected => ({ file: name, path, code, msgId, issues, isForeign })

const noMessage = { code: 'VALIDATION_FAILED', issues: ['The file is no message, so it was not handed out'] }
