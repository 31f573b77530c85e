/** The rejected files of an inbox, for a person to look at, without copies of messages that were handed out. */
import { unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { isMessageNow, type Quarantined, quarantinedAt } from '../../../messaging/quarantine/quarantine.ts'
import { judgeFile, sentencesOf } from '../judge.ts'
import { type AgentId, errorLogPath } from '../layout.ts'
import { linesByFile } from './logs.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'
import { isClosed, openFile } from './reading.ts'

export async function* quarantinedOf(parts: RoutingParts, agent: AgentId): AsyncGenerator<Quarantined> {
  const names = (await unlessOdd(messageNames(parts, agent, 'rejected'))) ?? []
  if (names.length === 0) return
  const told = await linesByFile(parts.tree, errorLogPath(parts.root, agent))
  const next = 'Correct it, then approve it, which puts it back.'
  for (const name of names) {
    const { error, issues } = told?.get(`rejected/${name}`) ?? {}
    if (error === 'DUPLICATE') continue
    const now = await problemIn(parts, agent, name)
    const written = Array.isArray(issues) ? issues.filter((issue) => typeof issue === 'string').join('; ') : ''
    const reason = now === undefined ? isMessageNow : written || now
    const path = pathIn(parts, agent, 'rejected', name)
    const found = await quarantinedAt(parts.tree, path, { place: agent, reason, next })
    if (found) yield found
  }
}

/** Why a file is no message for this inbox; `undefined` for one that is. */
async function problemIn(parts: RoutingParts, agent: AgentId, name: string): Promise<string | undefined> {
  const leaf = await unlessOdd(openFile(parts, agent, 'rejected', name))
  if (!leaf) return undefined
  if (isClosed(leaf)) return leaf.reason
  const judged = judgeFile(leaf.bytes, { agent, size: leaf.size })
  if (judged.outcome !== 'message') return sentencesOf(judged.problems).join('; ')
  return (await parts.hooks.verify?.(agent, judged.message))?.issues.join('; ')
}
