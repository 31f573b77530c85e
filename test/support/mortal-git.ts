/**
 * Simulates a process that is killed while it makes a checkpoint or rolls back, within the process of the test. Every command of
 * git, every change of a file beside the tree, every change of the tree and of the session is a step. From the chosen step on
 * nothing works any more, cleaning up included, as after `kill -9`. A git that was running goes on, as it does then.
 */
import type { Git } from '../../src/adapters/git/index.ts'
import { unavailable } from '../../src/kernel/errors.ts'
import type { PlainFiles } from '../../src/kernel/plain-files.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { Killed } from './mortal-disk.ts'

export interface Mortal {
  /** The names of the steps so far. */
  readonly steps: string[]
  readonly git: (git: Git) => Git
  readonly files: (files: PlainFiles) => PlainFiles
  readonly tree: (tree: Tree) => Tree
  /** A step of the test's own. */
  step(name: string): void
  /** Resolves when every git that outlived its caller has ended. */
  orphans(): Promise<void>
}

/** `fails`: the step fails, once, and the process goes on. */
export type When = 'before' | 'during' | 'fails'

const changing = {
  files: ['writeNew', 'copy', 'link', 'rename', 'remove', 'makeFolder', 'removeFolder', 'setMode', 'setTime'],
  tree: ['create', 'replace', 'move', 'remove', 'append', 'touch'],
}

/** `killAt`: the number of a step, from 1; 0 for a long life. `during` is for commands of git, and before any other step. */
export function mortal(killAt: number, when: When = 'before'): Mortal {
  const steps: string[] = []
  const orphans: Promise<unknown>[] = []
  let isDead = false
  const live = (): void => {
    if (isDead) throw new Killed()
  }
  const step = (name: string): void => {
    live()
    steps.push(name)
    if (steps.length !== killAt) return
    if (when === 'fails') throw unavailable('DISK_FULL', 'The disk is full.')
    isDead = true
    throw new Killed()
  }
  const counted = <T extends object>(target: T, kind: keyof typeof changing): T =>
    new Proxy(target, {
      get(object, key) {
        const call = Reflect.get(object, key) as unknown
        if (typeof call !== 'function') return call
        return (...values: unknown[]) => {
          if (changing[kind].includes(String(key))) step(`${kind}.${String(key)}`)
          else live()
          return call.apply(object, values)
        }
      },
    })
  return {
    steps,
    step,
    git: (git) => async (call) => {
      const name = `git ${call.args.filter((arg, n) => arg !== '-c' && call.args[n - 1] !== '-c')[0]}`
      if (when === 'during' && steps.length + 1 === killAt && !isDead) {
        orphans.push(git(call).catch(() => {}))
        // The system has started it by now.
        await new Promise((resolve) => setImmediate(resolve))
      }
      step(name)
      const answer = await git(call)
      live()
      return answer
    },
    files: (files) => counted(files, 'files'),
    tree: (tree) => counted(tree, 'tree'),
    orphans: async () => void (await Promise.all(orphans)),
  }
}
