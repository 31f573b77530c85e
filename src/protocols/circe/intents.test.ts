import { describe, expect, it } from 'vitest'
import {
  aboutCode,
  asksForWork,
  expectKnownIntent,
  intentRows,
  intents,
  isForFirstMover,
  needsTask,
  takesTask,
} from './intents.ts'

/** "Standard Intents" of the specification. */
const standard = {
  'task management': ['implement_feature', 'fix_bug', 'refactor', 'review_code', 'test'],
  coordination: ['status_update', 'request_help', 'claim_task', 'release_task', 'coordinate'],
  communication: ['question', 'answer', 'escalate', 'inform'],
  quality: ['test_results', 'audit_report', 'approval_request'],
}

/** Its "Intent Registry". */
const registry: [intent: string, from: string, to: string][] = [
  ['implement_feature', 'coordinator', 'engineer'],
  ['fix_bug', 'anyone', 'engineer'],
  ['test', 'engineer', 'QA'],
  ['test_results', 'QA', 'engineer or coordinator'],
  ['review_code', 'engineer', 'engineer or SCRIBE'],
  ['audit', 'SCRIBE', 'EAGLE'],
  ['audit_report', 'EAGLE', 'SCRIBE or coordinator'],
  ['document', 'anyone', 'SCRIBE'],
  ['escalate', 'anyone', 'coordinator or ROOSTER'],
  ['status_update', 'anyone', 'coordinator'],
  ['coordinate', 'anyone', 'anyone'],
]
const all = [...intents.keys()]

describe('intents', () => {
  it('[CI-2] are those of both lists, and no others', () => {
    expect(new Set(all)).toEqual(new Set([...Object.values(standard).flat(), ...registry.map(([intent]) => intent)]))
    for (const [group, names] of Object.entries(standard))
      for (const name of names) expect(intents.get(name)?.group, name).toBe(group)
  })
  it.each(registry)('[CI-2] %s goes from %s to %s', (intent, from, to) => {
    expect(intents.get(intent)).toMatchObject({ from, to })
  })
  it('[CI-1b] which need a task, are requests, take the task, go to the first mover', () => {
    expect(all.filter(needsTask).sort()).toEqual(
      [...standard['task management'], ...standard.quality, 'claim_task', 'release_task'].sort(),
    )
    expect(all.filter(asksForWork).sort()).toEqual([...standard['task management'], 'audit', 'document'].sort())
    expect(all.filter(takesTask)).toEqual(['implement_feature', 'fix_bug', 'refactor'])
    expect(all.filter(isForFirstMover)).toEqual(standard['task management'])
    expect(aboutCode).toEqual(['implement_feature', 'fix_bug', 'refactor'])
  })
  it('[CI-2] an unknown one is refused with the nearest, unless it is configured', () => {
    const refused = (intent: string, further: string[] = []) => {
      try {
        expectKnownIntent(intent, further)
      } catch (error) {
        return error as { code: string; exit: number; hint: string }
      }
      return undefined
    }
    expect(refused('implement-feature')).toMatchObject({
      code: 'UNKNOWN_INTENT',
      exit: 2,
      hint: 'Did you mean implement_feature?',
    })
    expect(refused('inforn')?.hint).toBe('Did you mean inform?')
    expect(refused('zzzzzzzzzzzz')?.hint).toContain('Use one of implement_feature, fix_bug,')
    expect(refused('deploy_relaese', ['deploy_release'])?.hint).toBe('Did you mean deploy_release?')
    expect(refused('deploy_release', ['deploy_release'])).toBeUndefined()
    for (const hostile of ['', '__proto__', 'constructor', 'toString', 'a\u001b[31m'])
      expect(refused(hostile)?.exit).toBe(2)
    for (const intent of all) expect(refused(intent)).toBeUndefined()
  })
  it('[CI-2] help shows each with who sends it to whom, and what it means for a task', () => {
    const rows = new Map(intentRows())
    expect([...rows.keys()]).toEqual(all)
    expect(rows.get('fix_bug')).toBe('put a mistake right: anyone to engineer (needs a task, about code)')
    expect(rows.get('claim_task')).toContain('(needs a task)')
    expect(rows.get('inform')).toBe('let others know: anyone to anyone')
  })
})
