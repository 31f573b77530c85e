/** Puts messages into a pack, and says in its index where each one is. */
import { compactTime } from '../times.ts'
import { endMark, printMember, separator } from './member.ts'
import { type FinalStatus, mostMessages, mostPackBytes, type PackedMessage, printEntry } from './pack.ts'

export class PackBuilder {
  readonly #parts: Uint8Array[] = []
  readonly #lines: string[] = []
  #length = 0
  #first = Number.POSITIVE_INFINITY

  get count(): number {
    return this.#lines.length
  }

  get isFull(): boolean {
    return this.#lines.length >= mostMessages || this.#length >= mostPackBytes
  }

  stem(status: FinalStatus): string {
    return `${status}-${compactTime(this.#first)}-${crypto.randomUUID().slice(0, 8)}`
  }

  add(message: PackedMessage, bytes: Uint8Array): void {
    this.#first = Math.min(this.#first, message.finishedAt)
    const member = printMember(message, bytes)
    this.#lines.push(printEntry({ ...message, offset: this.#length, length: member.length, size: bytes.length }))
    this.#append(member)
    // A member of its own, so that `zcat` begins each message on a new line and the message stays as it was.
    if (bytes.length > 0 && bytes[bytes.length - 1] !== 10) this.#append(separator)
  }

  pack(): Uint8Array {
    return Buffer.concat([...this.#parts, endMark])
  }

  index(): Uint8Array {
    return Buffer.from(this.#lines.join(''))
  }

  #append(member: Uint8Array): void {
    this.#parts.push(member)
    this.#length += member.length
  }
}
