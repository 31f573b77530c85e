/** A contender: moves messages through the three steps, and answers how long a message took. */
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
  /** File-system calls a message. Counted after the contest, because counting takes time. */
  countCalls(): Calls | Promise<Calls>
  /** Makes folders, names and paths before, because they are not measured. */
  prepare(round: number, count: number): Round | Promise<Round>
}

export type Samples = Readonly<Record<Step, readonly number[]>>

/** Rounds that do not count, until the code is compiled on both runtimes. */
const rehearsals = 20

/** All contenders do a step before the next step begins, so that what is compared happens within a few milliseconds. */
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
 * Microseconds of processor time of this process, helper threads included. These steps wait for nothing, and the clock on
 * the wall would also count what other programs do meanwhile.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

export const processorTimeEach = (since: number, count: number): number => (processorTime() - since) / count

/** Where waiting is part of what is measured: microseconds on the clock. */
export const microsecondsEach = (since: number, count: number): number => ((performance.now() - since) * 1000) / count
