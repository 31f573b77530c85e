/** What waits for a person, and the answers a person can give. One file, because they share one inbox. */
import { integer, text, withoutUndefined } from '../kernel/field.ts'
import { oneOf } from '../kernel/shape.ts'
import { limit } from './bounded.ts'
import { actorOf, defineOperation } from './define.ts'
import { humanInbox } from './human-inbox.ts'
import { durability, headline, notices } from './shapes.ts'

const id = text('The message: its id, or the beginning of it, eight characters at least.', {
  positional: true,
  required: true,
  placeholder: 'ID',
  expected: 'the id of a message, such as 1f2e3d4c (`human list` shows them)',
})
const digest = text('What you were shown: the digest that `human list` prints.', { placeholder: 'HASH', longest: 64 })
const where = text('The protocol or the mission, where an id alone means more than one message.', {
  placeholder: 'WHERE',
})

/** What its protocol tells besides stands beside it. */
const question = {
  id: 'text',
  'place?': 'text',
  protocol: 'text',
  kind: oneOf('approval', 'question', 'escalation', 'quarantine'),
  from: 'text',
  summary: 'text',
  text: 'text',
  digest: 'text',
  options: ['text'],
  answers: [oneOf('approve', 'deny', 'answer')],
  why: 'advice',
  askedAt: 'text',
  createdAt: 'text',
  'ageSeconds?': 'integer',
  facts: ['anything'],
  '*': 'anything',
} as const

const told = { ...headline, '*': 'anything' } as const
const decided = { message: told, 'sent?': told, durability, '*': 'anything' } as const

export const humanList = defineOperation({
  name: 'list',
  summary: 'List what waits for a person.',
  more:
    'Questions, escalations, messages that need an approval and files that are no messages, of all protocols, the ' +
    'longest-waiting first. In AC-MQ, ' +
    'messages whose summary or text matches a pattern in `.signalbox/policy.yaml` are held back until a person approves ' +
    'them. The file lists the patterns under `hold:`, with `*` for anything in between, such as `- "deploy * production"`.',
  input: { limit },
  outcomes: { listed: 'done' },
  output: { listed: { waiting: [question], leftOut: 'integer', notices } },
  effects: 'reads',
  examples: [{ command: 'human list', does: 'see what waits for you' }],

  async run(context, { limit }) {
    const { waiting, leftOut, notices } = await humanInbox(context, () => actorOf(context)).list(
      withoutUndefined({ limit }),
    )
    // `details` come first, so that what a protocol tells cannot replace our own fields.
    return {
      outcome: 'listed',
      waiting: waiting.map(({ details, ...rest }) => ({ ...details, ...rest })),
      leftOut,
      notices,
    } as const
  },
})

export const humanApprove = defineOperation({
  name: 'approve',
  summary: 'Say yes: let a held message go to whoever claims it.',
  more:
    'The approval is for the text that you were shown. --digest names it, as `human list` prints it; without it, what the ' +
    'last `human list` showed counts. A message that says something else by now is not approved: exit status 4. One that ' +
    'changes later is held again. A file that was no message, and that you have corrected, is put back; if it is still none ' +
    'the exit status is 5.',
  input: { id, digest, in: where },
  outcomes: { approved: 'done', unchanged: 'done' },
  output: { approved: decided, unchanged: decided },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'human approve 1f2e3d4c --digest 0f3c…', does: 'let it go, if it still says what you have read' },
    { command: 'human approve 1f2e3d4c', does: 'the same, for what `human list` showed last' },
  ],

  async run(context, { id, ...given }) {
    const { outcome, details, ...rest } = await humanInbox(context, () => actorOf(context)).approve(id, given)
    return { ...details, ...rest, outcome: outcome === 'answered' ? 'approved' : outcome } as const
  },
})

export const humanDeny = defineOperation({
  name: 'deny',
  summary: 'Say no: a held message fails with your reason.',
  more: 'A file that is no message stays where it is, and is not listed again while it says the same.',
  input: {
    id,
    reason: text('Why.', { default: 'A person said no.', placeholder: 'TEXT', longest: 4096 }),
    in: where,
  },
  outcomes: { denied: 'done', unchanged: 'done' },
  output: { denied: decided, unchanged: decided },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'human deny 1f2e3d4c --reason "Not on a Friday"', does: 'refuse it' }],

  async run(context, { id, ...given }) {
    const { outcome, details, ...rest } = await humanInbox(context, () => actorOf(context)).deny(id, given)
    return { ...details, ...rest, outcome: outcome === 'answered' ? 'denied' : outcome } as const
  },
})

export const humanAnswer = defineOperation({
  name: 'answer',
  summary: 'Answer a question that an agent has put to a person.',
  more:
    'In words by --body, or by --option with the number of one of the options that `human list` shows; one of the two. The ' +
    'answer is for the text that you were shown, as with `human approve`: exit status 4 if the question says something else ' +
    'by now. Giving the same answer again changes nothing; another one is refused, with exit status 4 too.',
  input: {
    id,
    body: text('The answer; `-` is standard input.', { longText: 'standard-input', placeholder: 'TEXT' }),
    option: integer('The number of an option, counted from 1.', { placeholder: 'N' }),
    digest,
    in: where,
  },
  outcomes: { answered: 'done', unchanged: 'done' },
  output: { answered: decided, unchanged: decided },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'human answer 1f2e3d4c --option 2', does: 'choose the second of its options' },
    { command: 'human answer 1f2e3d4c --body "Use PostgreSQL"', does: 'answer in words' },
  ],

  async run(context, { id, body, option, ...given }) {
    // Both or neither is refused by the inbox.
    const answer = withoutUndefined({ text: body, option }) as { text: string } | { option: number }
    const { details, ...rest } = await humanInbox(context, () => actorOf(context)).answer(id, answer, given)
    return { ...details, ...rest } as const
  },
})
