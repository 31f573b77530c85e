/**
 * Claiming one message from the command line, a process each, from a deep queue against a shallow one: as it is, after
 * a foreign program moved a message in, and with everything remembered about the queue deleted. Each time the message
 * that was claimed must be the right one.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printMessage } from '../../src/protocols/ac-mq/format.ts'
import { fileNameOf } from '../../src/protocols/ac-mq/layout.ts'
import { launch } from '../cold/launch.ts'
import { launcherEnvironment } from '../cold/runtime.ts'
import { compare, interleave } from '../measure.ts'
import { inRepository } from '../repository.ts'
import type { Goal, Section } from '../section.ts'
import { bodyFor, recordOf, worker } from './message.ts'
import { fillPending, openBox, queueFolder } from './queue.ts'

const deepCount = 100_000
const shallowCount = 100
export const coldClaimGoal: Goal = { atMost: 10 }
const mission = 'bench'

const cases = {
  asIs: 'claim',
  moved: 'claim after a foreign mv',
  forgotten: 'claim, every index deleted',
} as const
type Case = keyof typeof cases

export const acmqColdClaim: Section = {
  title: `AC-MQ: a cold acmq claim with ${deepCount / 1000},000 pending against ${shallowCount}`,

  async run(places, { isQuick }) {
    const place = places.memory
    const deep = await ColdQueue.make(place.folder('deep'), deepCount)
    const shallow = await ColdQueue.make(place.folder('shallow'), shallowCount)
    const turns = Object.fromEntries(
      (Object.keys(cases) as Case[]).flatMap((which) => [
        [`deep ${which}`, () => deep.time(which)],
        [`shallow ${which}`, () => shallow.time(which)],
      ]),
    )
    const samples = await interleave(isQuick ? 3 : 5, turns)
    return {
      figures: (Object.keys(cases) as Case[]).map((which) =>
        compare({
          name: cases[which],
          against: `the same with ${shallowCount}`,
          ours: samples[`deep ${which}`]!,
          theirs: samples[`shallow ${which}`]!,
          unit: 'ms',
          ratio: 'cost',
          goal: coldClaimGoal,
        }),
      ),
      notes: [
        `On ${place.fileSystem}; ratios of cost. ${deep.claimed + shallow.claimed} claims, each of the right message.`,
      ],
    }
  },
}

class ColdQueue {
  readonly #root: string
  /** The ids still waiting, the next one to be claimed last. */
  readonly #waiting: string[]
  #foreign = 0
  claimed = 0

  static async make(root: string, count: number): Promise<ColdQueue> {
    const { acmq, close } = await openBox(root)
    await acmq.create(mission)
    await close()
    return new ColdQueue(root, fillPending(root, mission, count).reverse())
  }

  private constructor(root: string, waiting: string[]) {
    this.#root = root
    this.#waiting = waiting
    mkdirSync(join(root, 'elsewhere'))
  }

  time(which: Case): number {
    if (which === 'moved') this.#moveIn()
    if (which === 'forgotten') rmSync(join(this.#root, '.signalbox/cache'), { recursive: true, force: true })
    const took = this.#claim()
    // Claim once more to build the cache again, before the others are measured.
    if (which === 'forgotten') this.#claim()
    return took
  }

  /** Another program writes a message more urgent than all others elsewhere, and moves it into the queue. */
  #moveIn(): void {
    const record = recordOf(mission, deepCount + this.#foreign++, 1)
    const [from, to] = [join(this.#root, 'elsewhere'), queueFolder(this.#root, mission, 'pending')]
    const name = fileNameOf(record)
    writeFileSync(join(from, name), printMessage(record, bodyFor(mission)))
    renameSync(join(from, name), join(to, name))
    this.#waiting.push(record.id)
  }

  #claim(): number {
    const output = join(this.#root, 'claimed.json')
    const command = [inRepository('bin', 'acmq'), 'claim', mission, '--as', worker, '--root', this.#root, '--json']
    const options = { cwd: this.#root, env: launcherEnvironment, runs: 1 }
    const { wall } = launch(command, { ...options, output })
    const { message } = JSON.parse(readFileSync(output, 'utf8')) as { message?: { id: string } }
    const expected = this.#waiting.pop()
    if (message?.id !== expected) throw new Error(`claimed ${message?.id} instead of ${expected}`)
    this.claimed++
    return wall - launch([':'], options).wall
  }
}
