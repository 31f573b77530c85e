/**
 * The stage on files where the first is a real process that is stopped by SIGSTOP. Afterwards it continues, or is killed:
 * then whoever comes next recovers.
 */
import { readFileSync } from 'node:fs'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { type Child, spawnChild } from '../support/child.ts'
import type { Explored, Pair, Played, Stage } from './explorer.ts'
import type { ToFirst } from './held-first.child.ts'
import { OutsideFiles } from './outside.ts'
import { play, startedAt, timeOf } from './play.ts'
import { protocols } from './protocols.ts'
import type { Answer } from './story.ts'
import { diskOf, type Variant } from './variants.ts'
import { Worlds } from './worlds.ts'

type Fate = 'continues' | 'is killed'

export class ProcessStage implements Stage {
  readonly name: string
  readonly #variant: Variant
  readonly #fate: Fate
  readonly #worlds: Worlds

  constructor(variant: Variant, fate: Fate) {
    this.name = `processes, ${variant}, the first ${fate}`
    this.#variant = variant
    this.#fate = fate
    this.#worlds = new Worlds(variant)
  }

  async play(explored: Explored, { first, second, holdAt }: Pair): Promise<Played> {
    const { root, begun, end } = await this.#worlds.paint(explored)
    const outside = new OutsideFiles(root)
    const order: ToFirst = {
      ...explored,
      story: first,
      root,
      variant: this.#variant,
      startedAt,
      steps: 'changes',
      holdAt,
    }
    const child = spawnChild('held-first', [JSON.stringify(order)])
    const said = await lineOf(child)
    const isHeld = 'step' in said
    if (isHeld) waitUntilStopped(child.pid)
    const meanwhile = await playSecond(explored, second, root, this.#variant)
    const between = await outside.files()
    if (isHeld) child.kill(this.#fate === 'continues' ? 'SIGCONT' : 'SIGKILL')
    const before = isHeld ? said.before : said.answers
    const isOver = !isHeld || this.#fate === 'is killed'
    const after = isOver ? [] : ((await lineOf(child)) as Ended).answers.slice(before.length)
    await child.exited
    if (isHeld && isOver) await this.#recover(explored, root)
    return {
      ...{
        step: isHeld ? said.step : undefined,
        waited: false,
        died: isHeld && isOver,
        before,
        meanwhile,
        after,
        begun,
        between,
        outside,
        end,
      },
      tree: () => openFileTree({ root }),
    }
  }

  async close(): Promise<void> {}

  /** Recovers what the dead process left: by opening the tree, and by the protocol's `recovery` story. */
  async #recover({ protocol, world }: Explored, root: string): Promise<void> {
    const { recovery } = protocols[protocol]
    const clock = timeOf('third')
    const tree = await openFileTree({ root, clock, disk: diskOf(this.#variant) })
    const company = { tree, clock, who: 'third', outside: new OutsideFiles(root) } as const
    if (recovery in protocols[protocol].worlds[world]!.stories)
      await play(protocols[protocol], world, recovery, company)
    await tree.close()
  }
}

/** The second plays here. */
export async function playSecond(
  { protocol, world }: Explored,
  story: string,
  root: string,
  variant: Variant,
): Promise<readonly Answer[]> {
  const clock = timeOf('second')
  const tree = await openFileTree({ root, clock, disk: diskOf(variant) })
  const company = { tree, clock, who: 'second', outside: new OutsideFiles(root) } as const
  const { answers } = await play(protocols[protocol], world, story, company)
  await tree.close()
  return answers
}

interface Held {
  readonly step: string
  readonly before: readonly Answer[]
}
interface Ended {
  readonly answers: readonly Answer[]
}

async function lineOf(child: Child): Promise<Held | Ended> {
  const line = await child.nextLine()
  if (line === undefined) throw new Error(`The first ended without a word. ${child.stderr()}`)
  return JSON.parse(line)
}

/** The process announces it just before it stops itself; wait until the system has done it. */
function waitUntilStopped(pid: number): void {
  const stateOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2)[0]
  while (stateOf(readFileSync(`/proc/${pid}/stat`, 'latin1')) !== 'T') {}
}
