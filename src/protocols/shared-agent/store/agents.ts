/** Who has spoken, begun a task, read or subscribed in a session. */
import { isAgentName, sessionId } from '../layout.ts'
import { readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'

export async function* seenAgents(parts: SessionParts, place?: string): AsyncGenerator<string> {
  const seen = new Set<string>()
  const isNew = (agent: string) => isAgentName(agent) && !seen.has(agent) && seen.add(agent) !== undefined
  for await (const session of readableSessions(parts, place)) {
    const there = [
      ...session.log.map(({ by }) => by),
      ...session.tasks.flatMap(({ by, agent, attempts }) => (attempts > 0 ? [by, agent] : [by])),
      ...session.read.map(([agent]) => agent),
      ...session.channels.flatMap(({ agents }) => agents),
    ]
    for (const agent of there) if (isNew(agent)) yield agent
    // Older lines are in pages, which are read only when the caller wants to know of more.
    const first = session.log[0]?.n ?? session.changes + 1
    if (first > 1) for (const { by } of await parts.documents.log(sessionId(session.id))) if (isNew(by)) yield by
  }
}
