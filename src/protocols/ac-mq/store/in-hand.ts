/**
 * The headers of what this process is working on, so that completing a message need not take its header apart again: it
 * is enough to see that it still says the same, letter for letter. Only a memory; whoever is not in it is read as ever.
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import type { ReadMessage } from '../format.ts'
import { opening, statusWidth } from '../own-header.ts'

/** Where the status ends, which is all that a claim changed in place. */
const statusEnd = opening.length + statusWidth
/** Nobody works on more at once; those who only claim should not fill the memory. */
const most = 1000

interface Header {
  /** All but the status. */
  readonly text: string
  readonly read: ReadMessage
}

export class InHand {
  readonly #headers = new Map<string, Header>()

  /** As it was before the claim, which changed nothing but the status. */
  remember(name: string, read: ReadMessage): void {
    const { header } = read.message
    if (header === undefined) return
    if (this.#headers.size >= most) this.#headers.clear()
    this.#headers.set(name, { text: header.slice(statusEnd), read })
  }

  /** What the header says, if but for its status it says what it said. */
  read(name: string, bytes: Uint8Array): ReadMessage | undefined {
    const known = this.#headers.get(name)
    if (!known) return undefined
    const header = bufferOf(bytes).toString('latin1', 0, known.read.message.bodyStart)
    const isSame = header.startsWith(beginning) && header.slice(statusEnd) === known.text
    return isSame ? known.read : undefined
  }

  /** True for what this process has claimed. */
  has(name: string): boolean {
    return this.#headers.has(name)
  }

  forget(name: string): void {
    this.#headers.delete(name)
  }
}

const beginning = `${opening}processing`
