import { describe, expect, it } from 'vitest'
import { treePath } from '../../kernel/tree-path.ts'
import {
  agentId,
  archivePath,
  compactTime,
  fallbackManifestPath,
  fileNameOf,
  isMessageName,
  isoTime,
  manifestPath,
  missionAddress,
  missionFolders,
  missionPath,
  parseFileName,
  parseTime,
  queuePath,
  recipientId,
  subMissionsPath,
} from './layout.ts'

const hostile = [
  '',
  '.',
  '..',
  '.hidden',
  '-x',
  '_x',
  'a b',
  'a\0b',
  'a\nb',
  'a\\b',
  'ä',
  'a:b',
  'a\u202eb',
  'x'.repeat(65),
]

describe('agents', () => {
  it.each(['claude', 'gemini', 'dev-1', 'A.b_c-d', '7', 'to', 'from', 'tom', 'a-too-b', 'x'.repeat(64)])(
    '%s',
    (text) => {
      expect([agentId(text), recipientId(text)]).toEqual([text, text])
    },
  )

  const dividing = ['a-from-b', 'a-to-b', 'to-b', 'from-b', 'a-to', 'a-from']
  it.each([...hostile, ...dividing, 'a/b', 'ALL', 'All'])('[AC-3.1] %j is none', (text) => {
    for (const check of [agentId, recipientId]) {
      expect(() => check(text)).toThrow(expect.objectContaining({ kind: 'InvalidInput', code: 'INVALID_AGENT_ID' }))
    }
  })

  it('`all` only receives', () => {
    expect(recipientId('all')).toBe('all')
    expect(() => agentId('all')).toThrow('stands for any agent')
  })

  it('are refused without a trace of what a terminal would obey', () => {
    expect(() => agentId('\u001b[2J\u202e')).toThrow(/^[ -~]*$/)
  })
})

describe('missions', () => {
  const root = treePath('llm/missions')
  it.each([
    ['alpha', 'llm/missions/alpha'],
    ['main-project/feature-x', 'llm/missions/main-project/sub-missions/feature-x'],
    ['a/b/queue', 'llm/missions/a/sub-missions/b/sub-missions/queue'],
  ])('%s lies in %s', (text, path) => {
    expect(missionPath({ root, address: missionAddress(text) })).toBe(path)
  })

  const deep = Array.from({ length: 100 }, () => 'a').join('/')
  it.each([...hostile, '/a', 'a/', 'a//b', 'a/../b', 'sub-missions', 'a/Sub-Missions/b', deep])(
    '%j is none',
    (text) => {
      expect(() => missionAddress(text)).toThrow(
        expect.objectContaining({ kind: 'InvalidInput', code: 'INVALID_MISSION_NAME' }),
      )
    },
  )

  it('have their places', () => {
    const place = { root: treePath(''), address: missionAddress('a/b') }
    expect(queuePath(place, 'pending')).toBe('a/sub-missions/b/queue/pending')
    expect(subMissionsPath(place)).toBe('a/sub-missions/b/sub-missions')
    expect(manifestPath(place)).toBe('a/sub-missions/b/_meta/manifest.md')
    expect(fallbackManifestPath(place)).toBe('a/sub-missions/b/manifest.md')
    expect(archivePath(place)).toBe('a/sub-missions/b/archive')
    expect(missionFolders).toEqual([
      '_meta',
      'context',
      'findings',
      'artifacts',
      'archive',
      'queue/pending',
      'queue/processing',
      'queue/completed',
      'queue/failed',
    ])
  })
})

describe('file names', () => {
  const record = { id: 'a1b2c3d4-e5f6', timestamp: '2025-07-04T10:30:00Z', from: 'claude', to: 'all' }

  it('[AC-3.1] show time, short id, sender and recipient', () => {
    expect(fileNameOf(record)).toBe('20250704103000-a1b2c3d4-from-claude-to-all.md')
    expect(fileNameOf({ ...record, timestamp: '2025-07-04T12:30:00.9+02:00' })).toBe(fileNameOf(record))
    expect(parseFileName(fileNameOf(record))).toEqual({
      timestamp: '20250704103000',
      shortId: 'a1b2c3d4',
      from: 'claude',
      to: 'all',
    })
  })

  it('can show more of the id, as far as it fits', () => {
    expect(fileNameOf(record, 64)).toBe('20250704103000-a1b2c3d4-e5f6-from-claude-to-all.md')
    const long = { ...record, id: 'i'.repeat(64), from: 'f'.repeat(64), to: 't'.repeat(64) }
    expect(fileNameOf(long, 64)).toHaveLength(180)
    expect(parseFileName(fileNameOf(long, 64))?.shortId).toBe('i'.repeat(24))
  })

  it('need a time', () => {
    expect(() => fileNameOf({ ...record, timestamp: 'soon' })).toThrow(
      expect.objectContaining({ code: 'INVALID_TIMESTAMP' }),
    )
  })

  it.each([
    '20250704103000-design-the-schema.md',
    '20250704103000-a1b2c3d4-from-claude-to-gemini.txt',
    '20250704103000-a1b2c3d4-from-claude-to-.md',
    '20250704103000-a1b2c3d4-to-claude-from-gemini.md',
    '20250704103000--from-claude-to-gemini.md',
    '20251304103000-a1b2c3d4-from-claude-to-gemini.md',
    '2025070410300-a1b2c3d4-from-claude-to-gemini.md',
    '20250704103000-a1b2c3d4-from-cl aude-to-gemini.md',
    '20250704103000-../x-from-a-to-b.md',
    'note.md',
    '-to-.md',
    '',
  ])('%j says nothing', (name) => {
    expect(parseFileName(name)).toBeUndefined()
  })

  it.each([
    ['a.md', true],
    ['note.tmp.md', true],
    ['.a.md', false],
    ['.md', false],
    ['a.md.tmp', false],
    ['a.MD', false],
    ['a.txt', false],
  ])('%s: a message? %s', (name, is) => {
    expect(isMessageName(name)).toBe(is)
  })
})

describe('times', () => {
  const at = Date.UTC(2025, 6, 4, 10, 30)
  it('are written in whole seconds of UTC', () => {
    expect([isoTime(at + 999), compactTime(at)]).toEqual(['2025-07-04T10:30:00Z', '20250704103000'])
  })

  it.each([
    ['2025-07-04T10:30:00Z', at],
    ['2025-07-04T10:30:00.25Z', at + 250],
    ['2025-07-04t10:30z', at],
    ['2025-07-04 10:30:00', at],
    ['2025-07-04T12:30:00+02:00', at],
    ['2025-07-04T05:00:00 -0530', at],
    ['2025-07-04', Date.UTC(2025, 6, 4)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['0001-01-01T00:00:00Z', -62135596800000],
    ['2025-02-29T00:00:00Z', undefined],
    ['1900-02-29T00:00:00Z', undefined],
    ['2025-04-31T00:00:00Z', undefined],
    ['2025-00-01T00:00:00Z', undefined],
    ['2025-07-04T24:00:00Z', undefined],
    ['2025-07-04T10:60:00Z', undefined],
    ['20250704103000', undefined],
    ['1751625000', undefined],
    ['today', undefined],
    ['', undefined],
  ])('%s', (text, ms) => {
    expect(parseTime(text)).toBe(ms)
  })
})
