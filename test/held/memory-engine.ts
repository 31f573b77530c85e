/** The tree in memory for the explorer: one tree for all, and every verb is a step. */
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { OutsideTree } from './outside-tree.ts'
import type { BeforeStep, Engine } from './tree-stage.ts'

const noSteps = ['watch', 'close']

export const memoryEngine: Engine = {
  name: 'memory',
  empty: async () => {
    let now = () => 0
    const shared = openMemoryTree({ clock: { now: () => now() } })
    return {
      outside: new OutsideTree(shared),
      open: async (_who, clock, beforeStep) => {
        // The clock of the last one to open counts: worlds are set up before anybody plays.
        now = clock.now
        return stepping(shared, beforeStep)
      },
    }
  },
  // Nothing in memory takes longer, unless it waits for somebody.
  aWhile: async () => {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  },
}

function stepping(tree: Tree, beforeStep: BeforeStep): Tree {
  return new Proxy(tree, {
    get(target, key: keyof Tree) {
      const value: unknown = target[key]
      if (typeof value !== 'function') return value
      if (noSteps.includes(key)) return key === 'close' ? async () => {} : value.bind(target)
      return async (...values: unknown[]) => {
        const [path] = values
        await beforeStep(`${key} ${typeof path === 'string' ? path : ''}`)
        return value.apply(target, values)
      }
    },
  })
}
