/** What can be configured about CIRCE, with the values used when nothing is said. */
import { defaultsOf, duration, type Fields, type InputOf, list, text } from '../../kernel/field.ts'
import { largestMessageField } from '../../kernel/largest-message.ts'
import { insideRoot, rootFolder } from '../../kernel/path-fields.ts'
import { aboutCode, expectKnownIntent } from './intents.ts'

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
    'Who has which role, each `AGENT=ROLE`. Where somebody has the role `qa`, only those may say that tests passed.',
    text('A role.', {
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}=[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      expected: 'an agent and its role, such as tester-1=qa',
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
  readonly furtherIntents: readonly string[]
  /** Empty: no task needs them. */
  readonly needTests: ReadonlySet<string>
  readonly stallMs: number
  readonly largestMessage: number
  /** What is no message must be this old before it is set aside: another program may still be writing it. */
  readonly settleMs: number
}

export const settingsFrom = (set: InputOf<typeof section>): CirceSettings => ({
  root: insideRoot(set.root),
  roles: rolesFrom(set.roles ?? []),
  furtherIntents: set.intents ?? [],
  needTests: new Set(needTestsFrom(set.needTests?.length ? set.needTests : aboutCode, set.intents ?? [])),
  stallMs: set.stallAfter,
  largestMessage: set.largestMessage,
  settleMs: 1000,
})

/** A misspelt intent would silently lift the need for tests. */
function needTestsFrom(named: readonly string[], further: readonly string[]): string[] {
  const wanted = named.filter((name) => name !== none)
  for (const name of wanted) expectKnownIntent(name, further, 'circe.needTests: ')
  return wanted
}

function rolesFrom(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const roles = new Map<string, Set<string>>()
  for (const line of lines) {
    const [agent, role] = line.toLowerCase().split('=') as [string, string]
    roles.set(agent, (roles.get(agent) ?? new Set()).add(role))
  }
  return roles
}

export const defaultSettings: CirceSettings = settingsFrom(defaultsOf(section))

/** Whether this agent may say how tests went: whoever is QA, or anybody where nobody is. */
export const isTester = ({ roles }: Pick<CirceSettings, 'roles'>, agent: string): boolean =>
  ![...roles.values()].some((of) => of.has('qa')) || roles.get(agent.toLowerCase())?.has('qa') === true
