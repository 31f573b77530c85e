/** The face of an operation that has none of its own: what it did, in one line. A program gets all of it by `--json`. */
import { printableLine } from '../../kernel/printable.ts'
import type { Operation } from '../../operations/define.ts'
import { type CommandFace, commandFace } from './command.ts'
import { noticeLines } from './lines.ts'

type Output = { readonly outcome: string; readonly notices?: readonly string[] }

/** A message may hold a whole book; how it begins is enough to recognise it by. */
const longestValue = 200

export const plainFace = (operation: Operation): CommandFace =>
  commandFace<Output>(
    operation,
    ({ outcome, notices: _, ...rest }, { paint }) => {
      const facts = Object.entries(rest).flatMap(([name, value]) => {
        // Told below, as for every list.
        if (name === 'leftOut' && 'limit' in operation.input) return []
        const said = inWords(value)
        return said === undefined ? [] : [`${name} ${cut(said)}`]
      })
      return `${paint('bold', printableLine(outcome))}${facts.length === 0 ? '' : `: ${printableLine(facts.join(', '))}`}\n`
    },
    { aside: noticeLines },
  )

/** A list by how many are in it, something with an id by that. */
function inWords(value: unknown): string | undefined {
  if (Array.isArray(value)) return String(value.length)
  if (typeof value === 'object' && value !== null) return 'id' in value ? String(value.id) : undefined
  return value === undefined || value === null ? undefined : String(value)
}

const cut = (text: string): string => (text.length > longestValue ? `${text.slice(0, longestValue)}…` : text)
