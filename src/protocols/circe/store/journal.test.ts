import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { childOf, treePath } from '../../../kernel/tree-path.ts'
import { circe } from '../index.ts'
import { unfinishedPath } from '../layout.ts'

it('[X-crash] finishes a note of an earlier version, which has what is to be told beside its steps', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  await store.agents.init('qa')
  const event = { at: clock.now(), event: 'released', agent: 'qa', task: 'FEAT-1', detail: 'left by a killed process' }
  const note = childOf(unfinishedPath, 'task.FEAT-1.json')
  await tree.create(note, JSON.stringify({ steps: [], events: [event] }))
  await store.overview.inbox('qa')
  expect(await tree.look(note)).toBeUndefined()
  const log = await tree.read(treePath(`${circe.defaults.root}/LOGS/events.log`))
  expect(Buffer.from(log!.bytes).toString('utf8')).toMatch(/\treleased\tqa\tFEAT-1\t.*left by a killed process\n$/)
})
