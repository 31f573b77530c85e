import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { circe } from '../index.ts'

async function open() {
  const clock = heldClock()
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const names = async (folder: string) => {
    const entries = await tree.list(treePath(`${circe.defaults.root}/${folder}`))
    return entries.flatMap(({ name, kind }) => (kind === 'leaf' && name.endsWith('.md') ? [name] : []))
  }
  return { clock, store, neutral: await store.neutral(), names }
}
const work = { from: 'lead', to: 'qa', intent: 'test', task: 'T-1', summary: 'Test it' } as const

it('a result is one answer, also when who gave it was killed before the message was done', async () => {
  const { clock, store, neutral, names } = await open()
  const { message } = await store.sending.send(work)
  await store.claiming.claim('qa')
  // All that a process did that was killed in between.
  await store.people.answer(message.file, { text: 'All passed', by: 'qa' })
  clock.advance(5000)
  expect(await neutral.done({ id: message.id, agent: 'qa' }, { text: 'All passed' })).toMatchObject({
    outcome: 'settled',
  })
  expect(await names('NEW_MESSAGES')).toEqual([expect.stringMatching(/_qa-lead_answer_T-1\.md$/)])
  expect(await names('AGENTS/qa/INBOX')).toEqual([])
})

it('a result comes through where somebody else has answered, or the message was for another', async () => {
  const { store, neutral, names } = await open()
  const { message } = await store.sending.send({ ...work, intent: 'escalate', to: 'lead', from: 'engineer' })
  await store.claiming.claim('lead')
  await store.people.answer(message.file, { text: 'Do this' })
  await neutral.done({ id: message.id, agent: 'lead' }, { text: 'Do that\nand more' })
  expect(await names('NEW_MESSAGES')).toEqual([
    expect.stringMatching(/_lead-engineer_answer_T-1\.md$/),
    expect.stringMatching(/_rooster-engineer_answer_T-1\.md$/),
  ])
})
