/** A queue cannot take part here. The message is the reason, for people; the others go on. */
export class Unavailable extends Error {}

/** The reason for any error, in one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n')[0]!.slice(0, 300)
}
