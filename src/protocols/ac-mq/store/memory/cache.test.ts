/** What the cache of a mission saves, and that nobody notices whether there is one. */
import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../../engines/memory/index.ts'
import { heldClock } from '../../../../kernel/clock.ts'
import { treePath } from '../../../../kernel/tree-path.ts'
import type { Tree } from '../../../../tree/tree.ts'
import { acmq } from '../../index.ts'

/** Forty topics, each with a word of its own. */
const topicOf = (n: number): string =>
  Array.from(
    { length: 9 },
    (_, i) => 'bdfgklmnprst'[((n % 40) * (2 * i + 5) + i * i) % 12]! + 'aeiou'[((n % 40) + i) % 5]!,
  ).join('')
const textOf = (n: number): string => `The ${topicOf(n)} fails in part ${n}, see \`src/${topicOf(n)}.ts\``

/** The same tree to somebody who does not remember what this process did to it, and how many messages it reads. */
function anotherProcess(tree: Tree): { readonly tree: Tree; reads: number } {
  const counted = {
    reads: 0,
    tree: new Proxy(tree, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'read' && String(args[0]).includes('/queue/')) counted.reads++
          return value.apply(target, args)
        }
      },
    }),
  }
  return counted
}

it('[AC-13.2a] a pass reads what is new, and without the cache everything comes out the same', async () => {
  const clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
  const tree = openMemoryTree({ clock })
  const open = async (opened: Tree) =>
    (await acmq.open({ tree: opened, clock, settings: acmq.defaults })).create('alpha')
  const { mission } = await open(tree)
  const send = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      clock.advance(1000)
      await mission.sending.send({ from: 'claude', to: 'gemini', body: textOf(n) })
    }
    clock.advance(10_000)
  }
  await send(0, 520)
  const made = await (await mission.memory()).bus()
  expect(made.documents.length).toBeGreaterThan(10)

  const second = anotherProcess(tree)
  await (await (await open(second.tree)).mission.memory()).bus()
  expect(second.reads).toBe(0)

  await send(520, 523)
  const third = anotherProcess(tree)
  const renewed = (await (await (await open(third.tree)).mission.memory()).bus()).documents.filter(
    ({ outcome }) => outcome !== 'unchanged',
  )
  expect(renewed.length).toBeGreaterThan(0)

  const cache = treePath('.signalbox/cache/memory')
  const kept = (await tree.list(cache)).filter(({ name }) => name.endsWith('.json'))
  expect(kept).toHaveLength(1)
  // Cut off, it is none.
  for (const { name } of kept) {
    const { bytes, revision } = (await tree.read(treePath(`${cache}/${name}`)))!
    await tree.replace(treePath(`${cache}/${name}`), bytes.slice(0, 1000), revision)
  }
  const fourth = anotherProcess(tree)
  expect(await (await (await open(fourth.tree)).mission.memory()).bus()).toMatchObject({ outcome: 'unchanged' })
  expect(fourth.reads).toBeGreaterThan(523)
})
