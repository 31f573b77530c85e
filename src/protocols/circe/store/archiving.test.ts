import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { circe } from '../index.ts'
import { hasTask } from './archiving.ts'

it('a name has a task in it as a word, not as a part of another', () => {
  for (const name of [
    'FEAT-02',
    'FEAT-02.md',
    'a_FEAT-02.txt',
    'plan-FEAT-02-draft',
    '20250101_a-b_test_FEAT-02.2.md',
    'FEAT-021 FEAT-02',
  ])
    expect(hasTask(name, 'FEAT-02'), name).toBe(true)
  for (const name of ['FEAT-021', 'XFEAT-02', 'feat-02', 'FEAT', '', 'FEAT-0', 'aFEAT-02b'])
    expect(hasTask(name, 'FEAT-02'), name).toBe(false)
})

describe('the workspace of a completed task', () => {
  it('[CI-4b] goes into the log: messages once, changed ones beside their originals, drafts as they lay', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    const store = await circe.open({ tree, clock, settings: circe.defaults })
    const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
    const put = (path: string, text: string) => tree.create(at(path), text)
    const textAt = async (path: string) => Buffer.from((await tree.read(at(path)))?.bytes ?? '').toString()
    const task = 'FEAT-02'
    const { message } = await store.sending.send({
      from: 'lead',
      to: 'all',
      intent: 'implement_feature',
      task,
      summary: 'Do it',
    })
    await store.settling.start('engineer', message.file)
    const received = await textAt(`LOGS/${message.file}`)
    // The engineer writes into it.
    const path = at(`AGENTS/engineer/WORKSPACE/${message.file}`)
    const leaf = (await tree.read(path))!
    await tree.replace(path, Buffer.from(`${received}\n## Notes\nHalf done\n`), leaf.revision)
    const draft = received.replace('from: lead', 'from: engineer').replace('to: all', 'to: qa')
    await put('AGENTS/engineer/WORKSPACE/answer.md', draft)
    await put(`AGENTS/engineer/WORKSPACE/${task}/src/a.ts`, 'code')
    await put(`AGENTS/engineer/WORKSPACE/${task}/${'x/'.repeat(3)}deep.txt`, 'deep')
    await put(`AGENTS/engineer/WORKSPACE/other/plan-${task}.txt`, 'plan')
    await put('AGENTS/engineer/WORKSPACE/FEAT-021.txt', 'of another')
    await put('AGENTS/engineer/WORKSPACE/notes.txt', 'of none')
    await put(`AGENTS/qa/WORKSPACE/${task}.log`, 'log of qa')
    await put(`LOGS/workspaces/${task}/qa/${task}.log`, 'of an earlier round')
    await store.sending.send({
      from: 'qa',
      to: 'engineer',
      intent: 'test_results',
      task,
      status: 'completed',
      summary: 'Fine',
    })
    await store.tasks.status(task, 'completed', 'engineer')
    const kept = `LOGS/workspaces/${task}`
    expect(await textAt(`LOGS/${message.file}`)).toBe(received)
    expect(await textAt(`${kept}/engineer/${message.file}`)).toBe(`${received}\n## Notes\nHalf done\n`)
    expect(await textAt(`${kept}/engineer/answer.md`)).toBe(draft)
    expect(await textAt(`${kept}/engineer/src/a.ts`)).toBe('code')
    expect(await textAt(`${kept}/engineer/x/x/x/deep.txt`)).toBe('deep')
    expect(await textAt(`${kept}/engineer/other/plan-${task}.txt`)).toBe('plan')
    expect(await textAt(`${kept}/qa/${task}.log`)).toBe('of an earlier round')
    expect(await textAt(`${kept}/qa/${task}~2.log`)).toBe('log of qa')
    const left = (await tree.list(at('AGENTS/engineer/WORKSPACE'))).filter(({ kind }) => kind === 'leaf')
    expect(left.map(({ name }) => name)).toEqual(['FEAT-021.txt', 'notes.txt'])
    expect((await tree.list(at('LOGS'))).filter(({ name }) => name === 'answer.md')).toEqual([])
  })

  it('[CI-4b][CI-4c] what is of a task whose name is longer stays where it is', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    const store = await circe.open({ tree, clock, settings: circe.defaults })
    const workspace = treePath(`${circe.defaults.root}/AGENTS/engineer/WORKSPACE`)
    const ask = (intent: string, task: string) =>
      store.sending.send({ from: 'lead', to: 'engineer', intent, task, summary: 'Do it' })
    await ask('document', 'FEAT-02')
    const { message } = await ask('fix_bug', 'FEAT-02-b')
    await store.settling.start('engineer', message.file)
    for (const name of ['FEAT-02-b.txt', 'FEAT-02-draft.txt', 'FEAT-02.b.txt'])
      await tree.create(treePath(`${workspace}/${name}`), 'x')
    await store.tasks.status('FEAT-02', 'completed', 'lead')
    expect((await tree.list(workspace)).map(({ name }) => name)).toEqual([message.file, 'FEAT-02-b.txt'])
    expect(await store.overview.tasks('FEAT-02-b')).toMatchObject([
      { status: 'in_progress', messages: [{ id: message.id }] },
    ])
  })
})
