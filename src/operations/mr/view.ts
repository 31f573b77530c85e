/** Messages as operations answer them. */
import type { Kept, MrMessage, MrView } from '../../protocols/message-routing/index.ts'

export type { Alert, Gap, MrMessage, Rejected, Restart } from '../../protocols/message-routing/index.ts'

/** The headline and the protocol's own fields, without the payload, which a sender knows. */
export type MrHeader = Omit<MrView, 'message' | 'problems' | 'notes'> & {
  /** What a reader should know of it, one sentence each. */
  readonly notices: readonly string[]
}
/** With the record as the file has it. */
export type MrWithRecord = MrHeader & { readonly record: MrMessage }

export const headerOf = ({ message: _, problems, notes, ...header }: MrView): MrHeader => ({
  ...header,
  notices: [...problems, ...notes],
})

export const withRecord = (view: MrView): MrWithRecord => ({ ...headerOf(view), record: view.message })

/** A message that left an inbox and can be put back. */
export interface KeptLine {
  readonly id: string
  readonly path: string
  readonly movedAt: string
  readonly size: number
  readonly message: MrHeader | null
  /** Why it cannot even be read, if so. */
  readonly problem?: string
}

export const keptLine = ({ id, path, movedAt, size, message, problem }: Kept): KeptLine => ({
  id,
  path,
  movedAt: new Date(movedAt).toISOString(),
  size,
  message: message ? headerOf(message) : null,
  ...(problem === undefined ? {} : { problem }),
})
