/** What can happen to a mission: each step acts on the library, and says what the model allows it to answer. */
import { SignalboxError } from '../../../src/kernel/errors.ts'
import type { Mission } from '../../../src/protocols/ac-mq/store/mission.ts'
import type { Claimed } from '../../../src/protocols/ac-mq/store/outcomes.ts'
import { junkPrefix, junkText } from './compare.ts'
import type { Draft, Message, Model, Queue } from './model.ts'
import type { Alternative, Play } from './play.ts'
import type { World } from './world.ts'

export interface Step {
  readonly title: string
  /** The handle it goes through; without one it is done by somebody else. */
  readonly by?: number
  /** It looks at the folders for certain, whatever comes of it; or only when nothing comes of it. */
  readonly looks?: 'always' | 'in vain'
  /** Answers `undefined` when there is nothing to do it with. */
  prepare(play: Play): Prepared | undefined
}

export interface Prepared {
  act(world: World): Promise<string>
  readonly allowed: readonly Alternative[]
}

/** A message by number, of those there are. */
const pick = (model: Model, number: number, from?: readonly Message['queue'][]): Message | undefined => {
  const messages = [...model.messages.values()].filter(({ queue }) => !from || from.includes(queue))
  return messages[number % Math.max(1, messages.length)]
}

/** One of those it makes sense with, mostly; every fourth number means any, to see who is turned away. */
const aim = (model: Model, number: number, at: Queue): Message | undefined =>
  (number % 4 === 0 ? undefined : pick(model, number, [at])) ?? pick(model, number)

const after = (model: Model, work: (copy: Model) => string | undefined): Alternative => {
  const copy = model.copy()
  return { answer: work(copy) ?? 'done', after: copy }
}

/** The answer of the library in a word: an outcome, or the code of an error. */
async function answerOf(work: Promise<{ readonly outcome: string }>): Promise<string> {
  try {
    return (await work).outcome
  } catch (error) {
    if (error instanceof SignalboxError) return error.code
    throw error
  }
}

export interface SendArgs {
  readonly by: number
  readonly id: string | undefined
  readonly from: string
  readonly to: string
  readonly priority: number
  readonly second: number
  readonly timeoutSeconds: number
  readonly dependencies: readonly string[]
}

const start = Date.UTC(2026, 0, 1)
const timeOf = (second: number) => start + second * 1000

const inputOf = ({ time, ...draft }: Draft) => ({ ...draft, timestamp: new Date(time).toISOString() })

export const send = (args: SendArgs): Step => ({
  title: `send ${JSON.stringify(args)}`,
  by: args.by,
  prepare(play) {
    const number = play.serial
    const { id = `ffffff${number.toString(16).padStart(2, '0')}-0`, second, by: _by, ...rest } = args
    const draft: Draft = { ...rest, id, time: timeOf(second), summary: `Task ${number}`, body: `Body ${number}.\n` }
    return {
      act: (world) => answerOf(world.handles[args.by]!.sending.send(inputOf(draft))),
      allowed: [after(play.model, (copy) => copy.send(draft))],
    }
  },
})

/** Somebody sends again what was sent before, the same or not quite the same. */
export const sendAgain = (by: number, number: number, change: Partial<Draft>): Step => ({
  title: `send again ${number} through ${by} with ${JSON.stringify(change)}`,
  by,
  prepare({ model }) {
    const sent = pick(model, number)
    if (!sent || sent.id.startsWith('investigate-') || sent.id.startsWith('hand')) return undefined
    const { id, from, sentTo: to, priority, time, timeoutSeconds, dependencies, summary, body } = sent
    const draft = { id, from, to, priority, time, timeoutSeconds, dependencies, summary, body, ...change }
    return {
      act: (world) => answerOf(world.handles[by]!.sending.send(inputOf(draft))),
      allowed: [after(model, (copy) => copy.send(draft))],
    }
  },
})

