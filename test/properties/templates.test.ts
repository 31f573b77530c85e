/**
 * Templates and data made up by chance, rendered by our interpreter and by Jinja2 itself: the same bytes, or the same error at
 * the same place. A failure names the seed, which makes the case again.
 */
import { describe, expect } from 'vitest'
import { askJinja2, haveJinja2 } from '../support/jinja2.ts'
import { verifies } from '../support/verifies.ts'
import { findDifference, renderCase } from './templates/compare.ts'
import { RandomTemplates } from './templates/random.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
/** 60 in `npm test`, 2,000 in `npm run soak`, other ones every day. */
const count = scale > 1 ? 400 * scale : 60
const firstSeed = Number(
  process.env.SIGNALBOX_TEST_SEED ?? (scale > 1 ? Math.floor(Date.now() / 86_400_000) * 10_000 : 1),
)

describe('templates by chance', () => {
  const oracle = haveJinja2()
  const reason = 'reason' in oracle ? oracle.reason : undefined
  verifies.unless(reason, ['DO-3a', 'DO-3d'], `${count} of them render as Jinja2 renders them`, async () => {
    if ('reason' in oracle) throw new Error(oracle.reason)
    const seeds = Array.from({ length: count }, (_, i) => firstSeed + i)
    const cases = seeds.map((seed) => new RandomTemplates(seed).makeCase())
    const answers = askJinja2(oracle.python, cases)
    const differences: string[] = []
    for (const [i, one] of cases.entries()) {
      const difference = findDifference(answers[i]!, await renderCase(one), one)
      if (difference === undefined) continue
      differences.push(`SIGNALBOX_TEST_SEED=${seeds[i]}\n${JSON.stringify(one.templates)}\n${one.data}\n${difference}`)
    }
    expect(differences).toEqual([])
    // A generator that makes nothing but mistakes would prove little.
    expect(answers.filter((answer) => 'text' in answer).length).toBeGreaterThan(count / 6)
  })
})
