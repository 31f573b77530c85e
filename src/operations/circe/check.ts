import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { list, text } from '../../kernel/field.ts'
import { settableChecks } from '../../protocols/circe/index.ts'
import { seenActing } from '../acting.ts'
import { defineOperation, whoActs } from '../define.ts'
import { openCirce, taskWord } from './fields.ts'
import { changedTask } from './shapes.ts'

export const circeCheck = defineOperation({
  name: 'check',
  summary: 'Show or set the checks of a task.',
  more:
    'Its owner sets them. That tests passed is usually told by a test_results message of somebody else. Where the configuration ' +
    'has roles, `tests_passed` is set by whoever is qa, and `peer_reviewed` by a reviewer or whom the owner asked, never by the ' +
    'owner (exit status 6). `ready_for_merge` follows from the others.',
  input: {
    id: taskWord,
    set: list(`A check and its value: one of ${settableChecks.join(', ')}.`, text('A check.'), {
      placeholder: 'CHECK=true|false',
    }),
  },
  outcomes: { changed: 'done', unchanged: 'done' },
  output: { changed: changedTask, unchanged: changedTask },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'circe check AUTH-012 --as engineer', does: 'see the checks' },
    { command: 'circe check AUTH-012 --as engineer --set coverage_threshold_met=true', does: 'set one' },
  ],

  async run(context, { id, set }) {
    const wanted = Object.fromEntries(set.map(checkFrom))
    const agent = await whoActs(context)
    await seenActing(context, agent)
    return (await openCirce(context)).tasks.check(id, agent, wanted)
  },
})

function checkFrom(text: string): readonly [string, boolean] {
  const [name, value, ...more] = text.split('=')
  if (name && more.length === 0 && (value === 'true' || value === 'false')) return [name, value === 'true']
  throw invalidInput('WRONG_FORM', `Not a check with true or false: ${JSON.stringify(text.slice(0, 80))}.`, {
    hint: `Write ${inputs({ set: 'tests_passed=true' })}`,
    details: { field: 'set' },
  })
}
