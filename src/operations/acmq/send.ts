import { invalidInput } from '../../kernel/errors.ts'
import { duration, integer, list, text, withoutUndefined } from '../../kernel/field.ts'
import type { AcmqDraft, Mission } from '../../protocols/ac-mq/index.ts'
import { type Context, defineOperation } from '../define.ts'
import { noticesAbout } from '../stores.ts'
import { mission, openSender } from './mission.ts'

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
  examples: [
    { command: 'acmq send alpha --to gemini --as claude --body "Design the schema"', does: 'send a line' },
    { command: 'acmq send alpha --to gemini --file message.md', does: 'send a file, with or without front matter' },
    { command: 'acmq send alpha --to all --depends msg:1f2e3d4c --file -', does: 'send what is piped in, for later' },
  ],

  async run(context, input) {
    const opened = await openSender(context, input.mission)
    const draft = await draftOf(input, opened)
    const to = input.to ?? draft.to
    if (to === undefined) throw missing('to', '--to is missing: who gets it.', 'Give --to AGENT, or `to:` in the file.')
    const dependencies = input.depends.length > 0 ? input.depends : (draft.dependencies ?? [])
    const untimely = await opened.sending.checkDependencies(dependencies)
    const from = draft.from ?? input.from ?? (await whoSends(context))
    const unseen = await noticesAbout(context, to)
    const message = withoutUndefined({
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
    const sent = await opened.sending.send(message)
    const notices = [...sent.notices, ...draft.notices, ...untimely, ...unseen]
    return { outcome: sent.outcome, message: sent.message, durability: sent.durability, notices }
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
    throw invalidInput('GIVEN_TWICE', 'Both --body and --file were given.', { hint: 'Give one of them.' })
  }
  // A pipe whose beginning failed gives an empty text, and nobody means to send that.
  if (file?.trim() === '')
    throw missing('file', 'The text is empty: nothing was sent.', 'See what the file or pipe gives.')
  if (file !== undefined) return sending.readDraft(file)
  if (body?.trim() === '' && summary === undefined) {
    throw missing('body', 'The text is empty: nothing was sent.', 'Give --body TEXT, or a --summary that says it all.')
  }
  if (body !== undefined) return { body, notices: [] }
  throw missing('body', 'There is nothing to send.', 'Give --body TEXT or --file FILE; `-` reads standard input.')
}

async function whoSends(context: Context): Promise<string> {
  const { agent } = await context.configuration()
  if (agent !== undefined) return agent
  throw invalidInput('NO_AGENT', 'Nobody was named as the sender.', {
    hint: 'Give --from AGENT or --as AGENT, set SIGNALBOX_AGENT, or write `from:` in the file.',
  })
}

const missing = (field: string, message: string, hint: string) =>
  invalidInput('MISSING_INPUT', message, { hint, details: { field } })
