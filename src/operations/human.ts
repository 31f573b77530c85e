/** What waits for a person, and the answers a person can give. One file, because they share one inbox. */
import { conflict, notFound, SignalboxError, unsupported } from '../kernel/errors.ts'
import { text } from '../kernel/field.ts'
import { isoTime } from '../protocols/ac-mq/layout.ts'
import type { Mission } from '../protocols/ac-mq/store/mission.ts'
import type { AcmqView, AcmqViewWithBody } from '../protocols/ac-mq/store/view.ts'
import { openMissions } from './acmq/open.ts'
import { type Context, defineOperation } from './define.ts'

export interface WaitingForPerson {
  readonly mission: string
  /** What in the policy holds it back. */
  readonly pattern: string
  readonly message: AcmqViewWithBody
}

const id = text('The message: its id, or the first eight characters of it.', {
  positional: true,
  required: true,
  placeholder: 'ID',
})

export const humanList = defineOperation({
  name: 'list',
  summary: 'List what waits for a person.',
  more:
    'Messages whose summary or text matches a pattern in `.signalbox/policy.yaml` are held back until a person approves ' +
    'them. The file lists the patterns under `hold:`, with `*` for anything in between, such as `- "deploy * production"`.',
  input: {},
  outcomes: { listed: 'done' },
  examples: [{ command: 'human list', does: 'see what waits for you' }],

  async run(context) {
    const missions = await openMissions(context)
    const waiting: WaitingForPerson[] = []
    for (const address of await missions.all()) {
      const held = await (await missions.open(address)).held()
      waiting.push(...held.map(({ message, pattern }) => ({ mission: address, pattern, message })))
    }
    return { outcome: 'listed', waiting } as const
  },
})

export const humanApprove = defineOperation({
  name: 'approve',
  summary: 'Let a held message go to whoever claims it.',
  more: 'The approval is for the text as it is now; a message that changes is held again.',
  input: { id },
  outcomes: { approved: 'done' },
  examples: [{ command: 'human approve 1f2e3d4c', does: 'let it go' }],

  async run(context, { id }) {
    const { mission, message } = await findMessage(context, id)
    const { durability } = await context.configuration()
    const approved = await mission.approve(message.id, await whoDecides(context), isoTime(context.clock.now()))
    return { outcome: 'approved', mission: mission.address, message: withoutBody(approved), durability } as const
  },
})

export const humanDeny = defineOperation({
  name: 'deny',
  summary: 'Refuse a held message: it fails with your reason.',
  input: { id, reason: text('Why.', { default: 'A person said no.', placeholder: 'TEXT', longest: 4096 }) },
  outcomes: { denied: 'done', unchanged: 'done' },
  examples: [{ command: 'human deny 1f2e3d4c --reason "Not on a Friday"', does: 'refuse it' }],

  async run(context, { id, reason }) {
    const { mission, message } = await findMessage(context, id)
    if (message.state === 'failed') {
      const { durability } = await context.configuration()
      return { outcome: 'unchanged', mission: mission.address, message: withoutBody(message), durability } as const
    }
    const denied = await mission.deny(message.id, await whoDecides(context), reason)
    return {
      outcome: 'denied',
      mission: mission.address,
      message: denied.message,
      durability: denied.durability,
    } as const
  },
})

export const humanAnswer = defineOperation({
  name: 'answer',
  summary: 'Answer a question that an agent has put to a person.',
  input: { id, body: text('The answer; `-` is standard input.', { longText: 'standard-input', placeholder: 'TEXT' }) },
  outcomes: { answered: 'done' },
  examples: [{ command: 'human answer 1f2e3d4c --body "Use PostgreSQL"', does: 'answer it' }],

  run(): { outcome: 'answered' } {
    throw unsupported('UNSUPPORTED', 'No protocol of this version puts questions to people.', {
      hint: 'Approve or deny what waits: signalbox human list',
    })
  },
})

const whoDecides = async (context: Context): Promise<string> => (await context.configuration()).agent ?? 'human'

/** The message of this id, in whichever mission it is. */
async function findMessage(context: Context, id: string): Promise<{ mission: Mission; message: AcmqViewWithBody }> {
  const missions = await openMissions(context)
  const found: { mission: Mission; message: AcmqViewWithBody }[] = []
  for (const address of await missions.all()) {
    const mission = await missions.open(address)
    const message = await showIfThere(mission, id)
    if (message) found.push({ mission, message })
  }
  const [only, another] = found
  if (!only) {
    throw notFound('NO_SUCH_MESSAGE', `There is no message ${id} in any mission.`, {
      hint: 'See what waits: signalbox human list',
      details: { id },
    })
  }
  if (!another) return only
  const candidates = found.map(({ mission, message }) => `${message.id} in ${mission.address}`)
  throw conflict('AMBIGUOUS_ID', `More than one message is meant by ${id}: ${candidates.join(', ')}.`, {
    hint: 'Give the whole id.',
    details: { id, candidates },
  })
}

async function showIfThere(mission: Mission, id: string): Promise<AcmqViewWithBody | undefined> {
  try {
    return await mission.show(id)
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'NO_SUCH_MESSAGE') return undefined
    throw error
  }
}

const withoutBody = ({ body: _, ...message }: AcmqView & { readonly body?: string }): AcmqView => message
