/** The steps as fast-check makes them up, runs them and shrinks them. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { Killed } from '../../support/mortal-disk.ts'
import { agents } from './model.ts'
import type { Play } from './play.ts'
import type { Step } from './steps.ts'
import * as steps from './steps.ts'
import { handleCount, type World } from './world.ts'

type Command = fc.AsyncCommand<Play, World>

/** Runs a step and holds answer and files against the model; with `killAt` the process dies before that change. */
class Run implements Command {
  readonly #step: Step
  readonly #killAt: number | undefined

  constructor(step: Step, killAt?: number) {
    this.#step = step
    this.#killAt = killAt
  }

  check(play: Readonly<Play>): boolean {
    return this.#step.prepare(play as Play) !== undefined
  }

  async run(play: Play, world: World): Promise<void> {
    const { act, allowed } = this.#step.prepare(play)!
    play.serial++
    if (this.#killAt !== undefined) world.armKill(this.#killAt)
    const [answer, error] = await act(world).then(
      (text) => [text, undefined] as const,
      (thrown: unknown) => ['', thrown] as const,
    )
    if (this.#killAt !== undefined && world.disarm()) {
      return play.afterDeath(
        world,
        allowed.map(({ after }) => after),
        `${this}`,
      )
    }
    if (error !== undefined) throw error instanceof Killed ? new Error(`${this}: killed without being told to`) : error
    const chosen = allowed.find((one) => one.answer === answer)
    expect(chosen?.answer ?? answer, `${this}`).toBe(chosen ? answer : allowed.map((one) => one.answer).join(' | '))
    play.become(chosen!.after, this.#step.by)
    const { by, looks } = this.#step
    if (by !== undefined && (looks === 'always' || (looks === 'in vain' && answer.startsWith('nothing')))) {
      play.hasLooked(by)
    }
    await play.expectSame(world, `${this}`)
  }

  toString(): string {
    return this.#killAt === undefined ? this.#step.title : `${this.#step.title}, killed before change ${this.#killAt}`
  }
}

/** Several in a row, as far as each makes sense: what chance alone would seldom put together. */
class InARow implements Command {
  readonly #commands: readonly Command[]

  constructor(...commands: readonly Command[]) {
    this.#commands = commands
  }

  check(): boolean {
    return true
  }

  async run(play: Play, world: World): Promise<void> {
    for (const command of this.#commands) if (await command.check(play)) await command.run(play, world)
  }

  toString(): string {
    return this.#commands.join('; ')
  }
}

/** All handles claim in the same instant: nobody gets what another got, and nobody goes without while something is left. */
class Race implements Command {
  readonly #agents: readonly string[]

  constructor(contenders: readonly string[]) {
    this.#agents = contenders
  }

  check(): boolean {
    return true
  }

  async run(play: Play, world: World): Promise<void> {
    const before = play.model
    const results = await Promise.all(this.#agents.map((agent, i) => world.handles[i]!.claims.next({ agent })))
    const after = before.copy()
    results.forEach((result, i) => {
      const agent = this.#agents[i]!
      if (result.outcome !== 'claimed') return
      const { id } = result.message
      expect(
        before.claimable(agent).map((message) => message.id),
        `${this}: not claimable for ${agent}`,
      ).toContain(id)
      expect(after.messages.get(id)?.queue, `${this}: ${id} given twice`).toBe('pending')
      after.take(id, agent)
    })
    results.forEach((result, i) => {
      if (result.outcome === 'claimed') return
      const left = after.claimable(this.#agents[i]!).filter((message) => after.verdict(message) === 'free')
      expect(left, `${this}: ${this.#agents[i]} got nothing`).toEqual([])
    })
    if (results.some(({ outcome }) => outcome === 'nothing')) after.claimNothing()
    play.become(after)
    await play.expectSame(world, `${this}`)
  }

  toString(): string {
    return `race of ${this.#agents.join(', ')}`
  }
}

/** Between two commands: one handle starts anew, or the whole process dies and another comes. */
class Restart implements Command {
  readonly #handle: number | undefined

  constructor(handle: number | undefined) {
    this.#handle = handle
  }

  check(): boolean {
    return true
  }

  async run(play: Play, world: World): Promise<void> {
    if (this.#handle === undefined) {
      await world.restart()
      play.everybodyIsNew()
    } else {
      await world.refresh(this.#handle)
      play.hasLooked(this.#handle)
    }
    await play.expectSame(world, `${this}`)
  }

  toString(): string {
    return this.#handle === undefined ? 'killed between two commands' : `handle ${this.#handle} starts anew`
  }
}

// Twins share their short id.
const ids = ['aaaaaaaa-1', 'aaaaaaaa-2', 'bbbbbbbb-1', 'cccccccc-1', 'dddddddd-1', 'short', '12345678-1']
const paths = ['context/one.md', 'artifacts/two.sql']
const references = [
  ...ids.flatMap((id) => [`msg:${id}`, id]),
  ...['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].flatMap((short) => [`msg:${short}`, short]),
  ...paths.flatMap((path) => [`path:./${path}`, path]),
  'msg:nobody-knows-it',
]

const handle = fc.nat({ max: handleCount - 1 })
const number = fc.nat({ max: 15 })
const agent = fc.constantFrom(...agents)
const timeoutSeconds = fc.constantFrom(45, 305)
const message = {
  from: agent,
  to: fc.constantFrom(...agents, 'all'),
  priority: fc.integer({ min: 1, max: 5 }),
  second: fc.nat({ max: 3 }),
  timeoutSeconds,
  dependencies: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.uniqueArray(fc.constantFrom(...references), { minLength: 1, maxLength: 2 }) },
  ),
}
const holding = {
  by: handle,
  number,
  agent: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: agent }),
  attempt: fc.constantFrom('this', 'this', 'any', 'last'),
  isRemembered: fc.boolean(),
} as const

const killable = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Command> =>
  fc
    .tuple(
      arbitrary,
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 14 }) },
      ),
    )
    .map(([step, killAt]) => new Run(step, killAt))
