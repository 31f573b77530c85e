/** What surfaces may know of files: how they look from outside. */
import type { DreamView, PlainMessage } from '../../protocols/dream-os/index.ts'

export type { DreamView, MailboxGiven, PlanAnswered, Routed } from '../../protocols/dream-os/index.ts'

export type DreamHeader = Omit<DreamView, 'message'>
export type DreamWithRecord = DreamHeader & { readonly record: PlainMessage }

export const headerOf = ({ message: _, ...header }: DreamView): DreamHeader => header
export const withRecord = ({ message, ...header }: DreamView): DreamWithRecord => ({ ...header, record: message })
