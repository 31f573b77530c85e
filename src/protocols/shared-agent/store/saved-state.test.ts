import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { commands } from '../commands/table.ts'
import { estimatingTokenizer } from '../estimating-tokenizer.ts'
import { sessionId } from '../layout.ts'
import { noRoles } from '../roles.ts'
import { defaultSettings } from '../settings.ts'
import { Documents } from './document.ts'
import { endSession } from './ending.ts'
import type { SessionParts } from './parts.ts'
import { savedStates } from './saved-state.ts'
import { say } from './speaking.ts'

const id = sessionId('s')

function open() {
  const tree = openMemoryTree()
  const parts: SessionParts = {
    tree,
    clock: systemClock,
    settings: defaultSettings,
    ports: {},
    documents: new Documents(tree),
    tokenizer: async () => estimatingTokenizer,
    roles: async () => noRoles,
    acted: async () => {},
    homeOf: async () => undefined,
    table: async () => commands,
  }
  const tell = async (line: string) => (await say(parts, id, line, { agent: 'A' })).lines.join('\n')
  return { parts, tell, states: savedStates(parts) }
}

it('brings back keys, variables and tasks, releases locks, and never uses a number of a task twice', async () => {
  const { parts, tell, states } = open()
  for (const line of ['#STATE:save:k:old', '{{V}}: "1"', '#DELEGATE:D:one', '#DIRECT:B:hello']) await tell(line)
  const saved = await states.save('s')
  for (const line of ['#STATE:save:k:new', '#STATE:save:more:x', '{{V}}: "2"', '#DELEGATE:D:two', '#LOCK:r'])
    await tell(line)
  await states.check('s', saved)
  expect(await states.restore('s', saved)).toEqual({ keys: 1, released: ['r (A)'] })
  // Who held them is told.
  expect((await parts.documents.log(id)).at(-1)).toMatchObject({ text: '1 keys; locks released: r (A)', to: ['A'] })
  const log = (await parts.documents.log(id)).length
  expect(await states.restore('s', saved)).toEqual({ keys: 1, released: [] })
  expect((await parts.documents.log(id)).length).toBe(log)
  expect(await tell('#STATE:list')).toBe('• k')
  expect(await tell('#STATE:save:v:{{V}}')).toBe('saved:v')
  expect(await tell('#STATE:load:v')).toBe('1')
  expect(await tell('#DELEGATE:D:three')).toMatch(/^ack:task_id_003\n/)
  expect((await say(parts, id, '#LOCK:r', { agent: 'B' })).lines).toEqual(['locked'])
  // What was sent stays sent.
  expect((await parts.documents.log(id)).filter(({ to }) => to?.includes('B'))).toHaveLength(1)
})

it('of a session that has ended stays away, and does not start it again', async () => {
  const { parts, tell, states } = open()
  await tell('#STATE:save:k:v')
  const saved = await states.save('s')
  await endSession(parts, id, 'A')
  expect(await states.restore('s', saved, [saved])).toEqual({ keys: 0, released: [] })
  expect(await parts.documents.read(id)).toMatchObject({ status: 'ended', state: [] })
})

it('of a session that is not there is empty, and what is no state is refused before anything changes', async () => {
  const { tell, states } = open()
  const empty = await states.save('s')
  await tell('#STATE:save:k:v')
  for (const bytes of ['', '{}', Buffer.from(empty).toString().replace('"s"', '"t"')]) {
    await expect(states.check('s', Buffer.from(bytes))).rejects.toMatchObject({ code: 'BAD_SAVED_STATE' })
    await expect(states.restore('s', Buffer.from(bytes))).rejects.toMatchObject({ code: 'BAD_SAVED_STATE' })
  }
  expect(await tell('#STATE:load:k')).toBe('v')
  expect(await states.restore('s', empty)).toEqual({ keys: 0, released: [] })
  expect(await tell('#STATE:load:k')).toBe('not_found')
})
