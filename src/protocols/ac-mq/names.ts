/** The names of agents, missions and messages. Checked once, and trusted afterwards. Spec: AC-MQ §2, §3.1, §7.2, §7.3. */
import { invalidInput } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'

declare const brand: unique symbol
export type AgentId = string & { readonly [brand]: 'AgentId' }
/** The names of the missions around a mission, outermost first, and its own: `main-project/feature-x`. */
export type MissionAddress = string & { readonly [brand]: 'MissionAddress' }

/** The recipient of a message that goes to the agent that claims first (AC-MQ §7.3). */
export const everyone = 'all' as AgentId

/** The folder for the missions inside a mission. No mission may have this name (AC-MQ §7.2). */
export const subMissions = 'sub-missions'

const longestName = 64
const name = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
// With these inside or at an edge, `…-from-{sender}-to-{recipient}.md` could be split in more than one way.
const divider = /(?:^|-)(?:from|to)-|-(?:from|to)$/
// A path has at most 2,048 bytes; the rest is room for the root, the queue and the longest file name.
const longestMissionPath = 1024

/** An agent that can send and claim. `all` cannot: it stands for any agent. */
export function agentId(text: string): AgentId {
  const reason = reasonAgainstAgent(text)
  if (reason !== undefined) throw badAgent(text, reason)
  return text as AgentId
}

export const recipientId = (text: string): AgentId => (text === everyone ? everyone : agentId(text))

export const isAgentId = (text: string): text is AgentId =>
  name.test(text) && !(text.includes('-') && divider.test(text)) && !isEveryone(text)

/** `all` in any case. File systems may ignore case, so no agent may be called `All`. */
export const isEveryone = (text: string): boolean => text.length === 3 && text.toLowerCase() === everyone

/** True for an id that can stand in a file name. */
export const isMessageId = (text: string): boolean => name.test(text)

/** `a/b/c`: mission `c` in mission `b` in mission `a`. */
export function missionAddress(text: string): MissionAddress {
  const parts = text.split('/')
  for (const part of parts) {
    const reason = reasonAgainstMission(part)
    if (reason !== undefined) throw badMission(text, reason)
  }
  if (text.length + (parts.length - 1) * (subMissions.length + 1) > longestMissionPath) {
    throw badMission(text, 'it lies too deep')
  }
  return text as MissionAddress
}

function reasonAgainstAgent(text: string): string | undefined {
  if (isAgentId(text)) return undefined
  if (isEveryone(text)) return '`all` stands for any agent'
  return reasonAgainstName(text) ?? '`from` and `to` divide file names, so they cannot be parts of it'
}

function reasonAgainstMission(part: string): string | undefined {
  if (part.toLowerCase() === subMissions) return `\`${subMissions}\` is a folder of every mission`
  return reasonAgainstName(part)
}

function reasonAgainstName(text: string): string | undefined {
  if (name.test(text)) return undefined
  if (text === '') return 'a name is empty'
  if (text.length > longestName) return `a name has ${text.length} characters; ${longestName} is the most`
  if (!/^[A-Za-z0-9]/.test(text)) return 'a name begins with a letter or a digit'
  return 'a name has only letters, digits, `.`, `_` and `-`'
}

const shown = (text: string): string => printableLine(JSON.stringify(text.slice(0, 80)))

const badAgent = (text: string, reason: string) =>
  invalidInput('INVALID_AGENT_ID', `Not an agent: ${shown(text)}: ${reason}.`, {
    hint: 'Use a name such as claude or dev-1.',
    details: { agent: text.slice(0, 400), reason },
  })

const badMission = (text: string, reason: string) =>
  invalidInput('INVALID_MISSION_NAME', `Not a mission: ${shown(text)}: ${reason}.`, {
    hint: 'Use a name such as system-design, or parent/child for a mission inside another.',
    details: { mission: text.slice(0, 400), reason },
  })