export const claim = (by: number, agent: string): Step => ({
  title: `claim for ${agent} through ${by}`,
  by,
  looks: 'in vain',
  prepare(play) {
    return {
      act: async (world) => claimAnswer(await world.handles[by]!.claims.next({ agent }), play.model),
      allowed: claimAnswers(play, by, agent),
    }
  },
})

function claimAnswers(play: Play, by: number, agent: string): Alternative[] {
  const { model } = play
  const taken = play.permitted(by, agent).map((message) =>
    after(model, (copy) => {
      copy.take(message.id, agent)
      return claimedAs(message)
    }),
  )
  const isAnythingFree = model.claimable(agent).some((message) => model.verdict(message) === 'free')
  return isAnythingFree ? taken : [...taken, nothingFor(model, agent)]
}

const nothingFor = (model: Model, agent: string) =>
  after(model, (copy) => {
    copy.claimNothing()
    return `nothing; waiting: ${idsOf(model.held(agent))}`
  })

const claimedAs = ({ id, attempt, added }: Message) => `claimed ${id}, attempt ${attempt}, ${added.length} reports`
const idsOf = (messages: readonly { readonly id: string }[]) =>
  messages
    .map(({ id }) => id)
    .sort()
    .join(' ')

function claimAnswer(claimed: Claimed, model: Model): string {
  if (claimed.outcome === 'claimed') {
    const { id, attempt, body } = claimed.message
    return claimedAs({ id, attempt, added: body.match(/\*\*(Result|Failure Report)\*\*/g) ?? [] } as unknown as Message)
  }
  const certain = claimed.blocked.filter(({ id }) => {
    const message = model.messages.get(id)
    return !message || model.verdict(message) !== 'unsure'
  })
  return `nothing; waiting: ${idsOf(certain)}`
}

export const claimById = (by: number, agent: string, number: number): Step => ({
  title: `claim ${number} for ${agent} through ${by}`,
  by,
  looks: 'always',
  prepare({ model }) {
    const id = pick(model, number)?.id ?? 'no-such-message'
    const message = model.messages.get(id)
    const isUnsure = message?.queue === 'pending' && model.verdict(message) === 'unsure'
    const taken = after(model, (copy) => copy.claimById(id, agent))
    return {
      act: (world) => answerOf(world.handles[by]!.claims.next({ agent, id })),
      allowed: isUnsure ? [taken, nothingFor(model, agent)].map(withoutList) : [taken],
    }
  },
})

const withoutList = ({ answer, after }: Alternative): Alternative => ({ answer: answer.split(';')[0]!, after })

export interface HoldArgs {
  readonly by: number
  readonly number: number
  /** Who says that it holds the claim: whoever does, or this one. */
  readonly agent: string | undefined
  /** Which attempt it means: the current one, the one before, or whichever there is. */
  readonly attempt: 'this' | 'last' | 'any'
  /** Says which file it is, as from its claim; or only the id. */
  readonly isRemembered: boolean
}

type Holder = { readonly agent: string; readonly attempt?: number }
type Settle = (
  mission: Mission,
  ref: string | { id: string; name: string },
  holder: Holder,
  text: string,
) => Promise<{ readonly outcome: string }>

function holding(
  verb: string,
  args: HoldArgs,
  settle: Settle,
  inModel: (model: Model, id: string, agent: string, attempt: number | undefined, text: string) => string,
): Step {
  return {
    title: `${verb} ${JSON.stringify(args)}`,
    by: args.by,
    prepare(play) {
      const { model } = play
      const message = aim(model, args.number, 'processing')
      if (!message) return undefined
      const { id } = message
      const agent = args.agent ?? (message.to === 'all' ? 'ada' : message.to)
      const attempt = args.attempt === 'any' ? undefined : message.attempt - (args.attempt === 'last' ? 1 : 0)
      const text = `Text ${play.serial}.`
      const holder = { agent, ...(attempt === undefined ? {} : { attempt }) }
      return {
        async act(world) {
          const name = args.isRemembered ? await nameIn(world, id) : undefined
          return answerOf(settle(world.handles[args.by]!, name === undefined ? id : { id, name }, holder, text))
        },
        allowed: [after(model, (copy) => inModel(copy, id, agent, attempt, text))],
      }
    },
  }
}

