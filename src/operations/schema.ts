import { notFound } from '../kernel/errors.ts'
import { list, text } from '../kernel/field.ts'
import { nearest } from '../kernel/nearest.ts'
import { defineOperation } from './define.ts'
import { inputSchema, outputSchema } from './json-schema.ts'

export const schema = defineOperation({
  name: 'schema',
  summary: 'Print what commands take and answer, as JSON Schema.',
  more: 'Without a command, all of them. Times are in milliseconds. The answer is what --json prints.',
  input: {
    command: list('The command, such as `acmq claim`, or the beginning of several.', text('A word.'), {
      positional: true,
      placeholder: 'COMMAND',
    }),
  },
  outcomes: { printed: 'done' },
  output: {
    printed: {
      operations: [
        {
          name: 'text',
          summary: 'text',
          effects: 'text',
          isRepeatable: 'flag',
          goesOn: 'flag',
          input: 'record',
          output: 'record',
        },
      ],
    },
  },
  effects: 'reads',
  examples: [{ command: 'schema send', does: 'see what `send` takes and answers' }],

  async run(_context, { command }) {
    const { allOperations } = await import('./index.ts')
    const all = await allOperations()
    const asked = command.join(' ')
    const found = [...all].filter(([name]) => asked === '' || name === asked || name.startsWith(`${asked} `))
    if (found.length === 0) throw noSuchOperation(asked, [...all.keys()])
    const operations = found.map(([name, operation]) => {
      const { summary, input, effects, isRepeatable = effects === 'reads', follow } = operation
      const goesOn = follow !== undefined
      return {
        name,
        summary,
        effects,
        isRepeatable,
        goesOn,
        input: inputSchema(input),
        output: outputSchema(operation),
      }
    })
    return { outcome: 'printed', operations } as const
  },
})

function noSuchOperation(asked: string, known: readonly string[]) {
  const meant = nearest(asked, known)
  return notFound('NO_SUCH_COMMAND', `There is no command ${JSON.stringify(asked.slice(0, 80))}.`, {
    hint: meant === undefined ? 'Leave it out to see all of them.' : `Did you mean ${meant}?`,
    details: { command: asked.slice(0, 400) },
  })
}
