/** What `doctor` tells of CIRCE, and what `doctor --fix` puts right: never green while something is stuck. */
import fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Finding } from '../../src/tree/tree.ts'
import { fileOf } from '../crash/circe-verbs.ts'
import { CirceFolder, circeOn, foreign, withCirce } from '../support/circe.ts'
import { brokenIn, filesIn } from '../support/circe-checker.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let folder: CirceFolder
const inspect = (options = {}) => withCirce(root, (circe) => circe.inspect(options))
const repair = () => inspect({ repair: true })
const told = (findings: readonly Finding[], code: string) => findings.filter((one) => one.code === code)
const unfinished = (name: string) => join(root, '.signalbox/state/delivery/circe/unfinished', name)

beforeEach(async () => {
  root = quickTempDir()
  folder = new CirceFolder(root)
  await withCirce(root, async (circe) => {
    for (const agent of ['coordinator', 'engineer', 'qa']) await circe.agents.init(agent)
    await circe.sending.send({
      from: 'coordinator',
      to: 'all',
      intent: 'implement_feature',
      task: 'FEAT-1',
      summary: 'Build',
    })
    await circe.claiming.claim('engineer')
    await circe.settling.start('engineer', fileOf(folder, 'implement_feature'))
    await circe.sending.send({
      from: 'qa',
      to: 'engineer',
      intent: 'test_results',
      task: 'FEAT-1',
      status: 'completed',
      summary: 'ok',
    })
  })
  folder.put('TASKS/FEAT-1.md', 'the definition of the task\n')
})

describe('task files that cannot be believed', () => {
  const rows: Readonly<Record<string, readonly [file: 'status' | 'owner' | 'checks', text: string, told: string]>> = {
    'no YAML': ['status', 'task_id: FEAT-1\nstatus: [in_progress\n', 'ine 2'],
    'a status that is none': ['status', 'task_id: FEAT-1\nstatus: nearly\n', 'Line 2: `status` must be one of'],
    'another task': [
      'status',
      'status: in_progress\ntask_id: FEAT-2\nowner: engineer\n',
      'Line 2: `task_id` must be FEAT-1',
    ],
    'a time that is none': ['owner', 'owner: engineer\nclaimed_at: noon\n', 'Line 2: `claimed_at` must be a time'],
    'an owner that is none': ['owner', 'owner: ../../etc\n', 'Line 1: `owner` must be the name of an agent'],
    'a check that is neither': ['checks', 'tests_passed: perhaps\n', 'Line 1: `tests_passed` must be true or false'],
    'two owners': [
      'status',
      'task_id: FEAT-1\nstatus: in_progress\nowner: qa\n',
      'Line 3: `owner` is qa, and .owner says engineer',
    ],
    'ready without its checks': [
      'checks',
      'tests_passed: true\nready_for_merge: true\n',
      'Line 2: `ready_for_merge` is true',
    ],
    'far too long': ['status', `status: in_progress\n# ${'x'.repeat(100_000)}\n`, 'bytes'],
  }
  for (const [title, [file, text, sentence]] of Object.entries(rows)) {
    verifies(
      ['X-doctor', 'CI-5'],
      `${title}: told with its line, made again from the messages, and kept beside`,
      async () => {
        const path = `TASKS/FEAT-1.${file}`
        folder.put(path, text)
        const [found] = (await inspect()).filter((one) => one.path === `AI_MANAGER/${path}`)
        expect(found).toMatchObject({ severity: 'error', repaired: false })
        expect(found!.message).toContain(sentence)
        // The other two are sound, and are neither told of nor touched.
        expect(told(await inspect(), 'BAD_TASK_FILE').filter((one) => one.path !== found!.path)).toEqual([])
        expect(folder.read(path)).toBe(text)
        expect((await repair()).filter((one) => one.path === `AI_MANAGER/${path}`)).toMatchObject([{ repaired: true }])
        expect(folder.read(`${path}.bad`)).toBe(text)
        expect(folder.read('TASKS/FEAT-1.md')).toBe('the definition of the task\n')
        expect(brokenIn(filesIn(root), { isAtRest: true })).toEqual([])
        expect(folder.read('TASKS/FEAT-1.status')).toMatch(/^task_id: FEAT-1\nstatus: in_progress\nowner: engineer\n/)
        expect(folder.read('TASKS/FEAT-1.checks')).toMatch(/^tests_passed: true\n/m)
        expect((await inspect()).filter(({ severity }) => severity === 'error')).toEqual([])
      },
    )
  }

  verifies('X-doctor', 'claimed by nobody is a contradiction', async () => {
    fs.rmSync(join(root, 'AI_MANAGER/TASKS/FEAT-1.owner'))
    fs.rmSync(join(root, 'AI_MANAGER/AGENTS/engineer/WORKSPACE'), { recursive: true })
    expect(told(await inspect(), 'BAD_TASK_FILE')[0]?.message).toContain('nobody owns it')
    await repair()
    expect(folder.read('TASKS/FEAT-1.owner')).toMatch(/^owner: engineer\n/)
  })

  verifies(['X-doctor', 'CI-5'], 'one bad task stops no other', async () => {
    folder.put('TASKS/FEAT-1.status', 'status: [\n')
    await withCirce(root, async (circe) => {
      await circe.sending.send({ from: 'coordinator', to: 'qa', intent: 'fix_bug', task: 'FEAT-2', summary: 'Mend' })
      await circe.sending.send({ from: 'coordinator', to: 'qa', intent: 'inform', summary: 'Noon' })
      expect(await circe.claiming.claim('qa')).toMatchObject({ outcome: 'claimed' })
      expect(await circe.claiming.claim('qa')).toMatchObject({ outcome: 'claimed' })
      await expect(circe.tasks.check('FEAT-1', 'engineer', { peer_reviewed: true })).rejects.toMatchObject({
        code: 'BAD_TASK_FILE',
      })
    })
  })
})

