import { expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { circe } from '../../protocols/circe/index.ts'
import type { Context } from '../define.ts'
import { circeTasks } from './tasks.ts'

it('[X-tokens] of one task its messages are the list that --limit bounds, and what is left out is told', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const store = await circe.open({ tree: openMemoryTree({ clock }), clock, settings: circe.defaults })
  for (let n = 0; n < 5; n++) {
    clock.advance(1000)
    await store.sending.send({ from: 'lead', to: 'engineer', intent: 'inform', task: 'AUTH-012', summary: `News ${n}` })
  }
  const context = { store: async () => store, clock, report: { finished() {} } } as unknown as Context
  const shown = await circeTasks.invoke(context, { id: 'AUTH-012', limit: 2 })
  expect(shown.tasks[0]!.messages.map(({ summary }) => summary)).toEqual(['News 0', 'News 1'])
  expect(shown.leftOut).toBe(3)
  expect((await circeTasks.invoke(context, { id: 'AUTH-012' })).tasks[0]!.messages).toHaveLength(5)
})
