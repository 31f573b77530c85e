/**
 * The stage on files. The first actor plays in this thread; to be paused, it blocks the thread until the second, in a thread
 * of its own, has ended. Each takes the other for another process (`holder.ts`). Every performance has a root of its own,
 * written from a picture of the world.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { childProgram } from '../support/child.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import type { Explored, Pair, Played, Stage } from './explorer.ts'
import { OutsideFiles } from './outside.ts'
import { play, startedAt, timeOf } from './play.ts'
import { protocols } from './protocols.ts'
import { isCounted, type Steps, sayStep } from './steps.ts'
import type { Actor, Answer } from './story.ts'
import { type FromSecond, ring, type ToSecond } from './thread.ts'
import { diskOf, type Variant } from './variants.ts'
import { Worlds } from './worlds.ts'

/** Longer than anything takes: waiting for a lock ends after 30 seconds. */
const hangs = 60_000

export class FilesStage implements Stage {
  readonly name: string
  readonly #variant: Variant
  readonly #steps: Steps
  readonly #bell = new Int32Array(new SharedArrayBuffer(4))
  readonly #worlds: Worlds
  #port: MessagePort | undefined
  #thread: Worker | undefined

  constructor(variant: Variant, steps: Steps) {
    this.name = `files, ${variant}`
    this.#variant = variant
    this.#steps = steps
    this.#worlds = new Worlds(variant)
  }

  async play(explored: Explored, { first, second, holdAt }: Pair): Promise<Played> {
    const { root, begun, end } = await this.#worlds.paint(explored)
    const outside = new OutsideFiles(root)
    let actor: Actor | undefined
    let steps = 0
    let before: readonly Answer[] = []
    let step: string | undefined
    let fromSecond: FromSecond | undefined
    const disk = steppingDisk(diskOf(this.#variant), (name, values, call) => {
      if (actor && isCounted(this.#steps, name, values) && ++steps === holdAt) {
        before = [...actor.answers]
        step = sayStep(root, name, values)
        fromSecond = this.#second({ ...explored, story: second, root, variant: this.#variant, startedAt })
      }
      return call()
    })
    const clock = timeOf('first')
    const tree = await openFileTree({ root, clock, disk })
    const company = { tree, clock, who: 'first', outside } as const
    const { answers } = await play(protocols[explored.protocol], explored.world, first, company, (one) => {
      actor = one
    })
    actor = undefined
    await tree.close()
    const waited = fromSecond?.waits === true
    const order = { ...explored, story: second, root, variant: this.#variant, startedAt }
    fromSecond = waited ? this.#awaitSecond() : (fromSecond ?? this.#second(order))
    if (fromSecond.problem !== undefined) throw new Error(fromSecond.problem)
    return {
      step,
      waited,
      before: step === undefined ? answers : before,
      meanwhile: fromSecond.answers,
      after: step === undefined ? [] : answers.slice(before.length),
      begun,
      between: fromSecond.files,
      outside,
      tree: () => openFileTree({ root }),
      end,
    }
  }

  async close(): Promise<void> {
    this.#port?.close()
    await this.#thread?.terminate()
  }

  /** Blocks this thread until the second has ended, or waits for us. */
  #second(order: ToSecond): FromSecond {
    this.#port ??= this.#start()
    this.#port.postMessage(order)
    ring(this.#bell)
    return this.#awaitSecond()
  }

  #awaitSecond(): FromSecond {
    for (;;) {
      const seen = Atomics.load(this.#bell, 0)
      const received = receiveMessageOnPort(this.#port!)
      if (received) return received.message as FromSecond
      if (Atomics.wait(this.#bell, 0, seen, hangs) === 'timed-out') throw new Error('The second hangs.')
    }
  }

  #start(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#thread = new Worker(childProgram('held-second'), {
      workerData: { bell: this.#bell, port: port2 },
      transferList: [port2],
    })
    this.#thread.unref()
    port1.unref()
    return port1
  }
}
