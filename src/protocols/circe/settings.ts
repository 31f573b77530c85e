/** What can be configured about CIRCE, with the values used when nothing is said. */
import {
  defaultsOf,
  duration,
  type Fields,
  type InputOf,
  insideRoot,
  list,
  rootFolder,
  text,
} from '../../kernel/field.ts'
import { largestMessageField } from '../../kernel/problem.ts'
import { aboutCode, expectKnownIntent } from './intents.ts'
import type { SettableCheck } from './schema.ts'

const intent = text('An intent.', {
  pattern: /^[a-z][a-z0-9_]{0,39}$/,
  expected: 'a word of lower-case letters, digits and `_`, such as deploy_release',
})

/** In `needTests`: no intent at all. */
const none = 'none'

/** Its section of `signalbox.yaml`. */
export const section = {
  root: rootFolder('The folder of CIRCE.', 'AI_MANAGER'),
  roles: list(
    'Who has which role, each `AGENT=ROLE`. Where somebody has the role `qa`, only those may say that tests passed; where ' +
      'somebody has the role `reviewer`, only those that a review was done. The owner of a task says neither then.',
    text('A role.', {
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}=[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      expected: 'an agent and its role, such as tester-1=qa',
    }),
  ),
  offers: list(
    'What a role is offered of the work for all, each `ROLE=INTENT`: those intents first, and others only when asked for.',
    text('A role and an intent.', {
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}=[a-z][a-z0-9_]{0,39}$/,
      expected: 'a role and an intent, such as qa=test',
    }),
  ),
  intents: list('Intents besides those of the specification.', intent),
  needTests: list(
    `Intents whose tasks need passed tests to be completed: ${aboutCode.join(', ')} unless said; \`${none}\` for no task at all.`,
    intent,
  ),
  stallAfter: duration('A claimed task counts as stalled when nothing was heard of it for so long.', {
    default: 30 * 60 * 1000,
    least: 1000,
    needsUnit: true,
  }),
  largestMessage: largestMessageField,
} as const satisfies Fields

export interface CirceSettings {
  readonly root: string
  /** Roles of agents, both in lower case. */
  readonly roles: ReadonlyMap<string, ReadonlySet<string>>
  /** What each role is offered, in lower case; a role that is not here is offered everything. */
  readonly offers: ReadonlyMap<string, ReadonlySet<string>>
  readonly furtherIntents: readonly string[]
  /** The intents whose tasks need passed tests; empty: no task needs them. */
  readonly needTests: ReadonlySet<string>
  readonly stallMs: number
  readonly largestMessage: number
  /** What is no message must be this old before it is set aside: another program may still be writing it. */
  readonly settleMs: number
  /** How long a change waits for another process that changes the same task or message. Reading never waits. */
  readonly turnMs: number
}

export const settingsFrom = (set: InputOf<typeof section>): CirceSettings => ({
  root: insideRoot(set.root),
  roles: pairsFrom(set.roles ?? []),
  offers: offersFrom(set.offers ?? [], set.intents ?? []),
  furtherIntents: set.intents ?? [],
  needTests: new Set(needTestsFrom(set.needTests?.length ? set.needTests : aboutCode, set.intents ?? [])),
  stallMs: set.stallAfter,
  largestMessage: set.largestMessage,
  settleMs: 1000,
  turnMs: 5000,
})

/** Throws for an unknown intent: a misspelt one would silently lift the need for tests. */
function needTestsFrom(named: readonly string[], further: readonly string[]): string[] {
  const wanted = named.filter((name) => name !== none)
  for (const name of wanted) expectKnownIntent(name, further, 'circe.needTests: ')
  return wanted
}

/** Throws for an unknown intent: a misspelt one would keep work from the agents with that role. */
function offersFrom(lines: readonly string[], further: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const offers = pairsFrom(lines)
  for (const intents of offers.values()) for (const name of intents) expectKnownIntent(name, further, 'circe.offers: ')
  return offers
}

function pairsFrom(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const pairs = new Map<string, Set<string>>()
  for (const line of lines) {
    const [left, right] = line.toLowerCase().split('=') as [string, string]
    pairs.set(left, (pairs.get(left) ?? new Set()).add(right))
  }
  return pairs
}

export const defaultSettings: CirceSettings = settingsFrom(defaultsOf(section))

type Roles = Pick<CirceSettings, 'roles'>

/** Whether the configuration says who has this role. */
export const isRoleNamed = ({ roles }: Roles, role: 'qa' | 'reviewer'): boolean =>
  [...roles.values()].some((of) => of.has(role))

/** The first agent with a role, for hints. */
export const namedAs = ({ roles }: Roles, role: 'qa' | 'reviewer'): string | undefined =>
  [...roles].find(([, of]) => of.has(role))?.[0]

/** The one role that may set a check, where roles are configured. The owner of the task may not set it then. */
export function roleThatSets(settings: Roles, check: SettableCheck): 'qa' | 'reviewer' | undefined {
  if (check === 'tests_passed') return isRoleNamed(settings, 'qa') ? 'qa' : undefined
  return check === 'peer_reviewed' && settings.roles.size > 0 ? 'reviewer' : undefined
}

/** Whether this agent may say how tests went (`qa`), or that it has reviewed: it has the role, or no agent has it. */
export const speaksFor = (settings: Roles, role: 'qa' | 'reviewer', agent: string): boolean =>
  !isRoleNamed(settings, role) || settings.roles.get(agent.toLowerCase())?.has(role) === true

/** The intents that the roles of an agent are offered; `undefined` where none of its roles has any configured. */
export function offeredTo({ roles, offers }: Pick<CirceSettings, 'roles' | 'offers'>, agent: string) {
  const named = [...(roles.get(agent.toLowerCase()) ?? [])].flatMap((role) => [...(offers.get(role) ?? [])])
  return named.length === 0 ? undefined : new Set(named)
}
