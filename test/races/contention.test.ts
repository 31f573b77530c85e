/** Workers on one queue get out of each other's way, and whoever is alone takes everything in order. */
import { expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { TreePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { verifies } from '../support/verifies.ts'

const openMission = async (tree: Tree) =>
  (await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })).create('alpha', { objective: 'Work' })

/** Messages of priority 1 and 2, half of them each, the first sent first. */
async function fill(tree: Tree, count: number): Promise<string[]> {
  const { mission } = await openMission(tree)
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const timestamp = new Date(1_751_625_000_000 + i * 1000).toISOString()
    const priority = i < count / 2 ? 1 : 2
    const sent = await mission.sending.send({
      from: 'ann',
      to: i % 5 ? 'bob' : 'all',
      body: `${i}`,
      priority,
      timestamp,
    })
    ids.push(sent.message.id)
  }
  return ids
}

/** The tree as a process sees it: every claim takes a moment, in which the others go on. */
function countingLosses(tree: Tree, losses: { count: number }): Tree {
  const move: Tree['move'] = async (from, to, options) => {
    await new Promise(setImmediate)
    const moved = await tree.move(from, to, options)
    if (moved.outcome === 'gone') losses.count++
    return moved
  }
  return new Proxy(tree, {
    get: (target, name) => {
      if (name === 'move') return move
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

verifies(['AC-4.2a', 'AC-4.2b'], 'eight workers take each once, and lose fewer than half the races', async () => {
  const tree = openMemoryTree()
  const ids = await fill(tree, 400)
  const losses = { count: 0 }
  const taken: { id: string; priority: number }[] = []
  const workers: (() => Promise<boolean>)[] = []
  for (let i = 0; i < 8; i++) {
    const { mission } = await openMission(countingLosses(tree, losses))
    const work = async () => {
      const claimed = await mission.claims.next({ agent: 'bob' })
      if (claimed.outcome === 'nothing') return false
      taken.push(claimed.message)
      await mission.settling.complete(claimed.message, { agent: 'bob' })
      return true
    }
    // A process keeps to the order in its first claim, which may be its only one.
    await work()
    workers.push(work)
  }
  const working = async (work: () => Promise<boolean>) => {
    while (await work()) {}
  }
  await Promise.all(workers.map(working))
  expect(taken.map(({ id }) => id).sort()).toEqual([...ids].sort())
  // Seven, when everybody goes for the next one.
  expect(losses.count).toBeLessThan(3.5 * ids.length)
  // Nobody passes over a more urgent one: the last of priority 1 is given out before the queue is half done.
  const lastUrgent = taken.findLastIndex(({ priority }) => priority === 1)
  expect(lastUrgent).toBeLessThan(ids.length / 2 + 16)
})

verifies(
  'AC-4.2a',
  'what was passed over is taken before anything less urgent, and a worker alone keeps the order',
  async () => {
    const tree = openMemoryTree()
    const ids = await fill(tree, 20)
    const { mission } = await openMission(tree)
    const claim = async () => {
      const claimed = await mission.claims.next({ agent: 'bob' })
      return claimed.outcome === 'claimed' ? claimed.message : undefined
    }
    expect([(await claim())?.id, (await claim())?.id]).toEqual([ids[0], ids[1]])
    // Somebody else takes the next one in the instant before we do.
    const pending = 'llm/missions/alpha/queue/pending' as TreePath
    const [third] = (await tree.list(pending)).map(({ name }) => name)
    const move = tree.move.bind(tree)
    tree.move = async (from, to, options) => {
      tree.move = move
      await tree.move(from, 'elsewhere' as TreePath)
      return tree.move(from, to, options)
    }
    const rest: { id: string; priority: number }[] = []
    for (let message = await claim(); message; message = await claim()) rest.push(message)
    expect(third).toContain(ids[2]!.slice(0, 8))
    expect(rest.map(({ id }) => id).sort()).toEqual(ids.slice(3).sort())
    expect(rest.map(({ priority }) => priority)).toEqual(rest.map(({ priority }) => priority).sort())
  },
)

verifies(['AC-4.2a', 'AC-4.2b'], 'agents who share a process lose no race to each other', async () => {
  const tree = openMemoryTree()
  const ids = await fill(tree, 200)
  const losses = { count: 0 }
  const { mission } = await openMission(countingLosses(tree, losses))
  const taken: string[] = []
  const work = async () => {
    for (;;) {
      const claimed = await mission.claims.next({ agent: 'bob' })
      if (claimed.outcome === 'nothing') return
      taken.push(claimed.message.id)
      await mission.settling.complete(claimed.message, { agent: 'bob' })
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  expect({ taken: taken.sort(), losses: losses.count }).toEqual({ taken: ids.sort(), losses: 0 })
})
