/** Sections 6, 7 and 8 of the AC-MQ specification, sentence by sentence, by the library on real files. */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import { type AcmqBox, openBox } from '../support/acmq.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let box: AcmqBox
let clock: ReturnType<typeof heldClock>

beforeEach(async () => {
  root = tempDir()
  clock = heldClock(Date.now())
  box = await openBox(root, { clock })
})
afterEach(() => box.close())

const minute = 60_000
const file = (...path: string[]) => join(root, 'llm/missions/alpha', ...path)
const write = (path: string, text: string) => fs.writeFileSync(file(path), text)
const names = (queue: string) => fs.readdirSync(file('queue', queue)).sort()
const textOf = (queue: string, name: string) => fs.readFileSync(file('queue', queue, name), 'utf8')

const ask = async (
  body: string,
  more: { to?: string; after?: string[]; timeoutSeconds?: number; id?: string } = {},
) => {
  const { to = 'gemini', after = [], ...rest } = more
  return (await box.mission.sending.send({ from: 'claude', to, body: `${body}\n`, dependencies: after, ...rest }))
    .message
}

async function take(agent: string, mission: Mission = box.mission) {
  const claimed = await mission.claims.next({ agent })
  if (claimed.outcome !== 'claimed') throw new Error(`nothing for ${agent}: ${JSON.stringify(claimed)}`)
  return claimed.message
}

const finish = (
  { id, attempt }: { id: string; attempt: number },
  agent: string,
  links: string[] = [],
  text = 'Done.',
) => box.mission.settling.complete(id, { agent, attempt }, { text, links })

const offeredTo = async (agent: string) => {
  const claimed = await box.mission.claims.next({ agent })
  return claimed.outcome === 'nothing' ? 'nothing' : claimed.message.id
}

