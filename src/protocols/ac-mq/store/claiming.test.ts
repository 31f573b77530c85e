import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import type { Tree } from '../../../tree/tree.ts'
import { acmq } from '../index.ts'

const nothing = { outcome: 'nothing', blocked: [] }

/** A mission with one message for gemini, on a tree whose verbs may be wrapped. */
async function missionWith(wrap: (tree: Tree) => Partial<Tree> = () => ({})) {
  const clock = heldClock()
  const memory = openMemoryTree({ clock })
  const wrapped = wrap(memory)
  const tree = new Proxy(memory, {
    get(target, key) {
      const verb = Reflect.get(key in wrapped ? wrapped : target, key)
      return typeof verb === 'function' ? verb.bind(target) : verb
    },
  })
  const missions = await acmq.open({ tree, clock, settings: acmq.defaults })
  const { mission } = await missions.create('alpha')
  const send = () => mission.sending.send({ id: 'first000', from: 'claude', to: 'gemini', body: 'Do it' })
  const pending = async () => (await (await mission.overview()).list('pending')).messages
  return { missions, mission, send, pending }
}

describe('a claimer that goes away', () => {
  it('has claimed nothing if it was gone before', async () => {
    const { mission, send, pending } = await missionWith()
    await send()
    expect(await mission.claims.next({ agent: 'gemini', signal: AbortSignal.abort() })).toEqual(nothing)
    expect(await pending()).toMatchObject([{ id: 'first000', attempt: 1 }])
  })

  it.each([[['alpha']], [['**']]])('ends its wait for %j, and gets nothing that comes later', async (names) => {
    const { missions, send, pending } = await missionWith()
    const gone = new AbortController()
    const claimed = missions.claim(names, { agent: 'gemini', waitMs: 60_000, signal: gone.signal })
    setImmediate(() => gone.abort())
    expect(await claimed).toEqual(nothing)
    await send()
    expect(await pending()).toMatchObject([{ id: 'first000', attempt: 1 }])
  })

  it('gives back what it claims in the same moment, also while it waits', async () => {
    const gone = new AbortController()
    const { mission, missions, send, pending } = await missionWith((tree) => ({
      async move(from, to, options) {
        const moved = await tree.move(from, to, options)
        if (to.includes('/processing/')) gone.abort()
        return moved
      },
    }))
    const waiting = missions.claim(['alpha'], { agent: 'gemini', waitMs: 60_000, signal: gone.signal })
    await send()
    expect(await waiting).toEqual(nothing)
    expect(await pending()).toMatchObject([{ id: 'first000', attempt: 2 }])
    expect(await mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'claimed' })
  })

  it('keeps what it held before', async () => {
    const gone = new AbortController()
    const { mission, send, pending } = await missionWith((tree) => ({
      read(path, options) {
        if (path.includes('/processing/')) gone.abort()
        return tree.read(path, options)
      },
    }))
    await send()
    await mission.claims.next({ agent: 'gemini' })
    const again = await mission.claims.next({ agent: 'gemini', id: 'first000', signal: gone.signal })
    expect(again).toMatchObject({ outcome: 'claimed', isHeldBefore: true, message: { attempt: 1 } })
    expect([gone.signal.aborted, await pending()]).toEqual([true, []])
  })
})
