import { describe, expect, it } from 'vitest'
import { ageOf, diffLines, dryRunLines, listLines, rollbackLines, statusLines } from './answers.ts'
import { automaticName, riskOf } from './checkpoints.ts'
import {
  type CheckpointRecord,
  commitMessageOf,
  idOf,
  numberFrom,
  parseRecord,
  printRecord,
  recordFrom,
} from './record.ts'
import { readEarlier, stepFrom } from './step.ts'

const record: CheckpointRecord = {
  id: 'cp_001',
  name: 'before_refactor',
  type: 'manual',
  by: 'A',
  at: 1000,
  state: 'made',
}

describe('records', () => {
  it('ids have three digits or more, and one spelling each', () => {
    expect([1, 42, 999, 1000, 123456].map(idOf)).toEqual(['cp_001', 'cp_042', 'cp_999', 'cp_1000', 'cp_123456'])
    expect(
      ['cp_001', 'cp_1000', 'cp_1', 'cp_0001', 'cp_', 'CP_001', 'cp_1e3', 'cp_9999999999', ''].map(numberFrom),
    ).toEqual([1, 1000, ...Array(7).fill(undefined)])
  })

  it('print and parse are inverse; what is no record is none', () => {
    expect(parseRecord(Buffer.from(printRecord(record)))).toEqual(record)
    const changed = (part: object) => parseRecord(Buffer.from(JSON.stringify({ ...record, ...part })))
    for (const part of [{ id: '../x' }, { name: '$(x)' }, { type: 'odd' }, { at: 'now' }, { state: '' }, { by: 1 }])
      expect(changed(part), JSON.stringify(part)).toBe(undefined)
    for (const text of ['', 'null', '[]', '{', '"x"', '['.repeat(100)])
      expect(parseRecord(Buffer.from(text)), text).toBe(undefined)
  })

  it('the commit has the specified message, and says enough to find the checkpoint again', () => {
    expect(commitMessageOf(record)).toBe('Checkpoint: before_refactor [cp_001]')
    expect(recordFrom('cp_001', { message: commitMessageOf(record), at: 5 })).toMatchObject({
      name: 'before_refactor',
      at: 5,
    })
    expect(recordFrom('cp_002', { message: commitMessageOf(record), at: 5 })).toBe(undefined)
    expect(recordFrom('cp_001', { message: 'something else', at: 5 })).toBe(undefined)
  })

  const commit = 'a'.repeat(40)
  const about = { session: 'main', id: 'cp_002', name: 'x' }
  const rollback = { to: 'cp_001', commit }
  const first = { id: 'cp_002', commit }

  it('[X-notes] a step is read back, and what we would never have written is none', () => {
    const steps = [
      { ...about, do: 'save' },
      { ...about, do: 'keep', commit, branch: { to: commit, work: '0123456789ab' } },
      { ...about, do: 'place', commit, rollback: { ...rollback, first } },
    ]
    for (const step of steps) expect(stepFrom(JSON.parse(JSON.stringify(step)))).toEqual(step)
    const strange = [
      { ...about, do: 'format' },
      { ...about, do: 'save', session: '../main' },
      { ...about, do: 'save', id: 'x' },
      { ...about, do: 'keep' },
      { ...about, do: 'keep', commit: '--all' },
      { ...about, do: 'keep', commit, branch: { to: commit, work: '../..' } },
      { ...about, do: 'place', commit, rollback },
      null,
    ]
    for (const step of strange) expect(stepFrom(step), JSON.stringify(step)).toBe(undefined)
  })

  it('[X-notes] what an earlier version left is the step that is still to be done', () => {
    const earlier = (intent: unknown) => readEarlier({ readIntent: () => JSON.stringify(intent) })
    expect(earlier(about)).toEqual({ ...about, do: 'save' })
    expect(earlier({ ...about, commit })).toEqual({ ...about, do: 'keep', commit })
    expect(earlier({ ...about, commit, rollback })).toEqual({ ...about, do: 'keep', commit, rollback })
    const begun = { ...rollback, first }
    const placing = { ...rollback, placing: first }
    expect(earlier({ ...about, commit, rollback: placing })).toEqual({ ...about, do: 'place', commit, rollback: begun })
    expect(earlier({ ...about, id: 'cp_003', rollback: placing })).toMatchObject({ do: 'save', rollback: begun })
    expect(earlier({ ...about, id: 'cp_003', commit, rollback: placing })).toMatchObject({
      do: 'keep',
      rollback: begun,
    })
    expect(earlier({ ...about, commit, rollback: { ...placing, isPlaced: true } })).toMatchObject({
      do: 'restore',
      rollback: { ...begun, isPlaced: true },
    })
    expect(earlier({ session: 'main' })).toBe('strange')
    expect(readEarlier({ readIntent: () => undefined })).toBe(undefined)
  })
})

