/** The one order of messages, whatever the protocol: the most urgent first, then the oldest, and never by chance. */

export interface Ordered {
  /** 1 before 2. A protocol that counts the other way round negates it; one without priorities leaves it out. */
  readonly priority?: number
  /** In milliseconds. */
  readonly time: number
  /** The sender's own number, where messages have one. */
  readonly sequence?: number
  readonly from?: string
  readonly id: string
}

/** For `Array.sort`: by priority, time, number, sender and id. */
export const inOrder = (a: Ordered, b: Ordered): number =>
  (a.priority ?? 0) - (b.priority ?? 0) ||
  a.time - b.time ||
  (a.sequence ?? 0) - (b.sequence ?? 0) ||
  compareTexts(a.from ?? '', b.from ?? '') ||
  compareTexts(a.id, b.id)

/** By code unit: the same on every machine, whatever language it speaks. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
