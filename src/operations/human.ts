/** What waits for a person, and the answers a person can give. One file, because they share one inbox. */
import { conflict, notFound, unsupported } from '../kernel/errors.ts'
import { text, withoutUndefined } from '../kernel/field.ts'
import { type Answer, type Answered, type Message, type Question, verbOf } from '../protocols/contract.ts'
import { type Context, defineOperation } from './define.ts'
import { lastShown, rememberShown } from './shown.ts'
import { type OpenedProtocol, usedProtocols } from './stores.ts'

const id = text('The message: its id, or the first eight characters of it.', {
  positional: true,
  required: true,
  placeholder: 'ID',
  expected: 'the id of a message, such as 1f2e3d4c (`signalbox human list` shows them)',
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
    const waiting: (Omit<Question, 'details'> & { readonly protocol: string })[] = []
    for await (const { protocol, neutral } of usedProtocols(context)) {
      for await (const { details, ...question } of neutral.questions?.() ?? []) {
        waiting.push({ protocol: protocol.name, ...question, ...details })
      }
    }
    await rememberShown(context, waiting)
    return { outcome: 'listed', waiting } as const
  },
})

export const humanApprove = defineOperation({
  name: 'approve',
  summary: 'Let a held message go to whoever claims it.',
  more:
    'The approval is for the text that you were shown. --digest names it, as `human list` prints it; without it, what the ' +
    'last `human list` showed counts. A message that says something else by now is not approved: exit status 4. One that ' +
    'changes later is held again.',
  input: {
    id,
    digest: text('What you were shown: the digest that `human list` prints.', { placeholder: 'HASH', longest: 64 }),
  },
  outcomes: { approved: 'done' },
  examples: [
    { command: 'human approve 1f2e3d4c --digest 0f3c…', does: 'let it go, if it still says what you have read' },
    { command: 'human approve 1f2e3d4c', does: 'the same, for what `human list` showed last' },
  ],

  async run(context, { id, digest }) {
    const { message, details } = await answerOne(context, id, {
      verdict: 'approve',
      ...withoutUndefined({ digest }),
    })
    return { outcome: 'approved', ...details, message, durability: (await context.configuration()).durability } as const
  },
})

export const humanDeny = defineOperation({
  name: 'deny',
  summary: 'Refuse a held message: it fails with your reason.',
  input: { id, reason: text('Why.', { default: 'A person said no.', placeholder: 'TEXT', longest: 4096 }) },
  outcomes: { denied: 'done', unchanged: 'done' },
  examples: [{ command: 'human deny 1f2e3d4c --reason "Not on a Friday"', does: 'refuse it' }],

  async run(context, { id, reason }) {
    const { outcome, message, details } = await answerOne(context, id, { verdict: 'deny', text: reason })
    const { durability } = await context.configuration()
    return { outcome: outcome === 'answered' ? 'denied' : 'unchanged', ...details, message, durability } as const
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

/** Gives a person's answer to whatever the id means, in whichever protocol that is. */
async function answerOne(context: Context, id: string, answer: Omit<Answer, 'by'>): Promise<Answered> {
  const { opened, message } = await findMessage(context, id)
  const { id: whole, place } = message.envelope
  const by = (await context.configuration()).agent ?? 'human'
  const meant = withoutUndefined({ id: whole, place })
  const digest =
    answer.verdict === 'approve'
      ? (answer.digest ?? (await lastShown(context, { ...meant, protocol: opened.protocol.name })))
      : answer.digest
  return verbOf(opened.protocol, opened.neutral, 'answer')(meant, withoutUndefined({ ...answer, by, digest }))
}

/** The one message of this id, of those protocols that ask people something. */
async function findMessage(context: Context, id: string) {
  const found: { readonly opened: OpenedProtocol; readonly message: Message }[] = []
  for await (const opened of usedProtocols(context)) {
    if (!opened.neutral.questions) continue
    for await (const message of opened.neutral.find(id)) found.push({ opened, message })
  }
  const [only, another] = found
  if (!only) {
    throw notFound('NO_SUCH_MESSAGE', `There is no message ${id} that could wait for a person.`, {
      hint: 'See what waits: signalbox human list',
      details: { id },
    })
  }
  if (!another) return only
  const candidates = found.map(({ message: { envelope } }) => `${envelope.id} in ${envelope.place ?? envelope.path}`)
  throw conflict('AMBIGUOUS_ID', `More than one message is meant by ${id}: ${candidates.join(', ')}.`, {
    hint: 'Give the whole id.',
    details: { id, candidates },
  })
}
