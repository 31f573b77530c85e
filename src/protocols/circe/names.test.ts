import { describe, expect, it } from 'vitest'
import { isSegment } from '../../kernel/tree-path.ts'
import { agentId, fileName, fileNameOf, isFileName, isSameAgent, participant, taskId } from './names.ts'

const hostile = [
  '',
  '.',
  '..',
  '../x',
  'a/b',
  '/etc',
  'a\\b',
  'a\0b',
  'a\nb',
  ' a',
  'a ',
  '.hidden',
  'a.',
  '-a',
  '_a',
  'ä',
  '\u202ea',
  'x'.repeat(65),
]

describe('names', () => {
  it.each(hostile)('[CI-3b] %j is no agent and no task: exit status 2', (text) => {
    expect(() => agentId(text)).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_ID', exit: 2 }))
    expect(() => taskId(text)).toThrow(expect.objectContaining({ code: 'INVALID_TASK_ID', exit: 2 }))
  })

  it.each(['all', 'ALL', 'rooster', 'ROOSTER', 'RooSter'])('%s is reserved', (text) => {
    expect(() => agentId(text)).toThrow(/has a meaning of its own/)
    expect(taskId(text)).toBe(text)
  })

  it('are kept or made lower case; 64 characters are the most', () => {
    expect(agentId('Engineer-2')).toBe('engineer-2')
    expect(agentId('x'.repeat(64))).toBe('x'.repeat(64))
    expect(taskId(`FEAT-${'0'.repeat(59)}`)).toHaveLength(64)
    expect(isSameAgent('QA', 'qa')).toBe(true)
    expect([participant('Rooster', 'from'), participant('All', 'to'), participant('QA', 'to')]).toEqual([
      'ROOSTER',
      'all',
      'qa',
    ])
    expect(() => participant('all', 'from')).toThrow(expect.objectContaining({ exit: 2 }))
  })

  it('the reason is told, and what was given is shown harmless', () => {
    expect(() => agentId('x'.repeat(65))).toThrow('it has 65 characters; 64 is the most')
    expect(() => agentId('.a')).toThrow('a name cannot begin with a dot')
    expect(() => agentId('')).toThrow('the name is empty')
    expect(() => agentId('a\u001b[31m\u202e')).toThrow('"a\\u001b[31m\\u202e"')
  })
})

describe('the file of a message', () => {
  it('is named with or without its folder and ending', () => {
    for (const text of ['x_y.md', 'x_y', 'AI_MANAGER/NEW_MESSAGES/x_y.md', './x_y'])
      expect(fileName(text)).toBe('x_y.md')
  })
  it.each(['', '/', 'a/', '..', '../..', '.hidden', '.hidden.md', 'a\0b', 'a\nb.md', 'a\\b', `${'x'.repeat(200)}.md`])(
    'is not called %j',
    (text) => {
      expect(() => fileName(text)).toThrow(expect.objectContaining({ code: 'INVALID_FILE_NAME', exit: 2 }))
    },
  )
  it.each(['x.txt', 'x', '.x.md', 'a/b.md', '.md'])('a file %j is no message', (text) => {
    expect(isFileName(text)).toBe(false)
  })
})

describe('the name of a new file', () => {
  const parts = {
    time: Date.parse('2025-11-06T14:02:11.999Z'),
    from: 'Coordinator',
    to: 'ENGINEER',
    intent: 'implement_feature',
    task: 'FEAT-021',
  }
  it('[CI-3] is made of time, agents, intent and task', () => {
    expect(fileNameOf(parts)).toBe('20251106_140211_coordinator-engineer_implement-feature_FEAT-021.md')
    expect(fileNameOf({ ...parts, task: undefined })).toBe('20251106_140211_coordinator-engineer_implement-feature.md')
    expect(fileNameOf(parts, 2)).toBe('20251106_140211_coordinator-engineer_implement-feature_FEAT-021.2.md')
    expect(fileNameOf({ ...parts, to: 'all' }, 13)).toBe(
      '20251106_140211_coordinator-all_implement-feature_FEAT-021.13.md',
    )
  })
  it('[CI-3] the longest of everything is still a name', () => {
    const long = { ...parts, from: 'f'.repeat(64), to: 't'.repeat(64), intent: 'i'.repeat(40), task: 'T'.repeat(64) }
    for (const nth of [1, 2, 999_999]) {
      const name = fileNameOf(long, nth)
      expect([isFileName(name), isSegment(name)]).toEqual([true, true])
      expect(name).toContain(`_${'i'.repeat(40)}_${'T'.repeat(64)}`)
    }
  })
})
