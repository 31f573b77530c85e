import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { duration, integer, list, text, withoutUndefined } from '../../kernel/field.ts'
import type { AcmqDraft, Mission } from '../../protocols/ac-mq/index.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { noticesAbout } from '../stores.ts'
import { mission, openSender } from './mission.ts'
import { message } from './shapes.ts'

const sent = { message, durability, notices } as const

/** Large ones travel by reference, so the limit is only against accidents. */
const longestBody = 64 << 20

export const send = defineOperation({
  name: 'send',
  summary: 'Put a message into the queue of a mission.',
  more:
    'The text comes from --body, or from --file, where `-` is standard input. A file may be a whole message with front matter: ' +
    'what it says counts where no option says otherwise, and its `from` always does. Sending the same id and text ' +
    'twice sends once.',
  input: {
    mission,
    to: text('Who gets it: an agent, or `all` for whoever claims it first.', { placeholder: 'AGENT' }),
    from: text('Who sends it, where the file does not say; else it is whoever acts (--as).', {
      placeholder: 'AGENT',
      isActor: true,
    }),
    file: text('A file with the text, or with a whole message; `-` is standard input.', {
      longText: 'named',
      completes: 'file',
      longest: longestBody,
    }),
    body: text('The text itself; `-` is standard input.', {
      longText: 'standard-input',
      longest: longestBody,
      placeholder: 'TEXT',
    }),
    summary: text('One line; else the first line of the text.', { placeholder: 'TEXT', longest: 4096 }),
    priority: integer('1 is first, 5 is last; 3 unless said.', { least: 1, most: 5 }),
    timeout: duration('How long a claim lasts before it counts as stalled; an hour unless configured.', {
      least: 1000,
      placeholder: 'SECONDS',
    }),
    depends: list(
      'What must come first: `msg:ID`, `path:FILE` in the mission, or either alone.',
      text('A reference.'),
      {
        placeholder: 'REF',
      },
    ),
    id: text('An id of your own, for senders that may have to repeat themselves.', { placeholder: 'UUID' }),
  },
  outcomes: { sent: 'done', unchanged: 'done' },
  output: { sent, unchanged: sent },
  effects: 'writes',
  examples: [
    { command: 'acmq send alpha --to gemini --as claude --body "Design the schema"', does: 'send a line' },
    { command: 'acmq send alpha --to gemini --file message.md', does: 'send a file, with or without front matter' },
    { command: 'acmq send alpha --to all --depends msg:1f2e3d4c --file -', does: 'send what is piped in, for later' },
  ],

  async run(context, input) {
    const opened = await openSender(context, input.mission)
    const draft = await draftOf(input, opened)
    const to = input.to ?? draft.to
    if (to === undefined) {
      const hint = `Give ${inputs({ to: 'AGENT' })}, or \`to:\` in the file.`
      throw missing('to', 'The recipient is missing: who gets it.', hint)
    }
    const dependencies = input.depends.length > 0 ? input.depends : (draft.dependencies ?? [])
    const untimely = await opened.sending.checkDependencies(dependencies)
    const from = draft.from ?? input.from
    if (from === undefined) throw noSender()
    const unseen = await noticesAbout(context, to)
    const content = withoutUndefined({
      from,
      to,
      body: draft.body,
      dependencies,
      id: input.id ?? draft.id,
      summary: input.summary ?? draft.summary,
      priority: input.priority ?? draft.priority,
      timeoutSeconds: input.timeout === undefined ? draft.timeoutSeconds : Math.ceil(input.timeout / 1000),
      replyTo: draft.replyTo,
      envelope: draft.envelope,
      otherFields: draft.otherFields,
    })
    const { outcome, message, durability, notices } = await opened.sending.send(content)
    return { outcome, message, durability, notices: [...notices, ...draft.notices, ...untimely, ...unseen] }
  },

  untold: ({ message }) => `Message ${message.id} is sent all the same: do not send it again.`,
})

interface Given {
  readonly file?: string
  readonly body?: string
  readonly summary?: string
}

async function draftOf({ file, body, summary }: Given, { sending }: Pick<Mission, 'sending'>): Promise<AcmqDraft> {
  if (file !== undefined && body !== undefined) {
    throw invalidInput('GIVEN_TWICE', 'Both a body and a file were given.', { hint: 'Give one of them.' })
  }
  // A pipe whose beginning failed gives an empty text, and nobody means to send that.
  if (file?.trim() === '')
    throw missing('file', 'The text is empty: nothing was sent.', 'See what the file or pipe gives.')
  if (file !== undefined) return sending.readDraft(file)
  if (body?.trim() === '' && summary === undefined) {
    const hint = `Give ${inputs({ body: 'TEXT' })}, or a ${inputs({ summary: 'TEXT' })} that says it all.`
    throw missing('body', 'The text is empty: nothing was sent.', hint)
  }
  if (body !== undefined) return { body, notices: [] }
  const hint = `Give ${inputs({ body: 'TEXT' })} or ${inputs({ file: 'FILE' })}; \`-\` reads standard input.`
  throw missing('body', 'There is nothing to send.', hint)
}

const noSender = () =>
  invalidInput('NO_AGENT', 'Nobody was named as the sender.', {
    hint: `Give ${inputs({ as: 'AGENT' })}, set SIGNALBOX_AGENT, or write \`from:\` in the file.`,
  })

const missing = (field: string, message: string, hint: string) =>
  invalidInput('MISSING_INPUT', message, { hint, details: { field } })
