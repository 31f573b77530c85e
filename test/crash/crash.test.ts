import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { haveStrace, isShort, mayLeaveToBun, runtime, spawnChild } from '../support/child.ts'
import { Killed, mortalDisk } from '../support/mortal-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import type { Step } from './crash.child.ts'
import { folders, type Picture, pictureOf, type Story, stories } from './operations.ts'

interface Way {
  readonly durability: 'process' | 'full'
  readonly renames: 'portable' | 'native'
}

// The calls are the same whichever runtime makes them: native ones are left to Bun, portable ones to Node.
const ways: Way[] = [{ durability: 'process', renames: runtime === 'bun' && loadNative() ? 'native' : 'portable' }]
// Flushes add steps but no states; Bun starts fast enough to go through them, and the portable renames, as well.
if (runtime === 'bun' && !isShort) ways.push({ durability: 'full', renames: 'portable' })

const table: string[] = []
const base = quickTempDir()
let counter = 0

async function freshRoot(story?: Story): Promise<string> {
  const root = join(base, `${counter++}`)
  mkdirSync(root)
  if (story) {
    const tree = await openFileTree({ root })
    await story.before(tree)
    await tree.close()
  }
  return root
}

/** Runs the story in a process of its own. `steps` is what it took when it came to the end. */
async function run(root: string, story: string, killAt: number, way: Way, under: readonly string[] = []) {
  const child = spawnChild('crash', [root, story, `${killAt}`, way.durability, way.renames], { under })
  const { code, signal } = await child.exited
  const line = child.stdout[0]
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`The child failed: ${child.stderr()}`)
  const steps = line === undefined ? undefined : (JSON.parse(line) as Step[])
  return { killed: signal === 'SIGKILL', steps }
}

interface Crashed {
  readonly root: string
  /** Whether the operation had come to its end, and said so, before the process died. */
  readonly isAcknowledged: boolean
}

/** How many changes a process makes that dies before this step, and the one at which it dies. */
const changesUntil = (killAt: number, steps: readonly Step[]) =>
  steps.slice(0, killAt - 1).filter(({ changes }) => changes).length + 1

/** A disk of a process that dies, though the process is this one, which is what makes it quick. */
function mortalDiskOf(way: Way) {
  const native = way.renames === 'native' ? loadNative() : undefined
  return mortalDisk(base, { ...realDisk(), ...native })
}

/** Whether it comes to its end before the process dies. */
async function survives(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(Killed)
    return false
  }
}

/** What a process leaves that dies before this step, or before a look that comes before this step. */
async function crashedHere(story: Story, killAt: number, steps: readonly Step[], way: Way): Promise<Crashed> {
  const root = await freshRoot(story)
  const { disk, fate, bury } = mortalDiskOf(way)
  const tree = await openFileTree({ root, disk, durability: way.durability })
  // How often it looks may depend on what the process has done before, what it changes does not.
  if (steps[killAt - 1]?.changes === false) fate.stepsLeft = killAt
  fate.left = changesUntil(killAt, steps)
  const isAcknowledged = await survives(() => story.act(tree))
  bury()
  return { root, isAcknowledged }
}

/** Opens the tree, which recovers what the last process left, and dies before this step of it. */
async function recoverHere(root: string, killAt: number, steps: readonly Step[], way: Way): Promise<void> {
  const { disk, fate, bury } = mortalDiskOf(way)
  fate.left = changesUntil(killAt, steps)
  await survives(async () => (await openFileTree({ root, disk, durability: way.durability })).list(folders[0]!))
  bury()
}

/** The same by a process of its own, and a real kill. */
async function killedThere(story: Story, killAt: number, place: string, way: Way): Promise<Crashed> {
  const root = await freshRoot(story)
  const { killed, steps } = await run(root, story.name, killAt, way)
  expect(killed, place).toBe(true)
  return { root, isAcknowledged: steps !== undefined }
}

/** Nothing private and nothing temporary where readers look. */
function leftovers(root: string): string[] {
  return folders.flatMap((folder) => {
    try {
      return readdirSync(join(root, folder)).filter((name) => name.startsWith('.'))
    } catch {
      return [] // The folder was never made.
    }
  })
}

async function expectRecovered(root: string, allowed: readonly Picture[], place: string): Promise<void> {
  const tree = await openFileTree({ root })
  try {
    const picture = await pictureOf(tree)
    expect(allowed, `${place} left ${JSON.stringify(picture)}`).toContainEqual(picture)
    expect(leftovers(root), place).toEqual([])
    const errors = (await tree.inspect({ within: folders })).filter(({ severity }) => severity === 'error')
    expect(errors, place).toEqual([])
    await expectUsable(tree, place)
  } finally {
    await tree.close()
  }
}

/** Every lock and name is free again for the living. */
async function expectUsable(tree: Tree, place: string): Promise<void> {
  const lease = await tree.lease('job', 'me', 1000)
  expect(lease.outcome, place).toBe('held')
  for (const story of stories.filter(({ name }) => ['create', 'move and rewrite', 'remove'].includes(name))) {
    await story.act(tree)
  }
}

