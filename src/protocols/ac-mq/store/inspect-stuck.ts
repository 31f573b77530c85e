/** Messages that stay stuck until a person acts, for `doctor`: one finding for each reason. */
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { groupBy } from '../../../kernel/group-by.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { dependencyCycle, stalledClaim, unseenRecipient } from '../../../messaging/inspection/findings.ts'
import { isOddEntry } from '../../../messaging/leaves/tolerant.ts'
import { type Finding, finding, type Tree } from '../../../tree/tree.ts'
import { type DependencyState, explainWaiting } from '../dependencies.ts'
import { everyone } from '../layout.ts'
import type { MissionFiles } from './parts.ts'
import { Policy, policyPath } from './policy.ts'
import type { Supervision } from './supervising.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

export async function stalledClaims(files: MissionFiles, supervision: Supervision): Promise<Finding[]> {
  return (await supervision.findStalled()).map(({ message, overdueSeconds }) => {
    const said = `${message.to} claimed it and did not finish in time; that is ${overdueSeconds} seconds ago.`
    const supervise = call('acmq supervise', { mission: files.place.address, once: true })
    const hint = `Let it fail, so that it can be tried again: ${supervise}`
    return stalledClaim(message.path, said, hint)
  })
}

/** Messages whose dependency failed, does not exist, or depends on them in turn. AC-MQ §7.1. */
export async function stuckDependencies(files: MissionFiles, waiting: WaitingMessages): Promise<Finding[]> {
  await waiting.all()
  const blocked = (await waiting.blocked()).flatMap(({ candidate, states }) =>
    states.flatMap((state) => (keyOf(state) === undefined ? [] : { candidate, state })),
  )
  return [...groupBy(blocked, ({ state }) => keyOf(state)).values()].map((held) => {
    const { candidate, state } = held[0]!
    const path = files.at('pending', candidate.name)
    const isCycle = state.is === 'cycle'
    const more = held.length === 1 || isCycle ? '' : ` So do ${held.length - 1} more.`
    const message = `${printableLine(candidate.id)} cannot be claimed: ${explainWaiting([state])}.${more}`
    if (isCycle) return dependencyCycle(path, message, breakCycle)
    const { code, hint } = remedyFor(state, files.place.address)
    return finding('warning', code, path, message, hint)
  })
}

/** The same text for messages with the same cause; `undefined` for a cause that ends by itself. */
function keyOf(state: DependencyState): string | undefined {
  switch (state.is) {
    case 'met':
    case 'waiting':
    case 'missing-path':
      return undefined
    case 'cycle':
      return `cycle ${state.through[0]}`
    case 'outside':
      return `outside ${state.path}`
    default:
      return `${state.is} ${state.on}`
  }
}

const breakCycle = 'Take one of these out of the `dependencies` of the one before it.'

function remedyFor(state: DependencyState, mission: string): { readonly code: string; readonly hint: string } {
  switch (state.is) {
    case 'failed':
      return { code: 'FAILED_DEPENDENCY', hint: `Try that one again: ${call('acmq retry', { mission, id: state.on })}` }
    case 'unknown':
      return { code: 'UNKNOWN_DEPENDENCY', hint: 'Send a message with that id, or take it out of `dependencies`.' }
    case 'ambiguous':
      return { code: 'AMBIGUOUS_DEPENDENCY', hint: 'Write the whole id into `dependencies`.' }
    default:
      return { code: 'DEPENDENCY_OUTSIDE', hint: 'Name a place inside the mission in `dependencies`, or none.' }
  }
}

/** Messages for agents that were never seen in any protocol: the name may be mistyped. */
export async function unseenRecipients(
  files: MissionFiles,
  waiting: WaitingMessages,
  isSeen: (agent: string) => Promise<boolean>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [agent, messages] of groupBy((await waiting.all()).values(), ({ to }) => to)) {
    if (agent === everyone || (await isSeen(agent))) continue
    const take = call('acmq claim', { mission: files.place.address, as: agent })
    findings.push(unseenRecipient(files.at('pending', messages[0]!.name), agent, messages.length, take))
  }
  return findings
}

/** While the policy cannot be read, no agent gets a message. */
export async function unreadablePolicy(tree: Tree): Promise<Finding[]> {
  try {
    await new Policy({ tree, inside: treePath }).isThere()
    return []
  } catch (error) {
    // The inspection of `.signalbox/` reports a folder or link in place of the file.
    if (!(error instanceof SignalboxError) || isOddEntry(error)) throw error
    const { code, message, hint = '' } = error
    return [finding('error', code, policyPath, message, hint)]
  }
}
