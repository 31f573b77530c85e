/** Labels of waiting messages, for trees that keep labels: recipient, priority, time and id. They sort in the order of claiming. */
import { inOrder } from '../../../kernel/order.ts'
import { type AcmqRecord, noDependencies } from '../schema.ts'
import { timeOf } from '../times.ts'
import type { Candidate } from './waiting/waiting.ts'

/** Ends the label of a message that has dependencies. */
const waits = 'waits'

export function labelOf(record: AcmqRecord): string {
  const { to, priority, timestamp, id, dependencies } = record
  // Times before 1970 count as 1970: negative numbers would not sort as text.
  const parts = [to, priority, `${Math.max(0, timeOf(timestamp))}`.padStart(16, '0'), id]
  return (dependencies.length > 0 ? [...parts, waits] : parts).join(' ')
}

export const labelsFor = (recipients: readonly string[]): string[] => recipients.map((to) => `${to} `)

export type ByLabel = Candidate & { readonly mayWait: boolean }

export const foundBy = (labelled: readonly { readonly name: string; readonly label: string }[]): ByLabel[] =>
  labelled
    .map(({ name, label }) => {
      const [to = '', priority, time, id = '', mark] = label.split(' ')
      const order = { priority: Number(priority), time: Number(time) }
      return { name, id, to, ...order, dependencies: noDependencies, summary: '', mayWait: mark === waits }
    })
    .sort(inOrder)
