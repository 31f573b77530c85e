/**
 * Tells a sender that no agent of the recipient's name has been seen, and which one it may have meant. Costs one read for an
 * agent that has been seen; for one that has not, all protocols are asked.
 */
import { notFound, type SignalboxError } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { printableLine } from '../../kernel/printable.ts'
import { sameButForCase } from '../../kernel/same-but-for-case.ts'
import { type AgentDirectory, differsByCase } from './directory.ts'

interface Unseen {
  readonly agent: string
  /** The agents that have been seen, for "did you mean". */
  readonly known: ReadonlySet<string>
}

/** Thrown by a protocol that has too many files to look through for the sake of a remark. */
export const tooManyFiles = new Error('There are too many files to look through.')

/** Names that mean every agent, or a person. */
const isOneAgent = (name: string): boolean => !/^(all|broadcast|rooster|human)$/i.test(name)

/**
 * `inFiles`: the agents that files of all protocols name as sender or holder. `undefined`: the recipient has been seen.
 * Refuses a name that is a known one in other capitals, unless files show it too, or the protocol takes all spellings for one
 * (`anyCase`).
 */
export async function unseen(
  directory: AgentDirectory,
  agent: string,
  inFiles: () => AsyncIterable<string>,
  { anyCase = false } = {},
): Promise<Unseen | undefined> {
  if (!isOneAgent(agent)) return undefined
  const noted = await directory.seen(agent)
  if (noted && (anyCase || noted.anyCase || noted.name === agent)) return undefined
  const known = new Set<string>()
  for await (const { name } of directory.all()) known.add(name)
  for await (const name of directory.listed()) known.add(name)
  const isIt = (name: string) => name === agent || (anyCase && name.toLowerCase() === agent.toLowerCase())
  if ([...known].some(isIt)) return undefined
  try {
    for await (const name of inFiles()) {
      known.add(name)
      if (!isIt(name)) continue
      await directory.found(name)
      return undefined
    }
  } catch (error) {
    if (error !== tooManyFiles) throw error
    if (!noted) return undefined
  }
  const other = anyCase ? undefined : sameButForCase(agent, known)
  if (other !== undefined) throw differsByCase(agent, other)
  return { agent, known }
}

/** The remark for the sender. */
export function unseenNotice({ agent, known }: Unseen): string {
  const meant = nearest(agent, known)
  const soFar = known.size === 0 ? '' : ` Seen so far: ${someOf(known)}.`
  return `Nobody has seen ${printable(agent)} yet; the message waits for it.${meant === undefined ? soFar : ` Did you mean ${meant}?`}`
}

/** The error for a sender where the setting `strict` is on. */
export function unseenRefusal({ agent, known }: Unseen): SignalboxError {
  const meant = nearest(agent, known)
  return notFound('UNSEEN_AGENT', `Nobody has seen ${printable(agent)}, and \`strict\` is set: nothing was sent.`, {
    hint:
      meant === undefined ? 'Let it act once, as by looking for work, or unset `strict`.' : `Did you mean ${meant}?`,
    details: { agent: agent.slice(0, 400), known: [...known].slice(0, 100) },
  })
}

const printable = (agent: string): string => printableLine(agent.slice(0, 80))

function someOf(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, 5).map(printable)
  return `${shown.join(', ')}${names.size > shown.length ? ` and ${names.size - shown.length} more` : ''}`
}
