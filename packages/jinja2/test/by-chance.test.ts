/**
 * Templates and data made up by chance, rendered by our interpreter and by Jinja2 itself: the same bytes, or the same error at
 * the same place. A failure names the seed, which makes the case again.
 */
import { describe, expect, it } from 'vitest'
import { findDifference, renderCase } from './compare.ts'
import { askJinja2, haveJinja2 } from './oracle.ts'
import { RandomTemplates } from './random.ts'

/** The same 60 every time; more of them, by JINJA2_CASES, are other ones every day. */
const few = 60
const count = Number(process.env.JINJA2_CASES ?? few)
const firstSeed = Number(process.env.JINJA2_SEED ?? (count > few ? Math.floor(Date.now() / 86_400_000) * 10_000 : 1))

describe('templates by chance', () => {
  const oracle = haveJinja2()
  const title = `[DO-3a][DO-3d] ${count} of them render as Jinja2 renders them`
  if ('reason' in oracle) {
    it.skip(`${title} (skipped: ${oracle.reason})`, () => {})
    return
  }
  it(title, async () => {
    const seeds = Array.from({ length: count }, (_, i) => firstSeed + i)
    const cases = seeds.map((seed) => new RandomTemplates(seed).makeCase())
    const answers = askJinja2(oracle.python, cases)
    const differences: string[] = []
    for (const [i, one] of cases.entries()) {
      const difference = findDifference(answers[i]!, await renderCase(one), one)
      if (difference === undefined) continue
      differences.push(`JINJA2_SEED=${seeds[i]}\n${JSON.stringify(one.templates)}\n${one.data}\n${difference}`)
    }
    expect(differences).toEqual([])
    // A generator that makes nothing but mistakes would prove little.
    expect(answers.filter((answer) => 'text' in answer).length).toBeGreaterThan(count / 6)
  })
})
