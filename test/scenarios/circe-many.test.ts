/** CIRCE with many messages in one folder: what is remembered of them is derived, never believed, and can be thrown away. */
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import type { Circe } from '../../src/protocols/circe/store/circe.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { CirceFolder, circeOn, foreign, withCirce } from '../support/circe.ts'
import { quickTempDir } from '../support/temp.ts'

let root: string
let folder: CirceFolder
const many = 260
const nameOf = (n: number, intent = 'fix-bug') =>
  `20260301_10${`${Math.floor(n / 60)}`.padStart(2, '0')}${`${n % 60}`.padStart(2, '0')}_lead-all_${intent}_T-${n}.md`
const timeOf = (n: number) => new Date(Date.parse('2026-03-01T10:00:00Z') + n * 1000).toISOString()
const message = (n: number, { to = 'all', intent = 'fix_bug', task = `T-${n}`, status = 'new', from = 'lead' } = {}) =>
  foreign(from, to, intent, { task, status, at: timeOf(n) })
const cached = () => join(root, '.signalbox/cache/circe/lying/new.json')
const taken = async (circe: Circe, agent = 'engineer', options = {}) => {
  const claimed = await circe.claiming.claim(agent, options)
  return claimed.outcome === 'claimed' ? claimed.message.file : 'nothing'
}
/** Every use is a new process, as far as memory goes. */
const cold = <T>(work: (circe: Circe) => Promise<T>) => withCirce(root, work)

beforeEach(async () => {
  root = quickTempDir()
  folder = new CirceFolder(root)
  await cold(async (circe) => {
    for (const agent of ['lead', 'engineer', 'qa']) await circe.agents.init(agent)
  })
  for (let n = 0; n < many; n++) folder.put(`NEW_MESSAGES/${nameOf(n)}`, message(n))
})

/** A tree that counts what is read. */
function counting(tree: Tree, isCounted: (path: string) => boolean): { readonly tree: Tree; count(): number } {
  let count = 0
  const counted = new Proxy(tree, {
    get(target, key: keyof Tree) {
      const found = target[key]
      if (typeof found !== 'function') return found
      return (...words: unknown[]) => {
        if (key === 'read' && isCounted(String(words[0]))) count++
        if (key === 'heads' && isCounted(`${words[0]}/`)) count += (words[1] as string[]).length
        return (found as (...words: unknown[]) => unknown).apply(target, words)
      }
    },
  })
  return { tree: counted, count: () => count }
}

