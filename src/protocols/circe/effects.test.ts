/** The table of the README, line by line: what each message does to its task, and what it does not. */
import { describe, expect, it } from 'vitest'
import { claimed, type Effect, effectOf } from './effects.ts'
import { agentId, type TaskId } from './names.ts'
import type { CirceMessage } from './schema.ts'
import { defaultSettings } from './settings.ts'
import { checksOf, newTask, type Task, type TaskFacts } from './task.ts'

const id = 'AUTH-012' as TaskId
const at = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000
type Said = Pick<CirceMessage, 'from' | 'to' | 'intent' | 'status' | 'time'>
const said = (intent: string, from: string, more: Partial<Said> = {}): Said => ({
  ...{ from, to: 'coordinator', intent, status: 'new', time: at },
  ...more,
})
const facts: TaskFacts = { reviewers: [], request: { from: 'coordinator', intent: 'implement_feature', time: at } }
const free: Task = newTask(id)
const owned: Task = { ...claimed(free, facts, agentId('engineer'), at - 10 * minute).task }
const tested: Task = { ...owned, checks: checksOf({ ...owned.checks, tests_passed: true }) }
const working: Task = { ...owned, status: 'in_progress' }
const blocked: Task = { ...owned, status: 'blocked' }
const completed: Task = { ...tested, status: 'completed' }
const does = (task: Task, message: Said, known = facts, settings = defaultSettings): Effect =>
  effectOf(task, known, message, at, settings)
/** What can be seen of a task besides its times. */
const seen = ({ task, told, next, refused }: Effect) => ({
  status: task.status,
  owner: task.owner,
  tests: task.checks.tests_passed,
  reviewed: task.checks.peer_reviewed,
  ...{ told, next, refused },
})
const nothing = (task: Task) => ({
  ...{ status: task.status, owner: task.owner, tests: task.checks.tests_passed, reviewed: task.checks.peer_reviewed },
  ...{ told: '', next: undefined, refused: undefined },
})
const refused = (task: Task, why: string) => ({ ...nothing(task), told: 'refused', refused: why })