/** What a worker remembers from its claim. */
async function nameIn(world: World, id: string): Promise<string | undefined> {
  const files = await world.files(['pending', 'processing', 'completed', 'failed'].map((queue) => `queue/${queue}`))
  return files.find(({ text }) => new RegExp(`^id: "?${id}"?\\r?$`, 'm').test(text))?.name
}

export const renew = (args: HoldArgs): Step =>
  holding(
    'renew',
    args,
    (mission, ref, holder) => mission.settling.renew(ref, holder),
    (model, id, agent, attempt) => model.renew(id, agent, attempt),
  )

export const complete = (args: HoldArgs & { readonly isBrief: boolean }): Step =>
  holding(
    'complete',
    args,
    (mission, ref, holder, text) => mission.settling.complete(ref, holder, args.isBrief ? {} : { text }),
    (model, id, agent, attempt, text) => model.complete(id, agent, attempt, args.isBrief ? undefined : text),
  )

export const fail = (args: HoldArgs): Step =>
  holding(
    'fail',
    args,
    (mission, ref, holder, reason) => mission.settling.fail(ref, holder, { reason }),
    (model, id, agent, attempt, reason) => model.fail(id, agent, attempt, reason),
  )

export const retry = (by: number, number: number): Step => ({
  title: `retry ${number} through ${by}`,
  by,
  prepare({ model }) {
    const id = aim(model, number, 'failed')?.id ?? 'no-such-message'
    return {
      act: (world) => answerOf(world.handles[by]!.settling.retry(id)),
      allowed: [after(model, (copy) => copy.retry(id))],
    }
  },
})

export const supervise = (by: number, agent: string): Step => ({
  title: `supervise as ${agent} through ${by}`,
  by,
  prepare: ({ model }) => ({
    act: async (world) => answerOf((await world.handles[by]!.upkeep()).supervise(agent)),
    allowed: [after(model, (copy) => copy.supervise(agent))],
  }),
})

export const reconcile = (by: number, agent: string): Step => ({
  title: `reconcile for ${agent} through ${by}`,
  by,
  prepare: ({ model }) => ({
    async act(world) {
      const { mine, counts } = await (await world.handles[by]!.upkeep()).reconcile(agent)
      const stalled = mine.filter(({ isStalled }) => isStalled).map(({ message }) => message)
      return `${JSON.stringify(counts)} ${idsOf(mine.map(({ message }) => message))}, stalled: ${idsOf(stalled)}`
    },
    allowed: [
      after(model, (copy) => {
        copy.reconcile()
        const mine = ({ to }: Message) => to === agent
        const counts = Object.fromEntries(
          (['pending', 'processing', 'completed', 'failed'] as const).map((queue) => [
            queue,
            copy.in(queue).length + [...copy.junk.values()].filter((junk) => junk.queue === queue).length,
          ]),
        )
        const claims = idsOf(copy.in('processing').filter(mine))
        return `${JSON.stringify(counts)} ${claims}, stalled: ${idsOf(copy.stalled().filter(mine))}`
      }),
    ],
  }),
})

export const archive = (by: number): Step => ({
  title: `archive through ${by}`,
  by,
  prepare: ({ model }) => ({
    act: async (world) =>
      answerOf((await world.handles[by]!.upkeep()).archive({ olderThanMs: 0, by: `archiver-${by}` })),
    allowed: [after(model, (copy) => (copy.archive() > 0 ? 'archived' : 'nothing'))],
  }),
})

export const passTime = (seconds: number): Step => ({
  title: `${seconds} seconds pass`,
  prepare: ({ model }) => ({
    async act(world) {
      world.advance(seconds * 1000)
      return 'done'
    },
    allowed: [
      after(model, (copy) => {
        copy.now += seconds * 1000
        return undefined
      }),
    ],
  }),
})