describe('many messages by shells', () => {
  it('[CI-4] a command reads what came since, and all again once what is remembered is gone', async () => {
    const reads = async () => {
      const tree = await openFileTree({ root })
      const counted = counting(tree, (path) => path.includes('NEW_MESSAGES/'))
      const file = await taken(circeOn(counted.tree))
      await tree.close()
      return { file, count: counted.count() }
    }
    // What is younger than fifty milliseconds is read again: its writer may not have finished.
    const newest = fs.statSync(join(folder.path, 'NEW_MESSAGES', nameOf(many - 1))).ctimeMs
    while (Date.now() < newest + 60) await rest(10)
    const first = await reads()
    expect(first).toEqual({ file: nameOf(0), count: expect.any(Number) })
    expect(first.count).toBeGreaterThanOrEqual(many)
    const second = await reads()
    const third = await reads()
    expect([second.file, third.file]).toEqual([nameOf(1), nameOf(2)])
    expect(third.count).toBeLessThan(12)
    folder.put('NEW_MESSAGES/earlier.md', message(-60, { task: 'EARLIER-1' }))
    const fourth = await reads()
    expect(fourth.file).toBe('earlier.md')
    expect(fourth.count).toBeLessThan(12)
    fs.rmSync(join(root, '.signalbox/cache'), { recursive: true })
    const afterwards = await reads()
    expect(afterwards.file).toBe(nameOf(3))
    expect(afterwards.count).toBeGreaterThan(many - 10)
  })

  it('[CI-8] each counts once, by one line of the log, also with every cache deleted', async () => {
    const counts = () => folder.read('LOGS/events.log').match(/\tmessage\t.*\t$|\tmessage\t/gm)?.length
    for (let round = 0; round < 2; round++) {
      await cold((circe) => circe.overview.tasks())
      await cold((circe) => circe.overview.inbox('qa'))
      expect(counts()).toBe(many)
      fs.rmSync(join(root, '.signalbox/cache'), { recursive: true })
    }
    const { tasks, leftOut } = await cold((circe) => circe.overview.taskList({ limit: 3 }))
    expect({ ids: tasks.map(({ id }) => id), leftOut }).toEqual({ ids: ['T-0', 'T-1', 'T-10'], leftOut: many - 3 })
    expect(tasks[1]).toMatchObject({ status: 'new', request: { from: 'lead', intent: 'fix_bug' } })
  })

  it('[CI-5c] what other programs do since then counts: a move, an owner by hand, a new message, an edit', async () => {
    await cold((circe) => circe.overview.tasks())
    expect(fs.existsSync(cached())).toBe(true)
    folder.move(`NEW_MESSAGES/${nameOf(0)}`, `AGENTS/qa/INBOX/${nameOf(0)}`)
    fs.writeFileSync(join(folder.path, 'TASKS/T-1.owner'), 'owner: qa\nclaimed_at: 2026-03-01T11:00:00Z\n')
    folder.put(
      'NEW_MESSAGES/20260301_120000_qa-lead_status-update_T-1.md',
      message(9000, { from: 'qa', to: 'lead', intent: 'status_update', task: 'T-1', status: 'in_progress' }),
    )
    const tasks = await cold((circe) => circe.overview.tasks())
    const standing = (id: string) => tasks.find((one) => one.id === id)
    expect(standing('T-0')).toMatchObject({ owner: 'qa', status: 'claimed' })
    expect(standing('T-1')).toMatchObject({ owner: 'qa', status: 'in_progress' })
    expect(folder.read('TASKS/T-1.status')).toContain('status: in_progress')
    // Neither is offered any more; the next in line is.
    expect(await cold((circe) => taken(circe))).toBe(nameOf(2))
    // Edited in place, for somebody else: it is put back when it has been won.
    fs.writeFileSync(join(folder.path, 'NEW_MESSAGES', nameOf(3)), message(3, { to: 'qa' }))
    expect(await cold((circe) => taken(circe))).toBe(nameOf(4))
    expect(folder.has(`NEW_MESSAGES/${nameOf(3)}`)).toBe(true)
  })

  it('[CI-5c] a task that is given back and taken by hand is noticed', async () => {
    await cold((circe) => circe.claiming.claim('engineer', { task: 'T-5' }))
    await cold((circe) => circe.overview.tasks())
    await cold((circe) => circe.tasks.release('engineer', 'T-5'))
    fs.writeFileSync(join(folder.path, 'TASKS/T-5.owner'), 'owner: qa\nclaimed_at: 2026-03-01T11:00:00Z\n')
    await cold((circe) => circe.overview.inbox('qa'))
    expect(folder.read('TASKS/T-5.status')).toContain('owner: qa')
  })

  it('[CI-4] whatever stands in the cache, every message is claimed once', async () => {
    await cold((circe) => circe.overview.tasks())
    const whole = fs.readFileSync(cached(), 'utf8')
    const lines = whole.split('\n')
    const odd = {
      nothing: '',
      'no JSON': 'hello\n',
      'cut off': whole.slice(0, whole.length / 2),
      'another version': whole.replace('"version":1', '"version":99'),
      'lines that say nothing': [lines[0], ...lines.slice(1).map((line) => line.replace(/\[.*$/, '[]'))].join('\n'),
      'names that lead elsewhere': whole.replaceAll(nameOf(0), '../../../etc/passwd.md'),
      'for somebody else': whole.replaceAll('"all"', '"nobody"'),
    }
    const claimed: string[] = []
    for (const [title, text] of Object.entries(odd)) {
      fs.writeFileSync(cached(), text)
      const file = await cold((circe) => taken(circe))
      expect(folder.has(`AGENTS/engineer/INBOX/${file}`) || file === 'nothing', title).toBe(true)
      if (file !== 'nothing') claimed.push(file)
      fs.rmSync(cached(), { force: true })
      expect(await cold((circe) => taken(circe)), title).not.toBe('nothing')
    }
    expect(new Set(claimed).size).toBe(claimed.length)
  })

  it('[CI-4] in a process that stays, all are handed out once, whoever else takes some', async () => {
    const got: string[] = []
    await cold(async (stays) => {
      for (let n = 0; n < 40; n++) {
        if (n % 4 === 1) got.push(await cold((circe) => taken(circe, 'qa')))
        got.push(await taken(stays))
      }
    })
    expect(new Set(got).size).toBe(50)
    expect([...got].sort()).toEqual([...Array(50).keys()].map((n) => nameOf(n)).sort())
  })
})

describe('many messages about few tasks', () => {
  it('[CI-8] one to all of which every agent has a copy counts once', async () => {
    const asks = (n: number) => message(n, { intent: 'question', task: `Q-${n}` })
    for (let n = 0; n < 30; n++) folder.put(`NEW_MESSAGES/q-${n}.md`, asks(n))
    folder.put('NEW_MESSAGES/q-30.md', message(30, { intent: 'question', task: 'T-1' }))
    await cold((circe) => circe.claiming.claim('engineer', { task: 'T-1' }))
    const counted = folder.read('LOGS/events.log').match(/\tmessage\t[^\t]*\t[^\t]*\tq-\d+\.md/g)
    expect(counted).toHaveLength(31)
  })

  it('[CI-5][CI-8] count in the order of time, by few changes, each with its line', async () => {
    for (let n = 0; n < many; n++) fs.rmSync(join(folder.path, 'NEW_MESSAGES', nameOf(n)))
    await cold(async (circe) => {
      await circe.sending.send({
        from: 'lead',
        to: 'engineer',
        intent: 'implement_feature',
        task: 'FEAT-1',
        summary: 'Build',
      })
      await circe.claiming.claim('engineer')
    })
    const said = ['in_progress', 'blocked', 'in_progress', 'in_progress']
    for (let n = 0; n < 120; n++) {
      const at = new Date(Date.now() + n * 1000).toISOString().replace(/\.\d+/, '')
      const text = foreign('engineer', 'lead', 'status_update', { task: 'FEAT-1', status: said[n % 4]!, at })
      folder.put(`NEW_MESSAGES/m-${`${n}`.padStart(3, '0')}.md`, text)
    }
    folder.put(
      'NEW_MESSAGES/z.md',
      foreign('engineer', 'ROOSTER', 'escalate', {
        task: 'FEAT-1',
        status: 'blocked',
        at: new Date(Date.now() + 200_000).toISOString(),
      }),
    )
    const [task] = await cold((circe) => circe.overview.tasks('FEAT-1'))
    expect(task).toMatchObject({ status: 'blocked', owner: 'engineer' })
    const lines = folder
      .read('LOGS/events.log')
      .split('\n')
      .filter((line) => /\tm-\d+\.md\t/.test(line))
    expect(lines.map((line) => line.split('\t')[4])).toEqual(
      [...Array(120).keys()].map((n) => `m-${`${n}`.padStart(3, '0')}.md`),
    )
    expect(await cold((circe) => circe.overview.tasks('FEAT-1'))).toEqual([
      expect.objectContaining({ status: 'blocked' }),
    ])
    expect(
      folder
        .read('LOGS/events.log')
        .split('\n')
        .filter((line) => line.includes('m-')),
    ).toHaveLength(120)
  })
})

describe('beside a process that is stopped in its turn', () => {
  const held = async (subject: string, work: () => Promise<void>) => {
    const tree = await openFileTree({ root })
    let goOn = () => {}
    const stopped = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let begun = () => {}
    const isHeld = new Promise<void>((resolve) => {
      begun = resolve
    })
    const turn = tree.exclusively(`circe AI_MANAGER ${subject}`, async () => {
      begun()
      await stopped
    })
    await isHeld
    try {
      await work()
    } finally {
      goOn()
      await turn
      await tree.close()
    }
  }

  it('[CI-4] reading waits for nobody, and writing not for long: it says for whom', async () => {
    // Nobody has counted these yet, so that whoever looks has something to do.
    folder.put(
      'NEW_MESSAGES/update.md',
      message(9000, { from: 'qa', to: 'lead', intent: 'test_results', task: 'T-7', status: 'completed' }),
    )
    const turnMs = 100
    const patient = <T>(work: (circe: Circe) => Promise<T>) => withCirce(root, work, { settings: { turnMs } })
    const slow = <T>(work: (circe: Circe) => Promise<T>) => withCirce(root, work, { settings: { turnMs: 600_000 } })
    await held('task.T-7', async () => {
      // Whoever waited would wait for ten minutes.
      const { tasks, notices } = await slow((circe) => circe.overview.taskList())
      expect(tasks).toHaveLength(many)
      expect(notices).toEqual(['Messages about 1 task have not counted yet; the next command goes on with them.'])
      expect((await slow((circe) => circe.overview.inbox('engineer'))).messages).toHaveLength(many)
      for await (const _ of await slow(async (circe) => circe.people.open())) throw new Error('nobody asked')
      expect((await slow((circe) => circe.overview.log())).outcome).toBe('told')
      // Work on other tasks goes on; a change of this one is refused after a while.
      expect(await slow((circe) => taken(circe))).toBe(nameOf(0))
      await expect(patient((circe) => circe.claiming.claim('engineer', { task: 'T-7' }))).rejects.toMatchObject({
        code: 'LOCK_BUSY',
        kind: 'Unavailable',
        message: expect.stringContaining('Waited 0.1 s for '),
      })
      await expect(patient((circe) => circe.tasks.check('T-7', 'qa', {}))).rejects.toMatchObject({ code: 'LOCK_BUSY' })
    })
    const [task] = await cold((circe) => circe.overview.tasks('T-7'))
    expect(task!.checks.tests_passed).toBe(true)
  })

  it('[CI-4] a claim passes over what is in another turn, and takes the next', async () => {
    const slow = <T>(work: (circe: Circe) => Promise<T>) => withCirce(root, work, { settings: { turnMs: 600_000 } })
    await slow((circe) => circe.overview.tasks())
    await held('task.T-0', async () => {
      expect(await slow((circe) => taken(circe))).toBe(nameOf(1))
    })
    expect(await slow((circe) => taken(circe))).toBe(nameOf(0))
  })
})