describe('[CI-5] `claim_task`, and work that is claimed', () => {
  it('from A: A owns it, it is claimed, its checks are false', () => {
    const dirty = {
      ...free,
      checks: checksOf({ tests_passed: true, coverage_threshold_met: true, peer_reviewed: true }),
    }
    const effect = does(dirty, said('claim_task', 'Engineer'))
    expect(seen(effect)).toMatchObject({ status: 'claimed', owner: 'engineer', tests: false, next: 'own' })
    expect(effect.task).toMatchObject({ claimedAt: at, startedAt: at, updatedAt: at })
    expect(effect.task.checks).toEqual({
      ...{ tests_passed: false, coverage_threshold_met: false, peer_reviewed: false, ready_for_merge: false },
    })
  })
  it('changes nothing if somebody owns it, and its owner is told nothing new', () => {
    expect(seen(does(owned, said('claim_task', 'qa')))).toEqual(refused(owned, 'engineer owns AUTH-012'))
    expect(seen(does(owned, said('claim_task', 'ENGINEER')))).toEqual(nothing(owned))
    expect(seen(does(free, said('claim_task', 'ROOSTER')))).toEqual(refused(free, 'only an agent can own a task'))
  })
  it('work that only arrives owns nothing, and says who asked', () => {
    for (const intent of ['implement_feature', 'fix_bug', 'refactor']) {
      const effect = does(free, said(intent, 'lead'), { reviewers: [] })
      expect(seen(effect)).toEqual(nothing(free))
      expect(effect.facts.request).toEqual({ from: 'lead', intent, time: at })
    }
  })
  it('the first request by time counts, in whatever order they are found', () => {
    const earlier = said('fix_bug', 'lead', { time: at - minute })
    expect(does(free, earlier).facts.request?.from).toBe('lead')
    expect(does(free, said('fix_bug', 'lead', { time: at + minute })).facts.request?.from).toBe('coordinator')
    expect(does(free, said('inform', 'lead', { time: at - minute })).facts.request?.from).toBe('coordinator')
  })
  it('work counts before other requests, also where those came first', () => {
    const document: TaskFacts = { reviewers: [], request: { from: 'scribe', intent: 'document', time: at - minute } }
    expect(does(free, said('fix_bug', 'lead'), document).facts.request?.from).toBe('lead')
    expect(does(free, said('test', 'qa', { time: at - minute })).facts.request?.from).toBe('coordinator')
  })
  it('a test that is asked for while somebody owns the task is not what it began with', () => {
    const unknown: TaskFacts = { reviewers: [] }
    for (const intent of ['test', 'review_code', 'audit', 'document'])
      for (const from of ['engineer', 'lead'])
        expect(does(owned, said(intent, from), unknown).facts.request).toBeUndefined()
    expect(does(owned, said('fix_bug', 'lead'), unknown).facts.request?.from).toBe('lead')
    expect(does(free, said('test', 'lead'), unknown).facts.request?.from).toBe('lead')
    const earlier = said('document', 'lead', { time: at - 11 * minute })
    expect(does(owned, earlier, unknown).facts.request?.from).toBe('lead')
  })
  it('[CI-2] a configured intent can be what a task began with', () => {
    const settings = { ...defaultSettings, furtherIntents: ['plan_release'] }
    const unknown: TaskFacts = { reviewers: [] }
    const { facts: planned } = does(free, said('plan_release', 'lead'), unknown, settings)
    expect(planned.request).toEqual({ from: 'lead', intent: 'plan_release', time: at })
    expect(does(free, said('plan_release', 'lead'), unknown).facts.request).toBeUndefined()
    expect(does(free, said('test', 'qa'), planned, settings).facts.request?.from).toBe('qa')
    const update = said('status_update', 'lead', { status: 'completed' })
    expect(does(owned, update, planned, settings).next).toBe('complete')
    expect(does(owned, update, planned, { ...settings, needTests: new Set(['plan_release']) }).refused).toContain(
      'needs tests_passed',
    )
  })
})

describe('[CI-5] `status_update`', () => {
  it('with `in_progress` from the owner: in progress', () => {
    const update = said('status_update', 'Engineer', { status: 'in_progress' })
    expect(seen(does(owned, update))).toMatchObject({ status: 'in_progress', told: 'in_progress' })
    expect(seen(does(owned, { ...update, from: 'qa' }))).toEqual(nothing(owned))
    expect(seen(does(owned, { ...update, intent: 'inform' }))).toEqual(nothing(owned))
    expect(seen(does(free, update))).toEqual(nothing(free))
  })
  it('with `failed` from the owner: failed', () => {
    const update = said('status_update', 'engineer', { status: 'failed' })
    expect(seen(does(working, update))).toMatchObject({ status: 'failed', told: 'failed' })
    expect(seen(does(working, { ...update, from: 'coordinator' }))).toEqual(nothing(working))
  })
  it('with `new` says nothing', () => {
    expect(seen(does(working, said('status_update', 'engineer')))).toEqual(nothing(working))
  })
  it('with `completed` from the owner or whoever asked: completed, if its checks allow it', () => {
    for (const from of ['engineer', 'COORDINATOR']) {
      const update = said('status_update', from, { status: 'completed' })
      expect(seen(does(tested, update))).toMatchObject({ status: 'completed', told: 'completed', next: 'complete' })
      expect(does(owned, update).refused).toBe(
        'AUTH-012 needs tests_passed: a test_results message that is completed, from somebody else than its owner',
      )
      expect(does(owned, update).task.status).toBe('claimed')
    }
    const other = said('status_update', 'qa', { status: 'completed' })
    expect(seen(does(tested, other))).toEqual(refused(tested, 'qa does not own AUTH-012; engineer does'))
    expect(seen(does(free, other))).toEqual(refused(free, 'nobody owns AUTH-012'))
  })
  it('tests are needed for what is about code, or whose beginning nobody knows, and as configured', () => {
    const update = said('status_update', 'engineer', { status: 'completed' })
    const asked = (intent: string): TaskFacts => ({ reviewers: [], request: { from: 'lead', intent, time: at } })
    for (const intent of ['implement_feature', 'fix_bug', 'refactor'])
      expect(does(owned, update, asked(intent)).next).toBeUndefined()
    for (const intent of ['document', 'audit', 'test', 'review_code'])
      expect(does(owned, update, asked(intent)).next).toBe('complete')
    expect(does(owned, update, { reviewers: [] }).next).toBeUndefined()
    const settings = { ...defaultSettings, needTests: new Set(['document']) }
    expect(does(owned, update, asked('document'), settings).next).toBeUndefined()
    expect(does(owned, update, asked('fix_bug'), settings).next).toBe('complete')
    const never = { ...defaultSettings, needTests: new Set<string>() }
    for (const known of [asked('fix_bug'), { reviewers: [] }])
      expect(does(owned, update, known, never).next).toBe('complete')
  })
})

