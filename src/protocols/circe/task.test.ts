import { describe, expect, it } from 'vitest'
import { agentId, type TaskId } from './names.ts'
import { checksOf, newTask, printTaskFile, readTask, type Task, type TaskTexts } from './task.ts'

const id = 'FEAT-021' as TaskId
const time = (text: string) => Date.parse(text)
const task: Task = {
  id,
  status: 'in_progress',
  owner: agentId('engineer'),
  claimedAt: time('2025-11-06T14:05:00Z'),
  startedAt: time('2025-11-06T14:05:00Z'),
  updatedAt: time('2025-11-06T15:30:00Z'),
  checks: checksOf({ tests_passed: false, coverage_threshold_met: false, peer_reviewed: false }),
}
const status =
  'task_id: FEAT-021\nstatus: in_progress\nowner: engineer\nstarted_at: 2025-11-06T14:05:00Z\nupdated_at: 2025-11-06T15:30:00Z\n'
const owner = 'owner: engineer\nclaimed_at: 2025-11-06T14:05:00Z\n'
const checks = 'tests_passed: false\ncoverage_threshold_met: false\npeer_reviewed: false\nready_for_merge: false\n'
const texts = (some: Partial<TaskTexts> = {}): TaskTexts => ({ status, owner, checks, ...some })
const none: TaskTexts = { status: undefined, owner: undefined, checks: undefined }
const problemsOf = (some: Partial<TaskTexts>) =>
  readTask(id, texts(some)).problems.map(({ file, field, message }) => [file, field, message])

