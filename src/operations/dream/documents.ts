/** Documents for people, and state. */
import { choice, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { agent, compat, jsonOrFile, openDream } from './fields.ts'
import { document } from './shapes.ts'

const body = text('What it says, in Markdown; `-` is standard input.', {
  required: true,
  longText: 'standard-input',
  fileFlag: 'file',
  placeholder: 'TEXT',
  expected: 'a text',
})
const name = text('Its name, without the ending.', {
  positional: true,
  required: true,
  placeholder: 'NAME',
  expected: 'a name, such as weekly',
})

export const dreamReflect = defineOperation({
  name: 'reflect',
  summary: 'Write a reflection of an agent on its own work.',
  input: { agent, body },
  outcomes: { written: 'done' },
  output: { written: document },
  effects: 'writes',
  examples: [
    { command: 'dream reflect --as RefactorAgent --body "I should run the tests first."', does: 'think about it' },
  ],

  run: async (context, { agent, body }) => (await openDream(context)).documents.reflect(agent, body),
})

export const dreamReport = defineOperation({
  name: 'report',
  summary: 'Write a report or a log for people, in Markdown.',
  input: {
    name,
    body,
    in: choice('In which folder.', ['analysis', 'logs'], { default: 'analysis' }),
    over: choice('What to do with one of this name that says something else.', ['leave', 'replace', 'add'], {
      default: 'leave',
    }),
  },
  outcomes: { written: 'done', added: 'done', unchanged: 'done' },
  output: { written: document, added: document, unchanged: document },
  // With `over: 'replace'` the report that was there is gone.
  effects: 'destroys',
  examples: [
    { command: 'dream report weekly --body "All tests pass."', does: 'write analysis/weekly.md' },
    { command: 'dream report today --in logs --over add --body "Deployed."', does: 'add to logs/today.md' },
  ],

  run: async (context, { name, body, in: folder, over }) =>
    (await openDream(context)).documents.report(name, body, { in: folder, over }),
})

export const dreamState = defineOperation({
  name: 'state',
  summary: 'Show or change a state of the system, or of an agent.',
  more: 'In `temp/NAME.json`, or of an agent in `runtime/AGENT/NAME.json`. Keys that are set get their values; the others stay.',
  input: {
    name,
    agent: text('The agent whose state it is.', { placeholder: 'AGENT' }),
    set: jsonOrFile('Keys and their values: a JSON object.'),
    compat,
  },
  outcomes: { told: 'done', written: 'done', unchanged: 'done' },
  output: {
    told: { path: 'text', state: 'record' },
    written: { ...document, state: 'record' },
    unchanged: { ...document, state: 'record' },
  },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: `dream state build --set '{"phase": "testing"}'`, does: 'change it' },
    { command: 'dream state build --json', does: 'look' },
  ],

  async run(context, { name, agent, set, compat }) {
    const store = await openDream(context, compat)
    const values = set === undefined ? undefined : store.given.objectFrom(set, 'The state')
    const done = values && (await store.documents.setState(name, values, agent))
    const { path, state } = await store.documents.state(name, agent)
    const outcome: 'told' | 'written' | 'unchanged' =
      done === undefined ? 'told' : done.outcome === 'unchanged' ? 'unchanged' : 'written'
    return { outcome, path, state, ...(done ? { durability: done.durability } : {}) }
  },
})

export const supervisorShow = defineOperation({
  name: 'show',
  summary: 'Show what the supervisor knows: agents, assignments, goals, and what it did.',
  input: { compat },
  outcomes: { told: 'done', nothing: 'done' },
  output: { told: { state: 'record' }, nothing: { state: 'nothing' } },
  effects: 'reads',
  examples: [{ command: 'dream supervisor show', does: 'look' }],

  async run(context, { compat }) {
    const state = await (await openDream(context, compat)).supervisor.show()
    return { outcome: state === undefined ? 'nothing' : 'told', state: state ?? null } as const
  },
})