const plain = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Command> => arbitrary.map((step) => new Run(step))

const oneOf = (...weighted: (readonly [number, fc.Arbitrary<Command>])[]) =>
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const sendStep = fc
  .record({ ...message, by: handle, id: fc.option(fc.constantFrom(...ids), { nil: undefined, freq: 3 }) })
  .map(steps.send)

const claimStep = fc.tuple(handle, agent).map(([by, who]) => steps.claim(by, who))
const retryStep = fc.tuple(handle, number).map(([by, which]) => steps.retry(by, which))
const superviseStep = fc
  .tuple(handle, fc.constantFrom('supervisor', ...agents))
  .map(([by, who]) => steps.supervise(by, who))

/** Somebody claims and is not heard of again; it is noticed, tried again, and the same happens once more. */
const stall = fc
  .tuple(plain(claimStep), killable(superviseStep), killable(retryStep), plain(claimStep), killable(superviseStep))
  .map(([first, notice, retry, second, noticeAgain]) => {
    const later = new Run(steps.passTime(600))
    return new InARow(first, later, notice, retry, second, later, noticeAgain)
  })

const anything = oneOf(
  [3, stall],
  [10, killable(sendStep)],
  [1, plain(fc.record({ ...message, isCrlf: fc.boolean() }).map(steps.writeMessage))],
  [
    2,
    killable(
      fc
        .tuple(
          handle,
          number,
          fc.constantFrom(
            {},
            {},
            { priority: 5 },
            { body: 'Other.\n' },
            { body: '' },
            { to: 'cy' },
            { summary: 'Other' },
          ),
        )
        .map(([by, which, change]) => steps.sendAgain(by, which, change)),
    ),
  ],
  [10, killable(claimStep)],
  [3, killable(fc.tuple(handle, agent, number).map(([by, who, which]) => steps.claimById(by, who, which)))],
  [2, fc.array(agent, { minLength: handleCount, maxLength: handleCount }).map((all) => new Race(all))],
  [2, killable(fc.record(holding).map(steps.renew))],
  [8, killable(fc.record({ ...holding, isBrief: fc.boolean() }).map(steps.complete))],
  [4, killable(fc.record(holding).map(steps.fail))],
  [5, killable(retryStep)],
  [6, plain(fc.constantFrom(6, 30, 90, 600).map(steps.passTime))],
  [3, killable(superviseStep)],
  [2, killable(fc.tuple(handle, agent).map(([by, who]) => steps.reconcile(by, who)))],
  [1, plain(handle.map(steps.archive))],
  [1, plain(fc.constantFrom(...paths).map(steps.writeFile))],
  [1, plain(fc.constant(null).map(steps.writeJunk))],
  [
    2,
    plain(
      fc
        .tuple(number, fc.constantFrom('processing', 'completed', 'failed'), fc.boolean())
        .map(([which, to, isWritten]) => steps.moveByHand(which, to, isWritten)),
    ),
  ],
  [
    1,
    plain(
      fc
        .tuple(number, fc.constantFrom('completed', 'failed'))
        .map(([which, status]) => steps.finishHalfByHand(which, status)),
    ),
  ],
  [2, fc.option(handle, { nil: undefined }).map((which) => new Restart(which))],
)

export const commands = (maxCommands: number, replayPath?: string) =>
  fc.commands([anything], { maxCommands, size: 'max', ...(replayPath ? { replayPath } : {}) })
