import { unsupported } from '../../kernel/errors.ts'
import { defineOperation } from '../define.ts'
import { converse, type Spoken } from './conversing.ts'
import { session } from './fields.ts'

const needsInput = (): never => {
  throw unsupported('NEEDS_STANDARD_INPUT', 'This goes on as long as its standard input does.', {
    hint: 'Run it from a command line. A program that has the library says lines by `sessions.say`.',
  })
}

/** As `session say`, line by line. */
const spoken = {
  outcomes: { ended: 'done' },
  output: { ended: { session: 'text', lines: 'integer' } },
  effects: 'destroys',
} as const

export const sessionServeStdio = defineOperation({
  name: 'serve-stdio',
  summary: 'Speak in a session line by line over standard input and output, for programs.',
  more:
    'Each line is answered; the answer ends with an empty line. What arrives by itself, messages for whoever speaks, begins ' +
    'with `* `. As JSON, each answer and each arrival is one document on a line. It ends with its input.',
  input: { session },
  ...spoken,
  examples: [
    { command: 'session serve-stdio --session release --as DevAgent', does: 'let a program speak as DevAgent' },
  ],
  run: (): Spoken => needsInput(),
  stream: converse,
})

export const sessionChat = defineOperation({
  name: 'chat',
  summary: 'Speak in a session at a prompt, with history and completion.',
  more: 'Tab completes commands, the arrows bring back what was said, Ctrl-C ends a wait or clears the line, Ctrl-D ends it. Messages for whoever speaks are shown as they come.',
  input: { session },
  ...spoken,
  examples: [{ command: 'session chat --session release', does: 'speak as the orchestrator' }],
  run: (): Spoken => needsInput(),
  stream: converse,
})