verifies(
  ['X-doctor', 'X-crash'],
  'a change that cannot be finished is told, holds up its own task alone, and goes on when it can',
  async () => {
    const owner = join(root, 'AI_MANAGER/TASKS/FEAT-9.owner')
    fs.mkdirSync(owner)
    const at = Date.now()
    const steps = [{ do: 'own', task: 'FEAT-9', owner: 'qa', at }]
    const events = [{ at, event: 'claimed', agent: 'qa', task: 'FEAT-9', detail: 'owner qa' }]
    fs.mkdirSync(unfinished(''), { recursive: true })
    fs.writeFileSync(unfinished('task.FEAT-9.json'), JSON.stringify({ steps, events }))
    expect(told(await repair(), 'STUCK_CHANGE')).toMatchObject([{ severity: 'error' }])
    await withCirce(root, async (circe) => {
      expect(await circe.tasks.status('FEAT-1', 'blocked', 'engineer')).toMatchObject({ outcome: 'changed' })
      await expect(circe.tasks.status('FEAT-9', 'blocked', 'qa')).rejects.toMatchObject({ kind: 'Corrupt' })
    })
    fs.rmdirSync(owner)
    await withCirce(root, (circe) => circe.overview.tasks())
    expect(folder.read('TASKS/FEAT-9.owner')).toMatch(/^owner: qa\n/)
    expect(fs.existsSync(unfinished('task.FEAT-9.json'))).toBe(false)
  },
)

verifies(
  'X-doctor',
  'what a killed process left is a note at first, and an error when nobody finishes it',
  async () => {
    let now = Date.parse('2026-03-01T10:00:00Z')
    const clock = { now: () => now }
    const tree = openMemoryTree({ clock })
    const circe = circeOn(tree, { clock })
    const path = treePath('.signalbox/state/delivery/circe/unfinished/task.FEAT-1.json')
    await tree.create(path, '{"steps":[],"events":[]}')
    expect(told(await circe.inspect(), 'UNFINISHED_CHANGE')).toMatchObject([{ severity: 'note' }])
    now += 120_000
    expect(told(await circe.inspect(), 'UNFINISHED_CHANGE')).toMatchObject([{ severity: 'error', path }])
    await circe.inspect({ repair: true })
    expect(told(await circe.inspect(), 'UNFINISHED_CHANGE')).toEqual([])
  },
)

verifies(['X-doctor', 'CI-4d'], 'a reason that is missing is added', async () => {
  folder.put('LOGS/rejected/bad.md', '# MESSAGE\nfrom: qa\n\n')
  expect(told(await inspect(), 'MISSING_REASON')).toMatchObject([{ severity: 'warning', repaired: false }])
  expect(told(await repair(), 'MISSING_REASON')).toMatchObject([{ repaired: true }])
  expect(folder.read('LOGS/rejected/bad.md.reason')).toMatch(/\w/)
  expect(told(await inspect(), 'MISSING_REASON')).toEqual([])
})

