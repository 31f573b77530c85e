/** The bridge to a model: prompts from templates, and responses. */
import { call } from '../../kernel/call.ts'
import { duration, flag, text } from '../../kernel/field.ts'
import type { Fetched } from '../../protocols/dream-os/index.ts'
import { actorOf, type Context, defineOperation, whoActs } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { compat, openDream, recipientCheck, requiredJson } from './fields.ts'
import { response } from './shapes.ts'

const template = text('The template: its name in `templates/`.', {
  positional: true,
  required: true,
  placeholder: 'TEMPLATE',
  expected: 'the name of a template, such as review.j2',
})
const vars = requiredJson('The variables of the template: a JSON object.')
const wait = duration('How long to wait for it.', { least: 0, placeholder: 'SECONDS' })
const dispatch = flag('Hand a response that is an event to the inbox of its target.')

const untold = (fetched: Fetched): string | undefined =>
  fetched.outcome === 'fetched'
    ? `The answer was cut off. The next ${call('dream prompt fetch')} hands it out again.`
    : undefined

/** A response counts as fetched once it was written out; until then the next process that fetches gets it. */
async function handedOut(context: Context, fetched: Fetched): Promise<void> {
  if (fetched.outcome === 'fetched') await (await openDream(context)).prompts.handedOut(fetched.path)
}

export const promptRender = defineOperation({
  name: 'render',
  summary: 'Render a template, and write nothing.',
  more: 'As Jinja2 does, with strict undefined: a missing variable is an error that names it, its template and its line.',
  input: { template, vars },
  outcomes: { rendered: 'done' },
  output: { rendered: { text: 'text' } },
  effects: 'reads',
  examples: [{ command: `dream prompt render review.j2 --vars '{"file": "core.py"}'`, does: 'see what it says' }],

  async run(context, { template, vars }) {
    const store = await openDream(context)
    const rendered = await store.prompts.render(template, store.given.objectOrItsText(vars, 'The variables'))
    return { outcome: 'rendered', text: rendered } as const
  },
})

export const promptStage = defineOperation({
  name: 'stage',
  summary: 'Render a template and put it where the bridge reads it.',
  more: 'It is written whole; the prompt before it is kept in `temp/archive/`.',
  input: { template, vars },
  outcomes: { staged: 'done' },
  output: { staged: { path: 'text', 'kept?': 'text', text: 'text', durability } },
  effects: 'writes',
  examples: [{ command: `dream prompt stage review.j2 --vars '{"file": "core.py"}'`, does: 'give it to the bridge' }],

  async run(context, { template, vars }) {
    const store = await openDream(context)
    const by = await actorOf(context)
    const checked = store.given.objectOrItsText(vars, 'The variables')
    return store.prompts.stage(template, checked, by === undefined ? {} : { by })
  },
})

export const promptFetch = defineOperation({
  name: 'fetch',
  summary: 'Take the response of the bridge, once.',
  more:
    'It is moved into `temp/archive/`. One that is half-written is waited for, then reported, and stays: exit status 5. What ' +
    'somebody fetched who was killed before it was shown is handed out again.',
  input: { wait, dispatch, compat },
  outcomes: { fetched: 'done', nothing: 'nothing' },
  output: { fetched: response, nothing: {} },
  effects: 'writes',
  examples: [{ command: 'dream prompt fetch --wait 60 --dispatch', does: 'wait for it, and hand it on' }],

  async run(context, { wait, dispatch, compat }) {
    const store = await openDream(context, compat)
    const recipient = recipientCheck(context)
    return store.prompts.fetch({ dispatch, recipient, untilHandedOut: true, waitMs: wait, signal: context.signal })
  },

  untold,
  handedOut,
})

export const promptAsk = defineOperation({
  name: 'ask',
  summary: 'Stage a prompt and wait for the response to it.',
  more:
    'Of several who ask at once each gets the answer to their own prompt, one after the other. A response does not say which ' +
    'prompt it answers: as long as an earlier one has none, it is waited for and kept for `prompt fetch`; exit status 8 says ' +
    'that it has not come.',
  input: {
    template,
    vars,
    wait,
    dispatch,
    anew: flag('Give up earlier prompts that have no answer: one that still comes is taken for yours.'),
    compat,
  },
  outcomes: { fetched: 'done', nothing: 'nothing' },
  output: { fetched: { ...response, prompt: 'text' }, nothing: { prompt: 'text', notices } },
  effects: 'writes',
  examples: [
    {
      command: `dream prompt ask review.j2 --as Agent_0 --vars '{"file": "core.py"}' --wait 300`,
      does: 'ask, and wait',
    },
  ],

  async run(context, { template, vars, wait, dispatch, anew, compat }) {
    const store = await openDream(context, compat)
    return store.prompts.ask(template, store.given.objectOrItsText(vars, 'The variables'), {
      by: await whoActs(context),
      dispatch,
      anew,
      recipient: recipientCheck(context),
      untilHandedOut: true,
      waitMs: wait,
      signal: context.signal,
    })
  },

  untold,
  handedOut,
})
