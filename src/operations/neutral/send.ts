import type { BoxDraft, BoxSent } from '../../bridge/box.ts'
import { call, inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { choice, duration, flag, list, text, withoutUndefined } from '../../kernel/field.ts'
import { boxOf } from '../bus.ts'
import { defineOperation } from '../define.ts'
import { durability, envelope, notices } from '../shapes.ts'
import { awaited, told } from './fields.ts'

/** The sender when none is named: a person at a terminal. */
const person = 'human'

/** `messages` where there is not exactly one recipient. */
const sent = { 'message?': envelope, 'messages?': [envelope], durability, notices } as const

export const send = defineOperation({
  name: 'send',
  summary: 'Send a message to an agent, wherever it reads.',
  more:
    'The message is written in the format and at the place that the agent reads: its home (`agents list`). An agent that nobody ' +
    'knows yet is at home in AC-MQ. To `all`, the first agent that takes it gets it; with --tell, every agent gets a copy.',
  input: {
    to: text('Who gets it: an agent, several with commas between them, or `all`.', { placeholder: 'AGENT' }),
    from: text('Who sends it; else the one who acts, else `human`.', { placeholder: 'AGENT', isActor: true }),
    body: text('The text; `-` is standard input.', {
      longText: 'standard-input',
      fileFlag: 'file',
      placeholder: 'TEXT',
      longest: 64 << 20,
    }),
    summary: text('One line; else the first line of the text.', { placeholder: 'TEXT', longest: 4096 }),
    urgency: choice('How urgent it is.', ['high', 'normal', 'low'], { placeholder: 'HOW' }),
    replyTo: text('The message that this one answers; without --to it goes to whoever sent that.', {
      placeholder: 'HANDLE',
    }),
    after: list('A message that must be finished before this one is handed out.', text('A handle.'), {
      placeholder: 'HANDLE',
    }),
    tell: flag('It wants nothing done: it is finished when it was read.'),
    deadline: text('When the answer is needed at the latest, such as 2026-07-01T12:00:00Z.', { placeholder: 'TIME' }),
    thread: text('A name of your own for messages that belong together.', { placeholder: 'NAME', longest: 200 }),
    key: text('Repeating the same key sends once.', { placeholder: 'KEY', longest: 200 }),
    wait: duration('How long to wait for what comes of it.', { least: 0, placeholder: 'SECONDS' }),
  },
  outcomes: {
    sent: 'done',
    unchanged: 'done',
    finished: 'done',
    answered: 'done',
    failed: 'Conflict',
    timeout: 'nothing',
  },
  output: {
    sent,
    unchanged: sent,
    finished: { ...awaited, durability, notices },
    answered: { ...awaited, durability, notices },
    failed: { ...awaited, durability, notices },
    timeout: { message: envelope, durability, notices },
  },
  effects: 'writes',
  examples: [
    { command: 'send --to gemini --body "Design the schema"', does: 'ask for something' },
    { command: 'send --to gemini --as claude --body "Design the schema" --wait 600', does: 'and wait for the result' },
    { command: 'send --to all --tell --body "I am on the login now"', does: 'let everybody know' },
    { command: 'send --reply-to acmq:main:1f2e3d4c --as gemini --body "Three tables"', does: 'answer a message' },
  ],

  async run(context, { to, from, body, after, tell, key, wait, deadline, ...said }) {
    if (body === undefined || body.trim() === '') throw nothingToSend()
    const box = await boxOf(context)
    const sender = from ?? person
    const recipients = await recipientsOf(to, said.replyTo, async (handle) => (await box.find(handle)).envelope.from)
    const draft: Omit<BoxDraft, 'to'> = {
      ...withoutUndefined(said),
      from: sender,
      text: body,
      after,
      ...(tell ? { kind: 'tell' as const } : {}),
      ...(deadline === undefined ? {} : { deadline: timeOf(deadline) }),
    }
    const copies: BoxSent[] = []
    for (const one of recipients) {
      const options = key === undefined ? {} : { key: recipients.length === 1 ? key : `${key} ${one}`.slice(0, 200) }
      if (one === 'all' && tell) for await (const copy of box.sendToAll(draft, options)) copies.push(copy)
      else copies.push(await box.send({ ...draft, to: one }, options))
    }
    const outcome = copies.some((one) => one.outcome === 'sent') ? ('sent' as const) : ('unchanged' as const)
    const durability = copies[0]?.durability ?? 'process'
    const notices = [...new Set(copies.flatMap((one) => one.notices))]
    const messages = copies.map(({ message }) => told(message))
    if (messages.length !== 1) return { outcome, messages, durability, notices } as const
    const message = messages[0]!
    if (wait === undefined) return { outcome, message, durability, notices } as const
    const awaited = await box.wait(message.handle, withoutUndefined({ waitMs: wait, signal: context.signal }))
    return { ...awaited, message: told(awaited.message), durability, notices } as const
  },

  async handedOut(context, output) {
    if ('answer' in output && output.answer !== undefined) await (await boxOf(context)).answerShown(output)
  },

  untold: () => 'The message is sent all the same: do not send it again.',
})

/** The named recipients, each once; without a name, the sender of the message that is answered. */
async function recipientsOf(
  to: string | undefined,
  replyTo: string | undefined,
  senderOf: (handle: string) => Promise<string>,
): Promise<string[]> {
  if (to === undefined && replyTo !== undefined) return [await senderOf(replyTo)]
  const names = [...new Set((to ?? '').split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length > 0) return names
  throw invalidInput('MISSING_INPUT', 'The recipient is missing.', {
    hint: `Give ${inputs({ to: 'AGENT' })}. Who is there: ${call('agents list')}`,
    details: { field: 'to' },
  })
}

function timeOf(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw invalidInput('BAD_TIME', `${JSON.stringify(text.slice(0, 80))} is no time.`, {
      hint: 'Write it as 2026-07-01T12:00:00Z.',
    })
  return new Date(time).toISOString()
}

const nothingToSend = () =>
  invalidInput('MISSING_INPUT', 'There is nothing to send.', {
    hint: `Give ${inputs({ body: 'TEXT' })}; on a command line also --file FILE, and \`-\` for standard input.`,
    details: { field: 'body' },
  })