verifies(
  'X-doctor',
  'a task that has gone quiet and messages nobody acknowledged are told with their age',
  async () => {
    let now = Date.parse('2026-03-01T10:00:00Z')
    const clock = { now: () => now }
    const circe = circeOn(openMemoryTree({ clock }), { clock })
    await circe.agents.init('engineer')
    await circe.agents.init('qa')
    await circe.sending.send({ from: 'qa', to: 'engineer', intent: 'fix_bug', task: 'FEAT-3', summary: 'Mend' })
    await circe.sending.send({ from: 'engineer', to: 'qa', intent: 'question', summary: 'Why?' })
    await circe.claiming.claim('engineer')
    expect((await circe.inspect()).map(({ code }) => code)).toEqual([])
    now += 31 * 60_000
    const findings = await circe.inspect()
    expect(told(findings, 'STALLED_TASK')).toMatchObject([{ severity: 'warning' }])
    expect(told(findings, 'STALLED_TASK')[0]!.message).toMatch(/31 ?m.*engineer/)
    expect(told(findings, 'UNACKNOWLEDGED')).toHaveLength(2)
  },
)

verifies(['X-doctor', 'CI-3b'], 'agents that differ by case alone are told', async () => {
  fs.mkdirSync(join(root, 'AI_MANAGER/AGENTS/QA/INBOX'), { recursive: true })
  expect(told(await inspect(), 'SAME_AGENT')).toMatchObject([{ severity: 'error' }])
})

verifies(['X-doctor', 'CI-4c'], 'what is left of a completed task is told, and brought into the log', async () => {
  await withCirce(root, (circe) => circe.tasks.status('FEAT-1', 'completed', 'engineer'))
  const name = fileOf(folder, 'implement_feature')
  folder.put(`AGENTS/engineer/INBOX/${name}`, folder.read(`LOGS/${name}`))
  expect(told(await inspect(), 'NOT_ARCHIVED')).toMatchObject([{ severity: 'warning', repaired: false }])
  await repair()
  expect(folder.names('AGENTS/engineer/INBOX')).toEqual([])
  expect(told(await inspect(), 'NOT_ARCHIVED')).toEqual([])
})

verifies(
  ['X-doctor', 'CI-4e'],
  'a copy that could not be brought waits, is told, and comes when the inbox is one',
  async () => {
    const inbox = join(root, 'AI_MANAGER/AGENTS/qa/INBOX')
    fs.rmSync(inbox, { recursive: true })
    fs.writeFileSync(inbox, 'in the way\n')
    folder.put('NEW_MESSAGES/20260301_100000_coordinator-all_inform.md', foreign('coordinator', 'all', 'inform'))
    await withCirce(root, (circe) => circe.overview.tasks())
    expect(folder.names('AGENTS/engineer/INBOX')).toContain('20260301_100000_coordinator-all_inform.md')
    expect(told(await inspect(), 'UNDELIVERED')).toMatchObject([{ severity: 'error' }])
    fs.rmSync(inbox)
    expect(told(await repair(), 'UNDELIVERED')).toMatchObject([{ repaired: true }])
    expect(folder.names('AGENTS/qa/INBOX')).toEqual(['20260301_100000_coordinator-all_inform.md'])
    expect(brokenIn(filesIn(root), { isAtRest: true })).toEqual([])
  },
)

verifies(
  'X-doctor',
  'a message in the folder of somebody who can be no agent is told, and brought to where it is seen',
  async () => {
    const text = foreign('engineer', 'ROOSTER', 'question')
    folder.put('AGENTS/ROOSTER/INBOX/which-one.md', text)
    folder.put('AGENTS/Not An Agent/INBOX/no-message.md', 'x')
    folder.put('AGENTS/all/notes.md', 'x')
    const open = () =>
      withCirce(root, async (circe) => {
        const names: string[] = []
        for await (const { name } of circe.people.open()) names.push(name)
        return names
      })
    expect(await open()).toEqual([])
    expect(told(await inspect(), 'NO_AGENT').map(({ path, repaired }) => [path, repaired])).toEqual([
      ['AI_MANAGER/AGENTS/Not An Agent/INBOX/no-message.md', false],
      ['AI_MANAGER/AGENTS/ROOSTER/INBOX/which-one.md', false],
    ])
    expect(told(await repair(), 'NO_AGENT').map(({ repaired }) => repaired)).toEqual([false, true])
    expect(folder.read('NEW_MESSAGES/which-one.md')).toBe(text)
    expect(folder.read('AGENTS/Not An Agent/INBOX/no-message.md')).toBe('x')
    expect(await open()).toEqual(['which-one.md'])
  },
)