describe('[SA-13d] automatic checkpoints', () => {
  it.each([
    ['implement_auth', 'P0', 'delegation'],
    ['deploy_app', 'P2', 'deploy'],
    ['delete old files', 'P1', 'delete'],
    ['Remove-Users', undefined, 'delete'],
    ['implement_auth', 'P1', undefined],
    ['undeletable', 'P1', undefined],
    ['read the deployers manual', 'P3', undefined],
  ])('%s at %s: %s', (task, priority, risk) => {
    expect(riskOf({ task, ...(priority === undefined ? {} : { priority }) })).toBe(risk)
    if (risk) expect(automaticName(riskOf({ task, ...(priority ? { priority } : {}) })!)).toBe(`before_${risk}`)
  })
})

describe('answers', () => {
  const file = (path: string, kind: 'added' | 'changed' = 'changed') => ({ path, kind, added: 2, deleted: 1 })
  const nested: string[] = []

  it('[SA-3h] a list shows five and counts the rest', () => {
    const checkpoints = Array.from({ length: 7 }, (_, n) => ({ ...record, id: idOf(7 - n), commit: 'x' }))
    const lines = listLines({ checkpoints, now: 7_201_000 })
    expect(lines.length).toBe(6)
    expect(lines[0]).toBe('• cp_007 before_refactor (manual, 2h ago)')
    expect(lines[5]).toBe('+2 more')
    expect(listLines({ checkpoints: [], now: 0 })).toEqual(['not_found'])
  })

  it('a diff names files where more may be said', () => {
    const compared = { id: 'cp_001', nested, files: [file('a'), file('b\u001b[31m')] }
    expect(diffLines(compared)).toEqual(['Files changed: 2, Lines: +4 -2'])
    expect(diffLines(compared, { files: 5 })).toEqual([
      'Files changed: 2, Lines: +4 -2',
      '• a +2 -1',
      '• b\\x1b[31m +2 -1',
    ])
    expect(diffLines(compared, { files: 1 })[2]).toBe('+1 more')
  })

  it('[SA-3i] a dry run names what would be removed first', () => {
    const compared = { id: 'cp_001', nested: ['sub/'], files: [file('a'), file('b', 'added')] }
    expect(dryRunLines(compared)).toEqual([
      'dry_run:cp_001',
      'Files to restore: 2',
      '• remove b',
      '• restore a',
      'left_alone:sub/ (a repository of its own)',
    ])
  })

  it('what was recovered is said, and the line that counts stays in its place', () => {
    const recovered = { outcome: 'undone' as const, what: 'checkpoint' as const, id: 'cp_009', session: 'main' }
    expect(statusLines({ last: undefined, now: 0, recovered })).toEqual([
      'none',
      'undone:checkpoint cp_009 (it was cut off)',
    ])
    const done = {
      id: 'cp_001',
      saved: 'cp_002',
      hadChanges: false,
      files: 0,
      left: [],
      keys: 0,
      released: [],
      nested,
      recovered,
    }
    const lines = rollbackLines(done)
    expect(lines[0]).toBe('undone:checkpoint cp_009 (it was cut off)')
    expect(lines.at(-1)).toBe('rolled_back:cp_001')
  })

  it('ages', () => {
    expect([-5, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000].map(ageOf)).toEqual([
      '0s ago',
      '59s ago',
      '1m ago',
      '59m ago',
      '1h ago',
      '1d ago',
    ])
  })
})
