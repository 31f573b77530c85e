import { describe, expect, it } from 'vitest'
import { matches, simple } from './policy-file.ts'

const isHeld = (pattern: string, text: string) => matches(pattern, simple(text))

describe('a pattern of the policy [AC-11.2b]', () => {
  it.each([
    ['rm -rf', 'Please RM -RF the cache', true],
    ['rm -rf', 'rm  -rf /', true],
    ['rm -rf', 'rm\t-rf /', true],
    ['rm -rf', 'rm\n-rf /', true],
    ['rm -rf', 'rm \r\n\u00a0 -rf /', true],
    ['rm -rf', 'rm \\\n  -rf /', true],
    ['rm\t -rf', 'rm -rf', true],
    ['rm -rf', 'rm-rf', false],
    ['deploy * production', 'deploy the shop\nto   production', true],
    ['deploy * production', 'deploy  production', true],
    ['deploy * production', 'deploy production', true],
    ['deploy * production', 'production deploy ', false],
    ['deploy*production', 'deployproduction', true],
    ['a*a', 'a', false],
    ['a \\ b', 'a \\ b', true],
  ])('%j in %j: %s', (pattern, text, held) => {
    expect(isHeld(pattern, text)).toBe(held)
  })

  it('takes time that grows with the text, whatever is in it', () => {
    const texts = [' '.repeat(2e5), '\\'.repeat(2e5), '\\\n'.repeat(1e5), 'rm '.repeat(1e5)]
    const startedAt = performance.now()
    for (const text of texts) expect(isHeld('rm * -rf * x', text)).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})