for (const way of ways) {
  describe(`killed at every step, ${way.renames} renames, durability ${way.durability}, on ${runtime}`, () => {
    for (const story of stories) {
      it(`[X-crash] ${story.name}`, async () => {
        const steps = (await run(await freshRoot(story), story.name, 0, way)).steps!
        expect(steps.length).toBeGreaterThan(0)
        // After one step is before the next; the last point is after the last step. A process is killed wherever the disk
        // differs from the point before. Before a step that only looks, the process that dies is this one; so it is on Node
        // while Bun kills the others, but for one of each.
        const points = Array.from({ length: steps.length + 1 }, (_, i) => i + 1)
        const differing = [1, ...afterChanges(steps)]
        const real = mayLeaveToBun ? [differing[differing.length >> 1]] : differing
        await inPairs(points, async (killAt) => {
          const place = `${story.name}, killed before step ${killAt} (${steps[killAt - 1]?.name ?? 'the end'})`
          const { root, isAcknowledged } = real.includes(killAt)
            ? await killedThere(story, killAt, place, way)
            : await crashedHere(story, killAt, steps, way)
          await expectRecovered(root, isAcknowledged ? [story.acknowledged] : story.allowed, place)
        })
        table.push(
          `  ${way.renames.padEnd(8)} ${way.durability.padEnd(7)} ${story.name.padEnd(34)} ${points.length}, ${real.length} by kill`,
        )
      })
    }

    it('[X-crash] the recovery itself', async () => {
      const story = stories.find(({ name }) => name === 'move and rewrite')!
      const rewrite = (await run(await freshRoot(story), story.name, 0, way)).steps!
      let points = 0
      // Every way of being half-way, and from each of them every way of being half-way through the recovery.
      await inPairs(afterChanges(rewrite), async (killAt) => {
        const crashed = async () => (await crashedHere(story, killAt, rewrite, way)).root
        const recovery = (await run(await crashed(), 'recover', 0, way)).steps!
        const each = afterChanges(recovery)
        const halfWay = each[each.length >> 1]
        for (const step of each) {
          const root = await crashed()
          if (mayLeaveToBun && step !== halfWay) await recoverHere(root, step, recovery, way)
          else await run(root, 'recover', step, way)
          points++
          await expectRecovered(root, story.allowed, `rewrite killed at ${killAt}, recovery killed at ${step}`)
        }
      })
      expect(points).toBeGreaterThan(0)
      table.push(
        `  ${way.renames.padEnd(8)} ${way.durability.padEnd(7)} ${'recovery of a rewrite'.padEnd(34)} ${points}`,
      )
    })
  })
}

const strace = haveStrace()
describe.skipIf(!strace.here)(
  `the counter sees what strace sees${strace.here ? '' : ` (skipped: ${strace.reason})`}`,
  () => {
    for (const way of ways) {
      it(`[X-crash] no change of a file goes uncounted, ${way.renames} renames, durability ${way.durability}`, async () => {
        for (const story of stories) {
          const root = await freshRoot(story)
          const trace = join(base, `trace-${counter}`)
          const { steps } = await run(root, story.name, 0, way, ['strace', '-f', '-y', '-o', trace])
          const seen = changesIn(readFileSync(trace, 'utf8'), root)
          const counted = steps!.filter(({ changes }) => changes).length
          expect(counted, `${story.name}: strace saw\n${seen.join('\n')}`).toBeGreaterThanOrEqual(seen.length)
          if (!story.mayOnlyLook) expect(seen.length, story.name).toBeGreaterThan(0)
        }
      })
    }
  },
)

/** The points where the disk looks different from the point before: right after each step that changes something. */
const afterChanges = (steps: readonly Step[]) => steps.flatMap(({ changes }, i) => (changes ? [i + 2] : []))

const changingCalls =
  /^(?:\d+\s+)?(?:(openat?)\(.*O_CREAT|(write|pwrite64|rename|renameat|renameat2|link|linkat|unlink|unlinkat|mkdir|mkdirat|utimensat|fchmod|fsync|fdatasync|ftruncate)\()/

/** The calls between the two marks that change something under the root, which strace shows by path or descriptor. */
function changesIn(trace: string, root: string): string[] {
  const lines = trace.split('\n')
  const begin = lines.findIndex((line) => line.includes('/signalbox-mark-begin'))
  const end = lines.findIndex((line) => line.includes('/signalbox-mark-end'))
  expect(begin).toBeGreaterThan(-1)
  expect(end).toBeGreaterThan(begin)
  const concerns = (line: string) => line.includes(root) || /\/proc\/(self|\d+)\/fd\//.test(line)
  return lines.slice(begin, end).filter((line) => changingCalls.test(line) && concerns(line))
}

/** Two at a time: the machine that runs the tests has two cores. */
async function inPairs<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all([worker(), worker()])
}

afterAll(() => console.log(`Kill points per operation on ${runtime}:\n${table.join('\n')}`))
