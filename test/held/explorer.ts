/**
 * Plays every pair of stories of a world, once for each step of the first, which is paused before that step. Checks afterwards
 * whether every promise was kept. A failure is reported with everything needed to replay it.
 */
import type { Tree } from '../../src/tree/tree.ts'
import type { FoundFile, Outside } from './outside.ts'
import { protocols } from './protocols.ts'
import type { Answer, Said, Who } from './story.ts'

export interface Explored {
  readonly protocol: keyof typeof protocols
  readonly world: string
}

export interface Pair {
  readonly first: string
  readonly second: string
  /** The number of the step before which the first is paused while the second plays. The first step is 1. */
  readonly holdAt: number
}

export interface Played {
  /** The step before which the first was paused; `undefined` if it ended before, so that the second played after it. */
  readonly step: string | undefined
  /** The second had to wait for the first. */
  readonly waited: boolean
  /** The first was killed where it was paused, and somebody has recovered since. */
  readonly died?: boolean
  /** The answers to the first before it was paused, to the second, and to the first afterwards. */
  readonly before: readonly Answer[]
  readonly meanwhile: readonly Answer[]
  readonly after: readonly Answer[]
  /** The files at the beginning, and as the second left them. */
  readonly begun: readonly FoundFile[]
  readonly between: readonly FoundFile[]
  readonly outside: Outside
  /** A tree of a third process. */
  tree(): Promise<Tree>
  end(): Promise<void>
}

/** Where stories are played: an engine, and a way to pause an actor on it. */
export interface Stage {
  readonly name: string
  play(explored: Explored, pair: Pair): Promise<Played>
  close(): Promise<void>
}

export interface Tried {
  readonly stage: string
  readonly world: string
  readonly first: string
  readonly second: string
  readonly interleavings: number
  readonly waited: number
  readonly failures: readonly string[]
}

/** Within a turn all steps look the same to one who waits: after three of them try only every third, unless `thorough`. */
const alike = 3

export interface Thoroughness {
  readonly thorough?: boolean
  /** Try only every so many steps, beginning with the first. */
  readonly every?: number
}

/** Pauses the first before every step, until it ends before that step comes. */
export async function explorePair(
  stage: Stage,
  explored: Explored,
  first: string,
  second: string,
  { thorough = true, every = 1 }: Thoroughness = {},
): Promise<Tried> {
  // The same promise is often broken at many steps. Report it once, with all of them.
  const failures = new Map<string, string[]>()
  let [waited, inARow, interleavings] = [0, 0, 0]
  for (let holdAt = 1; ; holdAt += thorough || inARow < alike ? every : alike) {
    interleavings++
    const one = await playOnce(stage, explored, { first, second, holdAt })
    if (one.waited) waited++
    inARow = one.waited ? inARow + 1 : 0
    for (const broken of one.broken) {
      const where = one.step === undefined ? 'one after the other' : `held before step ${holdAt} (${one.step})`
      const steps = failures.get(broken) ?? []
      failures.set(broken, [...steps, steps.length === 0 ? `${where}: ${one.answers}` : where])
    }
    if (one.step === undefined) {
      const pair = `${stage.name}; ${explored.protocol}, ${explored.world}: ${first} / ${second}`
      const told = [...failures].map(([broken, steps]) => `${pair}: ${broken}\n    ${steps.join('\n    ')}`)
      return { stage: stage.name, world: explored.world, first, second, interleavings, waited, failures: told }
    }
  }
}

/** Plays one interleaving: all that a failure reports. */
export async function playOnce(stage: Stage, explored: Explored, pair: Pair) {
  const played = await stage.play(explored, pair)
  try {
    const { step, waited, died = false, before, meanwhile, after, begun, between, outside } = played
    const by = (who: Who, answers: readonly Answer[]) => answers.map((one): Said => ({ ...one, who }))
    const answers = [...by('first', before), ...by('second', meanwhile), ...by('first', after)]
    const files = await outside.files()
    const heldAt = step === undefined ? undefined : pair.holdAt
    const { tree } = played
    const broken = await protocols[explored.protocol].check({
      ...explored,
      ...pair,
      heldAt,
      died,
      answers,
      begun,
      between,
      files,
      tree,
    })
    const told = answers.map(({ who, verb, outcome, attempt }) => `${who} ${verb} ${attempt ?? ''}→ ${outcome}`)
    return { step, waited, broken, answers: told.join('; ') }
  } finally {
    await played.end()
  }
}

export interface Choice {
  readonly world: string
  /** Only the pairs that the world lists in `closely`, or only the others. */
  readonly closely?: boolean
  readonly thorough?: boolean
  /** Try only every so many steps. */
  readonly every?: number
}

/** Every ordered pair of stories of a world. */
export async function explore(
  stage: Stage,
  protocol: Explored['protocol'],
  { world, closely, thorough = false, every = 1 }: Choice,
): Promise<Tried[]> {
  const tried: Tried[] = []
  const { stories, closely: chosen = [] } = protocols[protocol].worlds[world]!
  for (const [first, { isForeign, isMeanwhile }] of Object.entries(stories)) {
    if (isForeign || isMeanwhile) continue
    let steps: number | undefined
    for (const second of Object.keys(stories)) {
      if (closely !== undefined && closely !== chosen.includes(`${first}/${second}`)) continue
      // A story without steps cannot be paused.
      if (steps === 0) continue
      const one = await explorePair(stage, { protocol, world }, first, second, { thorough, every })
      tried.push(one)
      steps ??= one.interleavings - 1
    }
  }
  return tried
}
