import { expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { systemClock } from '../../kernel/clock.ts'
import { defaultSettings } from '../../protocols/shared-agent/settings.ts'
import { Sessions } from '../../protocols/shared-agent/store/sessions.ts'
import type { Context } from '../define.ts'
import { sessionInbox } from './inbox.ts'

it('[SA-12d] what was written out counts as read in its own session, whichever is the current one by then', async () => {
  const tree = openMemoryTree()
  const sessions = new Sessions({ tree, clock: systemClock, settings: defaultSettings })
  const context = {
    clock: systemClock,
    report: { finished() {} },
    store: async () => sessions,
    actor: async () => ({ name: 'A', isNamedByCall: true }),
  } as unknown as Context
  const texts = async (session: string) =>
    (await sessions.inbox('A', { session, peek: true })).map((mail) => mail.text).join()
  for (const session of ['other', 'first']) {
    await sessions.start(session)
    await sessions.say(`#DIRECT:A:${session}`, { session, agent: 'B' })
  }
  const output = await sessionInbox.invoke(context, { peek: false })
  expect(output).toMatchObject({ outcome: 'received', session: 'first', messages: [{ text: 'first' }] })
  await sessions.start('other')
  expect(await texts('first')).toBe('first')
  await sessionInbox.handedOut!(context, output)
  expect([await texts('first'), await texts('other')]).toEqual(['', 'other'])
})
