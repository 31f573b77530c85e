import { flag, integer } from '../kernel/field.ts'
import { oneOf } from '../kernel/shape.ts'
import { findingsOf } from '../messaging/inspection/expected.ts'
import { type Finding, finding } from '../tree/tree.ts'
import { bounded } from './bounded.ts'
import { defineOperation } from './define.ts'
import { allChecks, unlessBadConfiguration } from './doctor-checks.ts'
import type { ClusterHealth } from './workspace/engine.ts'

const examined = {
  root: 'text',
  findings: [
    {
      code: 'text',
      severity: oneOf('note', 'warning', 'error'),
      path: 'text',
      message: 'advice',
      hint: 'advice',
      repaired: 'flag',
    },
  ],
  remaining: 'integer',
  repaired: 'integer',
  'leftOut?': 'integer',
  'cluster?': {
    place: 'text',
    hasLeader: 'flag',
    alarms: ['text'],
    members: [
      {
        address: 'text',
        isReachable: 'flag',
        isLeader: 'flag',
        'version?': 'text',
        'sizeBytes?': 'integer',
        'inUseBytes?': 'integer',
      },
    ],
    sizeBytes: 'integer',
    'quotaBytes?': 'integer',
    revision: 'integer',
    'compactedRevision?': 'integer',
    'readMs?': 'number',
  },
} as const

export const doctor = defineOperation({
  name: 'doctor',
  summary: 'Look for what is out of order, and repair what can be repaired.',
  more:
    'Exit status 0: nobody has to do anything; notes say what may interest you. 1: a person or a command has to do ' +
    'something, and each warning says what. 5: something is broken.',
  input: {
    fix: flag('Put right what can be put right without losing anything.'),
    assumeGone: flag('With --fix: take processes that cannot be asked, on other machines or in containers, for dead.'),
    // As text, findings of one kind are summed up instead.
    limit: integer('Show at most so many findings; how many were left out is told.', { least: 1 }),
  },
  outcomes: { healthy: 'done', repaired: 'done', attention: 'nothing', unhealthy: 'Corrupt' },
  output: { healthy: examined, repaired: examined, attention: examined, unhealthy: examined },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'doctor', does: 'look, and change nothing' },
    { command: 'doctor --fix', does: 'repair what can be repaired' },
    {
      command: 'doctor --fix --assume-gone',
      does: 'finish also what a machine or container left that is gone for good',
    },
  ],

  async run(context, { fix, assumeGone, limit }) {
    const all: Finding[] = []
    const checks = await allChecks()
    // A directory that is no workspace is not ours to change.
    let repair = fix && context.root().by !== 'current'
    for (const [index, check] of checks.entries()) {
      context.report.progress(check.name, index, checks.length)
      const found = await findingsOf(context.root().path, () => check.run(context, { repair, assumeGone }))
      all.push(...found)
      // With settings we cannot read, a repair might go against them: from here on, only look.
      if (check.decidesRepair && found.some(({ severity }) => severity === 'error')) repair = false
    }
    context.report.progress('done', checks.length, checks.length)
    const cluster = await unlessBadConfiguration(() => context.clusterHealth())
    if (cluster) all.push(...oldVersions(cluster))
    const findings = toldOnce(all, context.root().path).sort((a, b) => rank[a.severity] - rank[b.severity])
    const remaining = findings.filter(({ repaired }) => !repaired)
    const repaired = findings.length - remaining.length
    const worst = remaining[0]?.severity ?? 'note'
    const outcome = outcomeOf[worst] ?? (repaired > 0 ? 'repaired' : 'healthy')
    const counts = { remaining: remaining.length, repaired }
    const found = { outcome, root: context.root().path, findings, ...counts, ...(cluster && { cluster }) } as const
    return bounded(found, { findings: 'first' }, limit)
  },
})

/** By the worst that is left. A note asks for nothing. */
const outcomeOf = { error: 'unhealthy', warning: 'attention', note: undefined } as const

/** Older ones get no corrections any more. */
const oldestSupported = [3, 5] as const

function oldVersions({ members, place }: ClusterHealth): Finding[] {
  const isOld = (version: string) => {
    const [major = 0, minor = 0] = version.split('.').map(Number)
    return major < oldestSupported[0] || (major === oldestSupported[0] && minor < oldestSupported[1])
  }
  const old = [...new Set(members.flatMap(({ version }) => (version && isOld(version) ? [version] : [])))]
  return old.map((version) => {
    const message = `etcd ${version} is not supported any more; it will do for tests.`
    return finding('note', 'OLD_ETCD', place, message, 'Run 3.6 or later in production.')
  })
}

/** A check that finds one of these at a place cannot look any further there, so other findings there mean the same. */
const closed = new Set([
  ...['NOT_A_LEAF', 'NOT_A_FOLDER', 'UNUSABLE_NAME', 'UNREADABLE_FILE', 'UNREADABLE_FOLDER'],
  ...['CLOSED_MESSAGE', 'PERMISSION_DENIED'],
])

/**
 * What stands in the way of several checks is one thing to put right. The engine tells of a link or of a file that this user
 * may not read, and each protocol that meets it does too: of these the first one of the worst severity is kept.
 */
function toldOnce(all: readonly Finding[], root: string): Finding[] {
  const placeOf = ({ path }: Finding) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)
  const worst = new Map<string, Finding>()
  for (const one of all.filter(({ code }) => closed.has(code))) {
    const known = worst.get(placeOf(one))
    if (!known || rank[one.severity] < rank[known.severity]) worst.set(placeOf(one), one)
  }
  const told = new Set<string>()
  return all.filter((one) => {
    const { code, message } = one
    const isFirst = told.size < told.add(`${code} ${placeOf(one)} ${message}`).size
    return isFirst && (worst.get(placeOf(one)) ?? one) === one
  })
}

const rank = { error: 0, warning: 1, note: 2 } as const