export const writeFile = (path: string): Step => ({
  title: `somebody writes ${path}`,
  prepare({ model }) {
    if (model.paths.has(path)) return undefined
    return byHand(
      model,
      (world) => world.byHand.write(path, 'Text\n'),
      (copy) => void copy.paths.add(path),
    )
  },
})

export const writeJunk = (): Step => ({
  title: 'somebody writes what is no message',
  prepare(play) {
    const name = `${junkPrefix}${play.serial}.md`
    return byHand(
      play.model,
      (world) => world.byHand.write(`queue/pending/${name}`, junkText),
      (copy) => void copy.junk.set(name, { queue: 'pending', since: copy.now }),
    )
  },
})

/** As somebody types it: another order, comments, other line ends, another name, a time with an offset. */
export const writeMessage = (args: Omit<SendArgs, 'by' | 'id'> & { readonly isCrlf: boolean }): Step => ({
  title: `somebody writes a message ${JSON.stringify(args)}`,
  prepare(play) {
    const number = play.serial
    const { second, isCrlf, ...rest } = args
    const draft = {
      ...rest,
      id: `hand${number}`,
      time: timeOf(second),
      summary: `By hand ${number}`,
      body: 'By hand.\n',
    }
    const at = new Date(draft.time + 3_600_000).toISOString().replace('Z', '+01:00')
    const lines = [
      '---',
      `to: ${draft.to}`,
      '# by hand',
      `summary: "${draft.summary}"`,
      `priority: ${draft.priority} # 1 (High) to 5 (Low)`,
      ...(draft.dependencies.length > 0 ? ['dependencies:', ...draft.dependencies.map((text) => `  - "${text}"`)] : []),
      `id: ${draft.id}`,
      `from: ${draft.from}`,
      'status: pending',
      `timestamp: ${at}`,
      `timeout_seconds: ${draft.timeoutSeconds}`,
      'mission_id: alpha',
      '---',
      'By hand.',
      '',
    ]
    const text = lines.join(isCrlf ? '\r\n' : '\n')
    const body = `By hand.${isCrlf ? '\r\n' : '\n'}`
    return byHand(
      play.model,
      (world) => world.byHand.write(`queue/pending/note-${number}.md`, text),
      (copy) => copy.add({ ...draft, body }),
    )
  },
})

/** An agent with nothing but a shell: it moves the file, with or without having written the status before. */
export const moveByHand = (number: number, to: Queue, isStatusWritten: boolean): Step => ({
  title: `somebody moves ${number} to ${to}${isStatusWritten ? ' and says so in it' : ''}`,
  prepare({ model }) {
    const from: Queue = to === 'processing' ? 'pending' : 'processing'
    const message = pick(model, number, [from])
    if (!message) return undefined
    return byHand(
      model,
      async (world) => {
        const name = await nameIn(world, message.id)
        if (isStatusWritten) await editStatus(world, `queue/${from}/${name}`, to)
        await world.byHand.move(`queue/${from}/${name}`, `queue/${to}/${name}`)
      },
      (copy) => copy.byHand(message.id, { queue: to, ...(isStatusWritten ? { status: to } : {}) }),
    )
  },
})

/** An agent with nothing but a shell that stops between writing the status and moving the file. */
export const finishHalfByHand = (number: number, status: Queue): Step => ({
  title: `somebody writes ${status} into ${number} and moves nothing`,
  prepare({ model }) {
    const message = pick(model, number, ['processing'])
    if (!message) return undefined
    return byHand(
      model,
      async (world) => editStatus(world, `queue/processing/${await nameIn(world, message.id)}`, status),
      (copy) => copy.byHand(message.id, { status }),
    )
  },
})

const editStatus = (world: World, path: string, status: Queue) =>
  world.byHand.edit(path, (text) => text.replace(/^status: \w+ */m, `status: ${status}`))

function byHand(model: Model, act: (world: World) => Promise<void>, inModel: (copy: Model) => void): Prepared {
  return {
    async act(world) {
      await act(world)
      return 'done'
    },
    allowed: [
      after(model, (copy) => {
        inModel(copy)
        return undefined
      }),
    ],
  }
}