describe('the three files of a task', () => {
  it('[CI-5b] are printed as in the specification, and read back', () => {
    expect(printTaskFile('status', task, undefined)).toBe(status)
    expect(printTaskFile('owner', task, undefined)).toBe(owner)
    expect(printTaskFile('checks', task, undefined)).toBe(checks)
    expect(readTask(id, texts())).toEqual({ task, problems: [], isClaimedByHand: false })
  })

  it('[CI-5b] what is not known is null, and read back as not known', () => {
    const bare = newTask(id)
    const printed = printTaskFile('status', bare, undefined)
    expect(printed).toBe('task_id: FEAT-021\nstatus: new\nowner: null\nstarted_at: null\nupdated_at: null\n')
    expect(readTask(id, { ...none, status: printed })).toEqual({ task: bare, problems: [], isClaimedByHand: false })
    expect(readTask(id, none)).toEqual({ task: bare, problems: [], isClaimedByHand: false })
  })

  it('[CI-5b] unknown fields, comments, order, line ends and a byte-order mark stay', () => {
    const before =
      '\ufeff# by hand\r\nstatus: claimed # for now\r\nmood: "fine: really"\r\ntask_id: FEAT-021\r\ntags: [a, b]\r\nowner: engineer'
    const after = printTaskFile('status', task, before)
    expect(after).toBe(
      '\ufeff# by hand\r\nstatus: in_progress # for now\r\nmood: "fine: really"\r\ntask_id: FEAT-021\r\ntags: [a, b]\r\nowner: engineer\r\nstarted_at: 2025-11-06T14:05:00Z\r\nupdated_at: 2025-11-06T15:30:00Z\r\n',
    )
    expect(readTask(id, texts({ status: after }))).toEqual({ task, problems: [], isClaimedByHand: false })
    // What says it already is left to the byte.
    expect(printTaskFile('status', task, after)).toBe(after)
    expect(printTaskFile('checks', task, `${checks}\nlinted: true\n`)).toBe(`${checks}\nlinted: true\n`)
  })

  it('`ready_for_merge` follows from the others, whatever the file says', () => {
    const all = checks.replaceAll('false', 'true')
    expect(readTask(id, texts({ checks: all })).task.checks.ready_for_merge).toBe(true)
    const forged = checks.replace('ready_for_merge: false', 'ready_for_merge: true')
    expect(readTask(id, texts({ checks: forged })).task.checks.ready_for_merge).toBe(false)
    expect(printTaskFile('checks', task, forged)).toBe(checks)
  })

  it('values of other spelling count', () => {
    const odd = `status: "done"\nowner: 'Engineer'\nstarted_at: "2025-11-06T14:05:00Z"\n`
    const { task: read, problems } = readTask(id, texts({ status: odd, owner: 'owner: ENGINEER\n', checks: '' }))
    expect(problems).toEqual([])
    expect(read).toMatchObject({ status: 'completed', owner: 'engineer', startedAt: task.startedAt })
    expect(read.claimedAt).toBeUndefined()
  })

  it.each<[string, Partial<TaskTexts>, string, string, string]>([
    ['no YAML', { status: 'task_id: FEAT-021\nstatus: [\n' }, 'status', '', 'Line '],
    ['a list', { owner: '- engineer\n' }, 'owner', '', 'Line 1'],
    ['only text', { checks: 'hello there\n' }, 'checks', '', 'Line 1'],
    ['a key twice', { owner: 'owner: a\nowner: b\n' }, 'owner', '', 'Line 2'],
    [
      'another task',
      { status: status.replace('FEAT-021', 'FEAT-022') },
      'status',
      'task_id',
      'Line 1: `task_id` must be FEAT-021, as the file is called; found "FEAT-022".',
    ],
    [
      'no such status',
      { status: status.replace('in_progress', 'busy') },
      'status',
      'status',
      'Line 2: `status` must be one of new, claimed, in_progress, blocked, failed, completed; found "busy".',
    ],
    ['no status at all', { status: 'task_id: FEAT-021\n' }, 'status', 'status', '`status` must be one of'],
    [
      'no time',
      { status: status.replace('2025-11-06T14:05:00Z', 'soon') },
      'status',
      'started_at',
      'Line 4: `started_at` must be a time',
    ],
    [
      'a list for a time',
      { status: status.replace('2025-11-06T14:05:00Z', '[1]') },
      'status',
      'started_at',
      'Line 4: `started_at` must be a time',
    ],
    [
      'no agent',
      { owner: 'claimed_at: 2025-11-06T14:05:00Z\nowner: ../x\n' },
      'owner',
      'owner',
      'Line 2: `owner` must be the name of an agent; found "../x".',
    ],
    ['everybody', { owner: 'owner: all\n' }, 'owner', 'owner', 'Line 1: `owner` must be'],
    ['an empty file', { owner: '' }, 'owner', 'owner', '`owner` must be the name of an agent; found "".'],
    [
      'neither true nor false',
      { checks: checks.replace('peer_reviewed: false', 'peer_reviewed: maybe') },
      'checks',
      'peer_reviewed',
      'Line 3: `peer_reviewed` must be true or false; found "maybe".',
    ],
  ])('[CI-5b] %s: told with its line, and the rest stands in for it', (_, some, file, field, words) => {
    const problems = problemsOf(some)
    expect(problems.map(([of, about]) => [of, about])).toEqual([[file, field]])
    expect(problems[0]![2]).toContain(words)
    expect(readTask(id, texts(some)).task.id).toBe(id)
  })

  it('far too long a file is told, not read', () => {
    expect(problemsOf({ status: `${status}${'x: y\n'.repeat(100_000)}` })[0]![2]).toMatch(/longer than \d+ characters/)
  })

  it('[CI-5c] `.owner` made by hand is a claim, unless `.status` speaks of the same owner or the task is over', () => {
    const byHand = (said: string | undefined) => {
      const { task: read, isClaimedByHand } = readTask(id, { ...none, status: said, owner })
      return [read.status, read.owner, isClaimedByHand]
    }
    expect(byHand(undefined)).toEqual(['claimed', 'engineer', true])
    expect(byHand('task_id: FEAT-021\nstatus: new\nowner: null\n')).toEqual(['claimed', 'engineer', true])
    expect(byHand('status: new\nowner: qa\n')).toEqual(['claimed', 'engineer', true])
    // A record of who had it before it was opened again.
    expect(byHand('status: new\nowner: engineer\n')).toEqual(['new', 'engineer', false])
    expect(byHand('status: completed\nowner: qa\n')).toEqual(['completed', 'engineer', false])
    expect(byHand(status)).toEqual(['in_progress', 'engineer', false])
  })
})
