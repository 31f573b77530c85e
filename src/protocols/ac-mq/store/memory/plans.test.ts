import { expect, it } from 'vitest'
import { cacheEntryMaker } from '../../memory/cache.ts'
import { automaticPlans } from './plans.ts'

it('[AC-13.2a] while too many messages have no vector yet, nothing is put together', () => {
  const entryOf = cacheEntryMaker([])
  const messages = [
    'Slow orders query',
    'The orders query is slow',
    'Slow query of orders',
    'Orders: slow query',
    'Lunch',
  ].map((summary, n) =>
    entryOf(
      {
        ...{ id: `message${n}`, name: `${n}.md`, createdAt: `2026-11-17T15:00:0${n}Z`, status: 'pending' },
        ...{ dependencies: [], from: 'a', to: 'b', summary, body: '' },
      },
      '',
    ),
  )
  const asked = { messages, milestones: [], clusterSize: 4, vectors: new Map(), provider: 'local' }
  expect(automaticPlans(asked).plans.map(({ trigger }) => trigger)).toEqual(['similarity'])
  expect(automaticPlans({ ...asked, isEarly: true }).plans).toEqual([])
})