describe('6.1 simple research task', () => {
  verifies(['AC-6.1', 'AC-4.3'], 'from the question to the finding that the message links to', async () => {
    // Claude creates the message in pending, with a summary.
    const question = await ask('Research the performance of Rust vs. Go for web servers.')
    expect(question.name).toMatch(/-from-claude-to-gemini\.md$/)
    expect(textOf('pending', question.name)).toContain(
      '\nsummary: "Research the performance of Rust vs. Go for web servers."\n',
    )
    // Gemini moves it to processing, and does the research.
    const task = await take('gemini')
    expect([names('pending'), names('processing')]).toEqual([[], [question.name]])
    // The results are a new file in findings; the message gets a summary and a link to it.
    write('findings/research-rust-vs-go.md', '# Rust and Go\n\nBoth are fast.\n')
    const done = await finish(
      task,
      'gemini',
      ['findings/research-rust-vs-go.md'],
      'Both are fast.\nRust uses less memory.',
    )
    expect(done).toMatchObject({ outcome: 'completed', message: { state: 'completed' } })
    // Gemini moves the message to completed.
    expect([names('processing'), names('completed')]).toEqual([[], [question.name]])
    const text = textOf('completed', question.name)
    expect(text).toMatch(/^status: completed *$/m)
    expect(text.slice(text.indexOf('\n---\n') + 5)).toBe(
      [
        'Research the performance of Rust vs. Go for web servers.',
        '',
        '---',
        '',
        '**Result**',
        '',
        `- Time: ${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
        '- Agent: gemini',
        '- Link: [findings/research-rust-vs-go.md](../../findings/research-rust-vs-go.md)',
        '',
        '> Both are fast.',
        '> Rust uses less memory.',
        '',
      ].join('\n'),
    )
    // Claude finds it there without having waited for it.
    expect((await (await box.mission.overview()).show(question.id)).body).toContain('Both are fast.')
  })
})

describe('6.2 multi-step system design', () => {
  verifies('AC-6.2', 'the second task refers to what the first one made', async () => {
    const design = await ask('Design the database schema for the user authentication module.')
    const first = await take('gemini')
    write('artifacts/db-schema-auth.sql', 'create table users (id integer);\n')
    await finish(first, 'gemini', ['artifacts/db-schema-auth.sql'])
    expect(names('completed')).toEqual([design.name])

    const code = await ask('Generate the API endpoint code based on the new schema.', {
      after: ['artifacts/db-schema-auth.sql'],
    })
    // Gemini sees the dependency and reads the schema file.
    const second = await take('gemini')
    expect(second).toMatchObject({ id: code.id, dependencies: ['artifacts/db-schema-auth.sql'] })
    const { document } = await (await box.mission.documents()).hydrate({ id: second.id })
    expect(document).toContain('create table users (id integer);')
    write('artifacts/api-auth-endpoints.rs', 'fn main() {}\n')
    await finish(second, 'gemini', ['artifacts/api-auth-endpoints.rs'])
    expect(names('completed').sort()).toEqual([design.name, code.name].sort())
  })
})

describe('7.1 message chaining', () => {
  verifies(
    'AC-7.1a',
    'a task that needs an architecture and an analysis waits for both, in whatever order',
    async () => {
      for (const order of [
        ['architecture', 'analysis'],
        ['analysis', 'architecture'],
      ] as const) {
        const made = {
          architecture: await ask('Specify the architecture', { to: 'claude' }),
          analysis: await ask('Analyse the data model', { to: 'codex' }),
        }
        const agentOf = { architecture: 'claude', analysis: 'codex' } as const
        const code = await ask('Generate the code', { after: [`msg:${made.architecture.id}`, made.analysis.id] })
        for (const name of order) {
          expect(await offeredTo('gemini'), `${name} is pending`).toBe('nothing')
          const task = await take(agentOf[name])
          expect(await offeredTo('gemini'), `${name} is processing`).toBe('nothing')
          await finish(task, agentOf[name])
        }
        expect(await offeredTo('gemini')).toBe(code.id)
        await finish({ id: code.id, attempt: 1 }, 'gemini')
      }
    },
  )

  verifies(
    'AC-7.1a',
    'only completed counts: what failed holds back, and sets free once it is retried and done',
    async () => {
      const first = await ask('First', { to: 'codex' })
      const second = await ask('Second', { after: [`msg:${first.id}`] })
      await take('codex')
      await box.mission.settling.fail(first.id, { agent: 'codex' }, { reason: 'No network' })
      expect(await offeredTo('gemini')).toBe('nothing')
      expect((await (await box.mission.overview()).blocked('gemini'))[0]).toMatchObject({
        message: { id: second.id },
        reason: `${first.id}, which it depends on, failed`,
      })
      await box.mission.settling.retry(first.id)
      expect(await offeredTo('gemini')).toBe('nothing')
      await finish(await take('codex'), 'codex')
      expect(await offeredTo('gemini')).toBe(second.id)
    },
  )

  it('tasks branch and merge: both branches run at once, the merge comes last', async () => {
    const root = await ask('Start')
    const branches = [
      await ask('Left', { after: [`msg:${root.id}`] }),
      await ask('Right', { after: [`msg:${root.id}`] }),
    ]
    const merge = await ask('Merge', { after: branches.map(({ id }) => `msg:${id.slice(0, 8)}`) })
    await finish(await take('gemini'), 'gemini')
    const both = [await take('gemini'), await take('gemini')]
    expect(both.map(({ id }) => id).sort()).toEqual(branches.map(({ id }) => id).sort())
    expect(await offeredTo('gemini')).toBe('nothing')
    for (const task of both) await finish(task, 'gemini')
    expect(await offeredTo('gemini')).toBe(merge.id)
  })
})

describe('7.2 sub-missions', () => {
  verifies(
    ['AC-7.2', 'AC-7.2b'],
    'a mission in a mission is a standard mission, and is told what is above it',
    async () => {
      const { mission: inner } = await box.missions.create('alpha/feature-x', { objective: 'Add the login page' })
      const folder = file('sub-missions/feature-x')
      expect(fs.readdirSync(folder).sort()).toEqual(['_meta', 'archive', 'artifacts', 'context', 'findings', 'queue'])
      await inner.sending.send({ from: 'claude', to: 'gemini', body: 'Draw it\n' })
      expect(await offeredTo('gemini')).toBe('nothing')
      const task = await take('gemini', inner)
      expect(task).toMatchObject({ mission: 'alpha/feature-x', body: 'Draw it\n' })
      const { document } = await (await inner.documents()).hydrate({ id: task.id })
      expect(document).toContain('Build the thing')
      expect(document).toContain('Add the login page')
    },
  )

  it('the manifest above can refer to the one below, which gives the whole picture', async () => {
    await box.missions.create('alpha/feature-x', { objective: 'Add the login page' })
    fs.appendFileSync(file('_meta/manifest.md'), '\n- `sub-missions/feature-x/_meta/manifest.md`\n')
    expect((await (await box.mission.documents()).hydrate()).document).toContain('Add the login page')
  })
})

describe('7.3 broadcast messages', () => {
  verifies('AC-7.3', 'any available agent may take it, the first one does, and stands in it from then on', async () => {
    const task = await ask('Format the files', { to: 'all' })
    expect(task.name).toMatch(/-from-claude-to-all\.md$/)
    expect((await take('codex')).id).toBe(task.id)
    expect(textOf('processing', task.name)).toMatch(/^to: codex$/m)
    expect(await offeredTo('gemini')).toBe('nothing')
    await expect(box.mission.settling.complete(task.id, { agent: 'gemini' })).rejects.toMatchObject({
      code: 'NOT_YOUR_MESSAGE',
    })
    expect((await finish({ id: task.id, attempt: 1 }, 'codex')).outcome).toBe('completed')
    expect(names('completed')).toEqual([task.name])
  })

  it('many of them are worked on in parallel, each by one agent', async () => {
    const tasks = await Promise.all(['a', 'b', 'c'].map((body) => ask(body, { to: 'all' })))
    const taken = await Promise.all(['gemini', 'codex', 'claude'].map((agent) => take(agent)))
    expect(taken.map(({ id }) => id).sort()).toEqual(tasks.map(({ id }) => id).sort())
    expect(taken.map(({ to }) => to)).toEqual(['gemini', 'codex', 'claude'])
  })
})

describe('8.1 failed messages', () => {
  verifies(['AC-8.1', 'AC-4.4'], 'carry the marked report, and every one of them stays as a record', async () => {
    const task = await ask('Fetch the data')
    await take('gemini')
    const at = () => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`
    const firstAt = at()
    await box.mission.settling.fail(
      task.id,
      { agent: 'gemini' },
      { reason: 'No network', detail: 'Tried three times.\nGave up.' },
    )
    const first = ['---', '', '**Failure Report**', '', `- Time: ${firstAt}`, '- Agent: gemini', '- Reason: No network']
    const detail = ['', '> Tried three times.', '> Gave up.', '']
    expect(textOf('failed', task.name)).toMatch(/^status: failed *$/m)
    expect(textOf('failed', task.name).endsWith(`Fetch the data\n\n${[...first, ...detail].join('\n')}`)).toBe(true)
    await box.mission.settling.retry(task.id)
    clock.advance(minute)
    await take('gemini')
    await box.mission.settling.fail(task.id, { agent: 'gemini', attempt: 2 }, { reason: 'Still none' })
    const text = textOf('failed', task.name)
    expect(text.match(/\*\*Failure Report\*\*/g)).toHaveLength(2)
    expect(text.indexOf('No network')).toBeLessThan(text.indexOf('Still none'))
    expect(text).toMatch(/^attempt: 2$/m)
  })
})

describe('8.2 stalled task detection', () => {
  it('a task may take as long as it says, and not a moment longer', async () => {
    const task = await ask('Slow', { timeoutSeconds: 120 })
    await take('gemini')
    clock.advance(2 * minute - 5000)
    expect(await (await box.mission.supervision()).findStalled()).toEqual([])
    clock.advance(10_000)
    expect(await (await box.mission.supervision()).findStalled()).toMatchObject([
      { message: { id: task.id, timeoutSeconds: 120 } },
    ])
    // Finding is not acting.
    expect(names('processing')).toEqual([task.name])
  })

  it('a task that says nothing has the configured time', async () => {
    write('queue/pending/note.md', '---\nid: note-1\nto: gemini\nfrom: claude\n---\nSay nothing of time.\n')
    await take('gemini')
    clock.advance(59 * minute)
    expect(await (await box.mission.supervision()).findStalled()).toEqual([])
    clock.advance(2 * minute)
    expect(await (await box.mission.supervision()).findStalled()).toMatchObject([{ message: { id: 'note-1' } }])
  })

  verifies('AC-8.2b', 'the supervisor moves it to failed and asks with high priority why', async () => {
    const task = await ask('Slow', { timeoutSeconds: 60 })
    await take('gemini')
    clock.advance(2 * minute)
    await (await box.mission.upkeep()).supervise('claude')
    expect([names('processing'), names('failed')]).toEqual([[], [task.name]])
    expect(textOf('failed', task.name)).toContain(
      '- Agent: claude\n- Reason: Stalled: gemini did not finish within 60 seconds',
    )
    const [question] = (await (await box.mission.overview()).list('pending')).messages
    expect(question).toMatchObject({ id: `investigate-${task.id}-1`, from: 'claude', to: 'claude', priority: 1 })
    // It comes before everything else.
    await ask('Something else', { to: 'claude' })
    const asked = await take('claude')
    expect(asked.id).toBe(question!.id)
    for (const part of [task.id, task.name, 'gemini', '60 seconds']) expect(asked.body).toContain(part)
  })
})

describe('8.3 idempotency', () => {
  verifies('AC-8.3', 'whatever is done a second time ends where it ended, and is no error', async () => {
    const twice = async <T extends { readonly outcome: string }>(work: () => Promise<T>) => [
      (await work()).outcome,
      (await work()).outcome,
    ]
    const task = { id: 'task-for-ever', timeoutSeconds: 60 }
    const send = () => box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'Again\n', ...task })
    expect(await twice(send)).toEqual(['sent', 'unchanged'])
    expect(await twice(() => box.mission.claims.next({ agent: 'gemini', id: task.id }))).toEqual(['claimed', 'claimed'])
    expect(await twice(() => box.mission.settling.renew(task.id, { agent: 'gemini' }))).toEqual(['renewed', 'renewed'])
    const holder = { agent: 'gemini', attempt: 1 }
    expect(await twice(() => box.mission.settling.fail(task.id, holder, { reason: 'no' }))).toEqual([
      'failed',
      'unchanged',
    ])
    expect(await twice(() => box.mission.settling.retry(task.id))).toEqual(['retried', 'unchanged'])
    await take('gemini')
    clock.advance(2 * minute)
    expect(await twice(async () => (await box.mission.upkeep()).supervise())).toEqual(['swept', 'nothing'])
    await box.mission.settling.retry(task.id)
    await take('gemini')
    const third = { agent: 'gemini', attempt: 3 }
    expect(await twice(() => box.mission.settling.complete(task.id, third))).toEqual(['completed', 'unchanged'])
    expect(await twice(async () => (await box.mission.upkeep()).archive({ olderThanMs: 0 }))).toEqual([
      'archived',
      'nothing',
    ])
    expect(await twice(() => box.missions.create('alpha'))).toEqual(['unchanged', 'unchanged'])
    expect(await twice(send)).toEqual(['unchanged', 'unchanged'])
    expect((await (await box.mission.overview()).status()).archived).toBe(1)
  })

  it('a file that somebody has moved already is found where it is', async () => {
    const task = await ask('Moved by hand')
    const claimed = await take('gemini')
    const text = textOf('processing', task.name).replace(/^status: .*$/m, 'status: completed')
    write(`queue/processing/${task.name}`, text)
    fs.renameSync(file('queue/processing', task.name), file('queue/completed', task.name))
    expect((await finish(claimed, 'gemini')).outcome).toBe('unchanged')
    expect(textOf('completed', task.name)).toBe(text)
  })
})
