import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { notices } from '../shapes.ts'
import { openRouting } from './fields.ts'

const issue = {
  code: 'text',
  field: 'text',
  message: 'text',
  expected: 'text',
  'found?': 'text',
  'hint?': 'text',
} as const
const judgement = { issues: [issue], payloadIssues: [issue], size: 'integer', notices } as const

export const mrValidate = defineOperation({
  name: 'validate',
  summary: 'Judge a file: is it a message, and if not, what is wrong with it?',
  more:
    'Every mistake is named with its field. A file that lies in an inbox is also judged by its place: its name must be ' +
    'its id, and the inbox that of its recipient. Exit status 5 means that something is wrong.',
  input: {
    file: text('The file; `-` is standard input.', {
      positional: true,
      required: true,
      expected: 'a file, or `-`',
      longText: 'named',
      pathGoesTo: 'path',
      completes: 'file',
    }),
    path: text('Where it lies or is to lie, when that is somewhere else.', { placeholder: 'PATH' }),
  },
  outcomes: { valid: 'done', invalid: 'Corrupt' },
  output: { valid: judgement, invalid: judgement },
  effects: 'reads',
  examples: [
    { command: 'mr validate message.json', does: 'judge a draft' },
    { command: 'mr validate state/agents/coder-1/inbox/msg_a3f5d8b2.json', does: 'judge it and its place' },
  ],

  async run(context, { file, path }) {
    const routing = await openRouting(context)
    const { notes: notices, ...judged } = routing.validate(Buffer.from(file), placeOf(path))
    return { ...judged, notices }
  },
})

/** The inbox and the name, for a file in one; nothing for a draft that lies elsewhere. */
function placeOf(path: string | undefined): { readonly agent?: string; readonly fileName?: string } {
  const [, agent, fileName] = /(?:^|\/)([^/]+)\/inbox\/([^/]+)$/.exec(path ?? '') ?? []
  return agent === undefined || fileName === undefined ? {} : { agent, fileName }
}
