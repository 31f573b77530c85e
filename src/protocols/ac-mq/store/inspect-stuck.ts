/** Messages that are stuck until a person does something, for `doctor`: one finding for each reason. */
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
import type { Candidate, WaitingMessages } from './waiting/waiting.ts'

export async function stalledClaims(files: MissionFiles, supervision: Supervision): Promise<Finding[]> {
  return (await supervision.findStalled()).map(({ message, overdueSeconds }) => {
    const said = `${message.to} claimed it and did not finish in time; that is ${overdueSeconds} seconds ago.`
    const hint = `Let it fail, so that it can be tried again: acmq supervise ${files.place.address} --once`
    return stalledClaim(message.path, said, hint)
  })
}

/** Messages that depend on what failed, is not there, or waits for them in turn. AC-MQ §7.1. */
export async function stuckDependencies(files: MissionFiles, waiting: WaitingMessages): Promise<Finding[]> {
  await waiting.all()
  const blocked = (await waiting.blocked()).flatMap(({ candidate, states }) =>
    states.map((state) => ({ candidate, state })),
  )
  const causes = groupBy(
    blocked.filter(({ state }) => keyOf(state) !== undefined),
    ({ state }) => keyOf(state),
  )
  return [...causes.values()].map((all) => {
    const cause: Cause = { state: all[0]!.state, held: all.map(({ candidate }) => candidate) }
    const path = files.at('pending', cause.held[0]!.name)
    if (cause.state.is === 'cycle') return dependencyCycle(path, sentenceOf(cause), breakCycle)
    const { code, hint } = remedyFor(cause.state, files.place.address)
    return stuck(code, path, sentenceOf(cause), hint)
  })
}

interface Cause {
  readonly state: DependencyState
  readonly held: readonly Candidate[]
}

/** What keeps messages from ever being handed out, as one text; `undefined` for what ends by itself. */
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
      return { code: 'FAILED_DEPENDENCY', hint: `Try that one again: acmq retry ${mission} ${printableLine(state.on)}` }
    case 'unknown':
      return { code: 'UNKNOWN_DEPENDENCY', hint: 'Send a message with that id, or take it out of `dependencies`.' }
    case 'ambiguous':
      return { code: 'AMBIGUOUS_DEPENDENCY', hint: 'Write the whole id into `dependencies`.' }
    default:
      return { code: 'DEPENDENCY_OUTSIDE', hint: 'Name a place inside the mission in `dependencies`, or none.' }
  }
}

function sentenceOf({ state, held }: Cause): string {
  const others = held.length - 1
  const isCycle = state.is === 'cycle'
  const more = others === 0 || isCycle ? '' : ` So do ${others} more.`
  return `${printableLine(held[0]!.id)} cannot be claimed: ${explainWaiting([state])}.${more}`
}

/** Messages for agents whom nobody has ever seen, here or elsewhere: often a name that was mistyped. */
export async function unseenRecipients(
  files: MissionFiles,
  waiting: WaitingMessages,
  isSeen: (agent: string) => Promise<boolean>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [agent, messages] of groupBy((await waiting.all()).values(), ({ to }) => to)) {
    if (agent === everyone || (await isSeen(agent))) continue
    const take = `acmq claim ${files.place.address} --as ${printableLine(agent)}`
    findings.push(unseenRecipient(files.at('pending', messages[0]!.name), agent, messages.length, take))
  }
  return findings
}

/** While the policy cannot be read, nobody is handed anything. */
export async function unreadablePolicy(tree: Tree): Promise<Finding[]> {
  try {
    await new Policy({ tree, inside: treePath }).isThere()
    return []
  } catch (error) {
    // Something else than a file: the inspection of `.signalbox/` tells that.
    if (!(error instanceof SignalboxError) || isOddEntry(error)) throw error
    const { code, message, hint = '' } = error
    return [{ ...stuck(code, policyPath, message, hint), severity: 'error' }]
  }
}

const stuck = (code: string, path: string, message: string, hint: string): Finding =>
  finding('warning', code, path, message, hint)
