import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { command, foreignMessage, memoryMr } from '../../../../test/support/message-routing.ts'
import { corrupt } from '../../../kernel/errors.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { foldersWith, type Transition, transitionNames, transitions } from '../lifecycle.ts'
import type { Routing } from './routing.ts'

const table = transitions as Record<string, Partial<Record<Transition, string>>>
const whole = structuredClone(table)
afterEach(() => {
  Object.assign(table, structuredClone(whole))
})

const failing = {
  open: async () => {
    throw corrupt('NOT_JUDGED', 'It cannot be judged now.')
  },
}
const refusing = { open: async () => ({ outcome: 'rejected', code: 'UNSIGNED', issues: ['No'] }) as const }

/** What a caller does to make a message go each way. */
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  'inbox take': () => started().then(({ mr }) => mr.claiming.receive('coder-1')),
  'inbox evict': () => started().then(({ mr }) => send(mr)),
  'inbox reject': async () => {
    const { mr, tree } = await started()
    await tree.create(treePath('state/agents/coder-2/inbox/msg_0000000a.json'), '{}')
    await mr.claiming.receive('coder-2')
  },
  'taken reject': () => started({ hooks: refusing }).then(({ mr }) => mr.claiming.receive('coder-1')),
  'taken putBack': () => started({ hooks: failing }).then(({ mr }) => mr.claiming.receive('coder-1')),
  'taken recover': async () => {
    const { mr, id } = await started()
    await mr.claiming.receive('coder-1')
    await mr.recovering.recover('coder-1', id)
  },
  'evicted recover': async () => {
    const { mr, id } = await started()
    await send(mr)
    await mr.recovering.recover('coder-1', id)
  },
  'rejected recover': async () => {
    const { mr, tree } = await started()
    const id = 'msg_0000000b'
    await tree.create(
      treePath(`state/agents/coder-2/rejected/${id}.json`),
      JSON.stringify(foreignMessage(id, { to: 'coder-2' })),
    )
    await mr.recovering.recover('coder-2', id)
  },
}

const send = (mr: Routing) => mr.sending.send(command('coder-1'))
/** One message waits, and there is room for no other. */
async function started(options: Parameters<typeof memoryMr>[0] = {}) {
  const box = memoryMr({ ...options, settings: { inboxLimit: 1 } })
  return { ...box, id: (await send(box.mr)).message.id }
}

describe('every move', () => {
  const listed = transitionNames.flatMap((transition) => foldersWith(transition).map((from) => `${from} ${transition}`))

  it('has a way in which a caller makes it', () => {
    expect(Object.keys(ways).sort()).toEqual(listed.sort())
  })

  it.each(listed)('asks the table: without %j it is not made', async (way) => {
    const [from, transition] = way.split(' ') as [string, Transition]
    const { [transition]: _, ...others } = table[from]!
    table[from] = others
    // Where the table names no folder to recover from, there is nothing to be recovered.
    const reason = transition === 'recover' ? /has no message/ : `no way to ${transition} a message from ${from}/`
    await expect(ways[way]!()).rejects.toThrow(reason)
  })

  it('is made in one file', () => {
    const folder = new URL('.', import.meta.url)
    const movers = readdirSync(folder).filter(
      (name) => !name.includes('.test.') && /\.move\(|\bsetAside\(/.test(readFileSync(new URL(name, folder), 'utf8')),
    )
    expect(movers).toEqual(['moving.ts'])
  })
})
