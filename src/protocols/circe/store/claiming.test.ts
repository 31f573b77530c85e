/** What an agent is offered. */
import { beforeEach, describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { defaultsOf } from '../../../kernel/field.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { section, settingsFrom } from '../settings.ts'
import { Circe } from './circe.ts'

let clock: ReturnType<typeof heldClock>
let tree: ReturnType<typeof openMemoryTree>
let open: (said?: object) => Circe

beforeEach(() => {
  clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  tree = openMemoryTree({ clock })
  open = (said = {}) => new Circe({ tree, clock, settings: settingsFrom({ ...defaultsOf(section), ...said }) })
})

const asked = async (circe: Circe, intent: string, task: string, to = 'all') => {
  clock.advance(1000)
  return (await circe.sending.send({ from: 'coordinator', to, intent, task, summary: intent })).message.file
}
const taken = async (circe: Circe, agent: string, options = {}) => {
  const claimed = await circe.claiming.claim(agent, options)
  return claimed.outcome === 'claimed' ? claimed.message.intent : 'nothing'
}

describe('what is offered', () => {
  it('[CI-4] nobody is offered what it sent to all, unless it names the file', async () => {
    const circe = open()
    await circe.agents.init('coordinator')
    const file = await asked(circe, 'implement_feature', 'FEAT-1')
    expect(await taken(circe, 'Coordinator')).toBe('nothing')
    expect(await taken(circe, 'coordinator', { task: 'FEAT-1' })).toBe('nothing')
    expect((await circe.overview.inbox('coordinator')).messages).toEqual([])
    expect(await circe.claiming.waitingFor('coordinator')).toEqual([])
    expect(await taken(circe, 'coordinator', { file })).toBe('implement_feature')
  })

  it('[CI-4] only of the intents that are named, and a misspelt one is refused', async () => {
    const circe = open()
    await asked(circe, 'implement_feature', 'FEAT-1')
    await asked(circe, 'test', 'FEAT-1')
    await asked(circe, 'review_code', 'FEAT-1')
    expect(await taken(circe, 'qa', { intents: ['review_code', 'test'] })).toBe('test')
    expect(await taken(circe, 'qa', { intents: ['test'] })).toBe('nothing')
    await expect(circe.claiming.claim('qa', { intents: ['tests'] })).rejects.toMatchObject({ code: 'UNKNOWN_INTENT' })
  })

  it('[CI-4] a role that is configured for intents: those first, what is addressed to it next, other work if asked', async () => {
    const circe = open({ roles: ['qa=tester', 'eve=lead'], offers: ['tester=test', 'tester=review_code'] })
    await asked(circe, 'implement_feature', 'FEAT-1')
    await asked(circe, 'inform', 'FEAT-2', 'qa')
    await asked(circe, 'test', 'FEAT-3')
    expect((await circe.claiming.waitingFor('qa')).map(({ message }) => message.intent)).toEqual(['test', 'inform'])
    expect(await taken(circe, 'qa')).toBe('test')
    expect(await taken(circe, 'qa')).toBe('inform')
    expect(await taken(circe, 'qa')).toBe('nothing')
    expect(await taken(circe, 'qa', { intents: ['implement_feature'] })).toBe('implement_feature')
    await asked(circe, 'fix_bug', 'FEAT-4')
    expect(await taken(circe, 'qa', { task: 'FEAT-4' })).toBe('fix_bug')
    await asked(circe, 'fix_bug', 'FEAT-5')
    expect(await taken(circe, 'eve')).toBe('fix_bug')
    expect(() => open({ offers: ['tester=tests'] })).toThrow('circe.offers: ')
  })
})

describe('who may set a check', () => {
  const owned = async (said: object) => {
    const circe = open(said)
    await asked(circe, 'implement_feature', 'FEAT-1')
    await circe.claiming.claim('engineer')
    return circe
  }
  const denied = { code: 'NOT_THEIRS_TO_SAY', kind: 'Denied' }

  it('[CI-5] with a tester and a reviewer configured, only they do, by command and by message', async () => {
    const circe = await owned({ roles: ['tester=qa', 'engineer=qa', 'peer=reviewer'] })
    for (const check of ['tests_passed', 'peer_reviewed']) {
      for (const agent of ['engineer', 'coordinator', 'rooster'])
        await expect(circe.tasks.check('FEAT-1', agent, { [check]: true }), `${agent} ${check}`).rejects.toMatchObject(
          denied,
        )
    }
    await expect(
      circe.tasks.check('FEAT-1', 'tester', { tests_passed: true, peer_reviewed: true }),
    ).rejects.toMatchObject(denied)
    await circe.sending.send({ from: 'engineer', to: 'all', intent: 'review_code', task: 'FEAT-1', summary: 'Look' })
    for (const from of ['coordinator', 'tester'])
      await circe.sending.send({
        from,
        to: 'engineer',
        intent: 'answer',
        status: 'completed',
        task: 'FEAT-1',
        summary: 'Fine',
      })
    for (const from of ['engineer', 'coordinator'])
      await circe.sending.send({
        from,
        to: 'lead',
        intent: 'test_results',
        status: 'completed',
        task: 'FEAT-1',
        summary: 'Fine',
      })
    const [before] = await circe.overview.tasks('FEAT-1')
    expect(before!.checks).toMatchObject({ tests_passed: false, peer_reviewed: false })
    await circe.sending.send({
      from: 'peer',
      to: 'engineer',
      intent: 'answer',
      status: 'completed',
      task: 'FEAT-1',
      summary: 'Ok',
    })
    await circe.tasks.check('FEAT-1', 'tester', { tests_passed: true })
    await circe.tasks.check('FEAT-1', 'engineer', { coverage_threshold_met: true })
    expect((await circe.overview.tasks('FEAT-1'))[0]!.checks).toMatchObject({ ready_for_merge: true })
  })

  it('[CI-5] with a tester alone, a review is told by whom the owner asked', async () => {
    const circe = await owned({ roles: ['tester=qa'] })
    await circe.sending.send({ from: 'engineer', to: 'peer', intent: 'review_code', task: 'FEAT-1', summary: 'Look' })
    await expect(circe.tasks.check('FEAT-1', 'engineer', { peer_reviewed: true })).rejects.toMatchObject(denied)
    await expect(circe.tasks.check('FEAT-1', 'tester', { peer_reviewed: true })).rejects.toMatchObject(denied)
    expect((await circe.tasks.check('FEAT-1', 'peer', { peer_reviewed: true })).task.checks.peer_reviewed).toBe(true)
  })

  it('[CI-5] without roles the owner does', async () => {
    const circe = await owned({})
    const { task } = await circe.tasks.check('FEAT-1', 'engineer', { tests_passed: true, peer_reviewed: true })
    expect(task.checks).toMatchObject({ tests_passed: true, peer_reviewed: true })
    await expect(circe.tasks.check('FEAT-1', 'qa', { tests_passed: true })).rejects.toMatchObject({
      code: 'NOT_THE_OWNER',
    })
  })

  it('[CI-5] with a tester configured, a file that says so is not enough: nobody said it', async () => {
    const circe = await owned({ roles: ['tester=qa'] })
    const path = treePath('AI_MANAGER/TASKS/FEAT-1.checks')
    await changeLeaf(tree, path, (leaf) => Buffer.from(Buffer.from(leaf!.bytes).toString().replaceAll('false', 'true')))
    await expect(circe.tasks.status('FEAT-1', 'completed', 'engineer')).rejects.toMatchObject({ code: 'NOT_COMPLETE' })
    clock.advance(1000)
    const said = { from: 'engineer', to: 'coordinator', intent: 'status_update', status: 'completed', summary: 'Done' }
    await expect(circe.sending.send({ ...said, task: 'FEAT-1' })).rejects.toMatchObject({ code: 'NOT_COMPLETE' })
    await circe.tasks.check('FEAT-1', 'tester', { tests_passed: true })
    expect((await circe.tasks.status('FEAT-1', 'completed', 'engineer')).task.status).toBe('completed')
  })

  it('[CI-5] a check that is set before anybody claims what was opened again makes nobody its owner', async () => {
    const circe = await owned({ roles: ['tester=qa'] })
    await circe.tasks.check('FEAT-1', 'tester', { tests_passed: true })
    await circe.tasks.status('FEAT-1', 'completed', 'engineer')
    await asked(circe, 'fix_bug', 'FEAT-1')
    const { task } = await circe.tasks.check('FEAT-1', 'tester', { tests_passed: true })
    expect([task.owner, task.status]).toEqual([undefined, 'new'])
    expect(await taken(circe, 'other')).toBe('fix_bug')
    expect((await circe.overview.tasks('FEAT-1'))[0]!.owner).toBe('other')
  })
})

describe('a caller that goes away while its claim is made', () => {
  it.each([0, 1000])('has claimed nothing: the task is free again (waiting %i ms)', async (waitMs) => {
    const circe = open()
    await asked(circe, 'implement_feature', 'FEAT-1')
    const gone = new AbortController()
    // The first look at the clock is made for the claim.
    const now = () => {
      gone.abort()
      return clock.now()
    }
    const leaving = new Circe({ tree, clock: { now }, settings: settingsFrom(defaultsOf(section)) })
    expect(await leaving.claiming.claim('eng', { waitMs, signal: gone.signal })).toMatchObject({ outcome: 'nothing' })
    expect((await circe.overview.tasks('FEAT-1'))[0]).toMatchObject({ status: 'new', owner: undefined })
    expect(await taken(circe, 'qa')).toBe('implement_feature')
  })
})
