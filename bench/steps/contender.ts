/** Somebody who can take messages through the three steps, one after the other, and says how long a message took. */
import { breathe } from '../measure.ts'

export const steps = ['send', 'claim', 'lifecycle'] as const
export type Step = (typeof steps)[number]

/**
 * Microseconds of processor time a message. `claim` takes what `send` of the same round left; `lifecycle` brings its own
 * messages.
 */
export type Round = Readonly<Record<Step, () => number | Promise<number>>>

export type Calls = Readonly<Record<Step, number>>

export interface Contender {
  readonly name: string
  /** File-system calls a message. Asked for after the contest, so that counting cannot slow anybody down. */
  countCalls(): Calls | Promise<Calls>
  /** Makes folders, names and paths beforehand: that is not what is compared. */
  prepare(round: number, count: number): Round | Promise<Round>
}

export type Samples = Readonly<Record<Step, readonly number[]>>

/** Rounds before those that count, until the compilers of both runtimes have come to rest. */
const rehearsals = 20

/** Step by step, not contender by contender: what is compared happens within a few milliseconds of each other. */
export async function contest(contenders: readonly Contender[], rounds: number, count: number): Promise<Samples[]> {
  const samples = contenders.map(() => ({ send: [] as number[], claim: [] as number[], lifecycle: [] as number[] }))
  for (let round = 0; round < rehearsals + rounds; round++) {
    const prepared: Round[] = []
    for (const contender of contenders) prepared.push(await contender.prepare(round, count))
    for (const step of steps) {
      for (let i = 0; i < contenders.length; i++) {
        const turn = (i + round) % contenders.length
        await breathe()
        const sample = await prepared[turn]![step]()
        if (round >= rehearsals) samples[turn]![step].push(sample)
      }
    }
  }
  return samples
}

/**
 * Microseconds of processor time that this process has used, its helper threads included. Nobody waits for anything in
 * these steps, and the clock on the wall would count what other programs of a busy machine do meanwhile.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

export const processorTimeEach = (since: number, count: number): number => (processorTime() - since) / count

/** Where waiting is part of what is measured: microseconds on the clock. */
export const microsecondsEach = (since: number, count: number): number => ((performance.now() - since) * 1000) / count