describe('[CI-5] `status: blocked`', () => {
  it('from the owner, whatever the intent: blocked', () => {
    for (const intent of [
      'escalate',
      'status_update',
      'question',
      'review_code',
      'inform',
      'test_results',
      'claim_task',
    ])
      expect(seen(does(working, said(intent, 'engineer', { status: 'blocked' })))).toMatchObject({ status: 'blocked' })
    const review = said('review_code', 'engineer', { status: 'blocked', to: 'Scribe' })
    expect(does(working, review).facts.reviewers).toEqual(['scribe'])
  })
  it('from anybody else it blocks nothing', () => {
    expect(seen(does(working, said('escalate', 'qa', { status: 'blocked' })))).toEqual(nothing(working))
    expect(seen(does(free, said('escalate', 'engineer', { status: 'blocked' })))).toEqual(nothing(free))
  })
})

describe('[CI-5] `answer`', () => {
  const answer = (from: string, more: Partial<Said> = {}) => said('answer', from, { to: 'engineer', ...more })
  it('to the owner: in progress, if it was blocked', () => {
    expect(seen(does(blocked, answer('ROOSTER')))).toMatchObject({ status: 'in_progress', told: 'in_progress' })
    expect(seen(does(blocked, answer('lead', { to: 'qa' })))).toEqual(nothing(blocked))
    expect(seen(does(owned, answer('ROOSTER')))).toEqual(nothing(owned))
    expect(seen(does(blocked, said('inform', 'ROOSTER', { to: 'engineer' })))).toEqual(nothing(blocked))
  })
  it('with `completed` from whom the owner asked to review: reviewed', () => {
    const asked = does(working, said('review_code', 'engineer', { to: 'Scribe' })).facts
    expect(seen(does(working, answer('scribe', { status: 'completed' }), asked))).toMatchObject({
      reviewed: true,
      told: 'peer_reviewed true',
    })
    expect(seen(does(working, answer('scribe', { status: 'failed' }), asked))).toEqual(nothing(working))
    expect(seen(does(working, answer('qa', { status: 'completed' }), asked))).toEqual(nothing(working))
    const notOwners = does(working, said('review_code', 'qa', { to: 'scribe' })).facts
    expect(seen(does(working, answer('scribe', { status: 'completed' }), notOwners))).toEqual(nothing(working))
    const all = does(working, said('review_code', 'engineer', { to: 'all' })).facts
    expect(seen(does(working, answer('qa', { status: 'completed' }), all))).toMatchObject({ reviewed: true })
    expect(seen(does(working, answer('engineer', { status: 'completed' }), all))).toEqual(nothing(working))
  })
})

