import { describe, expect, it } from 'vitest'
import type { Candidate } from './candidate.ts'
import { Ready } from './ready.ts'

const candidate = (to: string, priority: number): Candidate => ({
  name: `${to}-${priority}.md`,
  id: `${to}-${priority}`,
  to,
  priority,
  time: 0,
  dependencies: [],
  summary: '',
})

describe('Ready', () => {
  it("gives an agent the best of its own and of everyone's, and nothing of others", () => {
    const ready = new Ready()
    for (const [to, priority] of [
      ['gemini', 3],
      ['all', 2],
      ['codex', 1],
      ['gemini', 1],
      ['all', 4],
    ] as const) {
      ready.push(candidate(to, priority))
    }
    const given = () => ready.bestFor('gemini')?.pop()?.id
    expect([given(), given(), given(), given(), given()]).toEqual(['gemini-1', 'all-2', 'gemini-3', 'all-4', undefined])
    expect(ready.bestFor('gemini')?.peek()).toBeUndefined()
    expect([ready.sizeFor('codex'), ready.sizeFor('gemini'), ready.sizeFor('nobody')]).toEqual([1, 0, 0])
  })
})
