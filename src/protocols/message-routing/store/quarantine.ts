/** What was rejected from an inbox, for the person who sees to it. Copies of what was handed out before wait for nobody. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { beginningAt } from '../../../messaging/quarantine/beginning.ts'
import { isMessageNow, type Quarantined } from '../../contract.ts'
import { judgeFile, sentencesOf } from '../judge.ts'
import { type AgentId, errorLogPath } from '../layout.ts'
import { forgeryIn } from './genuine.ts'
import { logAt } from './logs.ts'
import { messageNames, pathIn, type RoutingParts, unlessOdd } from './parts.ts'
import { isClosed, openFile } from './reading.ts'

export async function* quarantinedOf(parts: RoutingParts, agent: AgentId): AsyncGenerator<Quarantined> {
  const names = (await unlessOdd(() => messageNames(parts, agent, 'rejected'))) ?? []
  if (names.length === 0) return
  const told = await reasonsIn(parts, agent)
  const next = 'Correct it, then approve it, which puts it back.'
  for (const name of names) {
    const { code, reason: written } = told.get(`rejected/${name}`) ?? {}
    if (code === 'DUPLICATE') continue
    const now = await problemIn(parts, agent, name)
    const reason = now === undefined ? isMessageNow : written || now
    const found = await beginningAt(parts.tree, pathIn(parts, agent, 'rejected', name))
    if (found) yield { ...found, id: name, place: agent, reason, next }
  }
}

/** What keeps a file from being a message for this inbox; `undefined` for one that is. */
async function problemIn(parts: RoutingParts, agent: AgentId, name: string): Promise<string | undefined> {
  const leaf = await unlessOdd(() => openFile(parts, agent, 'rejected', name))
  if (!leaf) return undefined
  if (isClosed(leaf)) return leaf.reason
  const { largestMessage } = parts.settings
  const judged = judgeFile(leaf.bytes, { agent, size: leaf.size, largestMessage })
  if (judged.outcome !== 'message') return sentencesOf(judged.problems).join('; ')
  return (await forgeryIn(parts, agent, judged.message))?.issues.join('; ')
}

interface Told {
  readonly code: string
  readonly reason: string
}

/** By file: what `error.log` says of it. The last line counts, since names are used again. */
async function reasonsIn({ tree, root }: RoutingParts, agent: AgentId): Promise<Map<string, Told>> {
  const reasons = new Map<string, Told>()
  const log = await quietly(() => logAt(tree, errorLogPath(root, agent)))
  for (const line of Buffer.from(log?.bytes ?? [])
    .toString('utf8')
    .split('\n')) {
    const { file, error, issues } = objectIn(line)
    if (typeof file !== 'string' || typeof error !== 'string' || !Array.isArray(issues)) continue
    reasons.set(file, { code: error, reason: issues.filter((issue) => typeof issue === 'string').join('; ') })
  }
  return reasons
}

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {} // Not JSON: a line that a crash cut off, or somebody else's.
  }
}

/** Without the log there is still what the file says. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