describe('[CI-5] `test_results`', () => {
  const results = (from: string, status: Said['status']) => said('test_results', from, { status })
  it('from somebody else: passed for `completed`, not passed for `failed` and `blocked`', () => {
    expect(seen(does(working, results('qa', 'completed')))).toMatchObject({ tests: true, told: 'tests_passed true' })
    expect(seen(does(tested, results('qa', 'failed')))).toMatchObject({ tests: false, told: 'tests_passed false' })
    expect(seen(does(tested, results('qa', 'blocked')))).toMatchObject({ tests: false, status: 'claimed' })
    expect(seen(does(tested, results('qa', 'in_progress')))).toEqual(nothing(tested))
    expect(seen(does(tested, results('qa', 'new')))).toEqual(nothing(tested))
  })
  it('not from the owner, and only from `qa` where anybody has that role', () => {
    expect(seen(does(working, results('Engineer', 'completed')))).toEqual(
      refused(working, 'its owner does not test it'),
    )
    const settings = {
      ...defaultSettings,
      roles: new Map([
        ['tester-1', new Set(['qa'])],
        ['lead', new Set(['boss'])],
      ]),
    }
    expect(seen(does(working, results('Tester-1', 'completed'), facts, settings))).toMatchObject({ tests: true })
    for (const from of ['qa', 'lead'])
      expect(seen(does(working, results(from, 'completed'), facts, settings)).refused).toBe(
        `${from} has not the role qa`,
      )
    const without = { ...defaultSettings, roles: new Map([['lead', new Set(['boss'])]]) }
    expect(seen(does(working, results('anybody', 'completed'), facts, without))).toMatchObject({ tests: true })
  })
})

describe('[CI-5] `release_task`', () => {
  it('from the owner: nobody owns it, and it is new', () => {
    expect(seen(does(working, said('release_task', 'engineer')))).toMatchObject({ status: 'new', next: 'release' })
    expect(seen(does(blocked, said('release_task', 'engineer', { status: 'blocked' })))).toMatchObject({
      status: 'new',
    })
  })
  it('from anybody else nothing', () => {
    expect(seen(does(working, said('release_task', 'qa')))).toEqual(
      refused(working, 'qa does not own AUTH-012; engineer does'),
    )
    expect(seen(does(free, said('release_task', 'qa')))).toEqual(refused(free, 'nobody owns AUTH-012'))
  })
})

describe('[CI-5d] new work for a task that is over', () => {
  it.each(['completed', 'failed'] as const)('%s: it is new, its checks are false, its owner a record', (status) => {
    const over: Task = { ...completed, status, updatedAt: at - 500 }
    const effect = does(over, said('fix_bug', 'lead'))
    expect(seen(effect)).toMatchObject({ status: 'new', tests: false, told: 'opened again' })
    expect(effect.facts).toMatchObject({
      request: { from: 'lead', intent: 'fix_bug', time: at },
      formerOwner: { owner: 'engineer', claimedAt: at - 10 * minute },
    })
    // The former owner is one among others.
    const again = does(effect.task, said('status_update', 'engineer', { status: 'in_progress' }), effect.facts)
    expect(again.task.status).toBe('new')
    expect(does(effect.task, said('claim_task', 'qa'), effect.facts)).toMatchObject({
      next: 'own',
      task: { owner: 'qa', status: 'claimed' },
      facts: { reviewers: [] },
    })
    expect(does(effect.task, said('claim_task', 'qa'), effect.facts).facts.formerOwner).toBeUndefined()
  })
  it('nothing else opens it: no other intent, and no work from before', () => {
    const over: Task = { ...completed, updatedAt: at }
    for (const intent of [
      'test',
      'review_code',
      'claim_task',
      'release_task',
      'test_results',
      'status_update',
      'inform',
    ])
      expect(seen(does(over, said(intent, 'engineer', { status: 'in_progress' })))).toEqual(nothing(over))
    expect(seen(does(over, said('fix_bug', 'lead', { time: at - minute })))).toEqual(nothing(over))
  })
})

it('[CI-5] anything else is news: `updated_at`, which never goes back', () => {
  for (const intent of [
    'inform',
    'coordinate',
    'question',
    'request_help',
    'audit',
    'document',
    'test',
    'fly_to_moon',
  ]) {
    const effect = does(owned, said(intent, 'qa'))
    expect(seen(effect)).toEqual(nothing(owned))
    expect(effect.task.updatedAt).toBe(at)
  }
  const late: Task = { ...owned, updatedAt: at + minute }
  expect(does(late, said('inform', 'qa')).task.updatedAt).toBe(at + minute)
})
