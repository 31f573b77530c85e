import { call, inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { choice, list, text, withoutUndefined } from '../../kernel/field.ts'
import { type CirceSent, intentRows, isWholeMessage, messageStatuses } from '../../protocols/circe/index.ts'
import { actorOf, type Context, defineOperation, whoActs } from '../define.ts'
import { notices } from '../shapes.ts'
import { noticesAbout } from '../stores.ts'
import { openCirce } from './fields.ts'
import { changedMessage } from './shapes.ts'

const longestBody = 16 << 20

export const circeSend = defineOperation({
  name: 'send',
  summary: 'Put a message into NEW_MESSAGES/.',
  more:
    '`file` takes a whole message, which is sent byte for byte, or the body of one. To `all`, work goes to the agent that claims ' +
    'it first, and everything else to every agent. What the message means for its task counts at once.',
  words: { title: 'Intents', rows: intentRows() },
  input: {
    from: text('Who sends it.', { placeholder: 'AGENT', isActor: true }),
    to: text('Who gets it: an agent, `all`, or ROOSTER for a person.', { placeholder: 'AGENT' }),
    intent: text('What it is for: one of the intents below, or one that is configured.', { placeholder: 'INTENT' }),
    task: text('The task that it is about.', { placeholder: 'ID' }),
    summary: text('What it is about, in one line.', { placeholder: 'TEXT', longest: 4096 }),
    file: text('A file with a whole message, or with a body; `-` is standard input.', {
      longText: 'named',
      isExact: true,
      completes: 'file',
      longest: longestBody,
    }),
    status: choice('How things stand; `new` unless said.', messageStatuses),
    section: list('A section, NAME=TEXT.', text('A section.', { longest: longestBody }), { placeholder: 'NAME=TEXT' }),
    artifact: list('A path or link to list under Artifacts.', text('A path.', { longest: 4096 }), {
      placeholder: 'PATH',
    }),
    header: list('A further header, KEY=VALUE, such as priority=high.', text('A header.', { longest: 4096 }), {
      placeholder: 'KEY=VALUE',
    }),
    replyTo: text('The file of the message that this one answers.', { placeholder: 'FILE' }),
  },
  outcomes: { sent: 'done' },
  output: { sent: { ...changedMessage, delivered: ['text'], notices } },
  effects: 'writes',
  examples: [
    {
      command: 'circe send --as coordinator --to all --intent implement_feature --task AUTH-012 --summary "JWT login"',
      does: 'ask for a feature; the first who claims it gets it',
    },
    {
      command:
        'circe send --as qa --to engineer --intent test_results --task AUTH-012 --status completed --file results.md',
      does: 'tell how tests went',
    },
    {
      command: 'circe send --as engineer --to ROOSTER --intent question --summary "RS256 or HS256?" --header due=today',
      does: 'ask a person',
    },
  ],

  async run(context, input) {
    const store = await openCirce(context)
    const to = input.to
    const isWhole = to === undefined && input.file !== undefined && isWholeMessage(input.file)
    const about = await noticesAbout(context, isWhole ? store.sending.read(input.file!).to : to, { anyCase: true })
    const sent = await send(context, input)
    return { ...sent, notices: [...sent.notices, ...about] }
  },

  untold: ({ message }) => `Message ${message.id} is sent all the same: do not send it again.`,
})

interface Given {
  readonly from?: string
  readonly to?: string
  readonly intent?: string
  readonly task?: string
  readonly summary?: string
  readonly file?: string
  readonly status?: string
  readonly section: readonly string[]
  readonly artifact: readonly string[]
  readonly header: readonly string[]
  readonly replyTo?: string
}

async function send(context: Context, input: Given): Promise<CirceSent> {
  const store = await openCirce(context)
  if (input.file?.trim() === '')
    throw missing('file', 'The text is empty: nothing was sent.', 'See what the file or pipe gives.')
  if (input.file !== undefined && isWholeMessage(input.file)) {
    const { from, ...others } = input
    // The actor of the call counts only for messages without headers of their own.
    expectNothingElse(from === (await actorOf(context)) ? others : input)
    return store.sending.sendWhole(input.file)
  }
  const { to, intent } = input
  if (to === undefined)
    throw missing('to', 'No recipient was given.', `Give ${inputs({ to: 'AGENT' })}, \`all\` or ROOSTER.`)
  if (intent === undefined)
    throw missing('intent', 'No intent was given.', `See them all: ${call('circe send', { help: true })}`)
  return store.sending.send(
    withoutUndefined({
      from: input.from ?? (await whoActs(context)),
      to,
      intent,
      task: input.task,
      status: input.status,
      summary: input.summary,
      body: input.file?.replace(/^\ufeff/, ''),
      sections: input.section.map((text) => pairOf('section', text)).map(([name, text]) => ({ name, text })),
      artifacts: input.artifact,
      headers: input.header.map((text) => pairOf('header', text)),
      replyTo: input.replyTo,
    }),
  )
}

/** A whole message is sent as it is, so that every other input would be ignored. */
function expectNothingElse({ file: _, section, artifact, header, ...rest }: Given): void {
  const given = [
    ...Object.keys(rest).filter((name) => rest[name as keyof typeof rest] !== undefined),
    ...Object.entries({ section, artifact, header }).flatMap(([name, values]) => (values.length > 0 ? [name] : [])),
  ]
  const [first] = given
  if (first === undefined) return
  const reason = `The file is a whole message, which is sent as it is; \`${first}\` would change it.`
  throw invalidInput('GIVEN_TWICE', reason, {
    hint: `Leave \`${first}\` out, or give a file without the headers.`,
    details: { field: first },
  })
}

/** Split at the first `=`. */
function pairOf(field: 'section' | 'header', text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)]
  const found = JSON.stringify(text.slice(0, 80))
  throw invalidInput('WRONG_FORM', `A ${field} is a name and a text with \`=\` between them; found ${found}.`, {
    hint: `Write ${inputs(field === 'header' ? { header: 'priority=high' } : { section: 'Context=TEXT' })}`,
    details: { field },
  })
}

const missing = (field: string, message: string, hint: string) =>
  invalidInput('MISSING_INPUT', message, { hint, details: { field } })
