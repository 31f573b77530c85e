import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { circe } from '../index.ts'

const prepared = async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const { message } = await store.sending.send({ from: 'lead', to: 'qa', intent: 'inform', summary: 'Lunch' })
  const claim = () => store.claiming.claim('qa', { untilHandedOut: true })
  return { clock, store, claim, file: message.file }
}

it('[X-crash] what a process claimed and was killed before it printed can be claimed again, and that is told', async () => {
  const { clock, claim, file } = await prepared()
  expect(await claim()).toMatchObject({ outcome: 'claimed', message: { file } })
  // It may just be printing.
  expect(await claim()).toMatchObject({ outcome: 'nothing' })
  clock.advance(2000)
  expect(await claim()).toMatchObject({ outcome: 'claimed', message: { file }, redelivered: true })
})

it('[X-crash] what was printed stays claimed, and what the agent has gone on with stays as it is', async () => {
  const { clock, store, claim, file } = await prepared()
  await claim()
  await store.claiming.handedOut('qa', file)
  clock.advance(60_000)
  expect(await claim()).toMatchObject({ outcome: 'nothing' })
  await store.settling.ack('qa', file)
  await store.claiming.handedOut('qa', file)
  expect((await store.overview.inbox('qa')).messages).toMatchObject([{ isAcknowledged: true }])
})
