import type { Finding } from '../tree/tree.ts'
import { defineOperation } from './define.ts'
import { checks } from './doctor-checks.ts'
import { flag } from './field.ts'

export const doctor = defineOperation({
  name: 'doctor',
  summary: 'Look for what is out of order, and repair what can be repaired.',
  more: 'Notes and warnings leave the exit status at 0; an error that remains makes it 5.',
  input: { fix: flag('Put right what can be put right without losing anything.') },
  outcomes: { healthy: 'done', repaired: 'done', unhealthy: 'Corrupt' },
  examples: [
    { command: 'doctor', does: 'look, and change nothing' },
    { command: 'doctor --fix', does: 'repair what can be repaired' },
  ],

  async run(context, { fix }) {
    const findings: Finding[] = []
    // A directory that is no workspace is not ours to change.
    let repair = fix && context.root().by !== 'current'
    for (const [index, check] of checks.entries()) {
      context.report.progress(check.name, index, checks.length)
      const found = await check.run(context, { repair })
      findings.push(...found)
      // With settings we cannot read, a repair might go against them: from here on, only look.
      if (check.decidesRepair && found.some(({ severity }) => severity === 'error')) repair = false
    }
    context.report.progress('done', checks.length, checks.length)
    findings.sort((a, b) => rank[a.severity] - rank[b.severity])
    const remaining = findings.filter(({ repaired }) => !repaired)
    const repaired = findings.length - remaining.length
    const isUnhealthy = remaining.some(({ severity }) => severity === 'error')
    const outcome = isUnhealthy ? 'unhealthy' : repaired > 0 ? 'repaired' : 'healthy'
    return { outcome, root: context.root().path, findings, remaining: remaining.length, repaired } as const
  },
})

const rank = { error: 0, warning: 1, note: 2 } as const
