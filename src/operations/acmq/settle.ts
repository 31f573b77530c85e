/** The verbs that settle a claim: complete, fail, retry, renew. */
import { isoTime } from '../../kernel/clock.ts'
import { list, text, withoutUndefined } from '../../kernel/field.ts'
import { seenActing } from '../acting.ts'
import { tellClock } from '../clock-agreement.ts'
import { defineOperation, whoActs } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { noticesAbout } from '../stores.ts'
import { attempt, messageId, mission, openMission } from './mission.ts'
import { message } from './shapes.ts'

const settled = { message, durability } as const
const settledWithNotices = { ...settled, notices } as const

export const complete = defineOperation({
  name: 'complete',
  summary: 'Mark a claimed message as done, with its result.',
  more:
    'The result is added to the message. Larger things belong into `findings/` or `artifacts/` of the mission, linked ' +
    'with --link. Of two results the first stands; repeating is fine. Exit status 4: the claim is lost.',
  input: {
    mission,
    id: messageId,
    attempt,
    result: text('What came out; `-` is standard input.', { fileFlag: 'resultFile', placeholder: 'TEXT' }),
    link: list('A file that was made, relative to the mission.', text('A path.', { completes: 'file' }), {
      placeholder: 'PATH',
    }),
  },
  outcomes: { completed: 'done', unchanged: 'done' },
  output: { completed: settledWithNotices, unchanged: settledWithNotices },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq complete alpha 1f2e3d4c --as gemini --result "Three tables."', does: 'with a line' },
    { command: 'acmq complete alpha 1f2e3d4c --as gemini --link findings/rust.md', does: 'with a file of the mission' },
  ],

  async run(context, { mission, id, attempt, result, link }) {
    const agent = await whoActs(context)
    await seenActing(context, agent)
    const opened = await openMission(context, mission)
    const { links, notices } = await opened.settling.checkLinks(link)
    const done = await opened.settling.complete(id, withoutUndefined({ agent, attempt }), { text: result ?? '', links })
    return { ...done, notices }
  },
})

export const fail = defineOperation({
  name: 'fail',
  summary: 'Give up a claimed message, with a report that stays in it.',
  input: {
    mission,
    id: messageId,
    attempt,
    reason: text('Why, in one line.', {
      required: true,
      placeholder: 'TEXT',
      longest: 4096,
      expected: 'one line that says why, of at most 4096 bytes',
    }),
    detail: text('More for whoever looks into it; `-` is standard input.', {
      longText: 'standard-input',
      placeholder: 'TEXT',
    }),
  },
  outcomes: { failed: 'done', unchanged: 'done' },
  output: { failed: settled, unchanged: settled },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'acmq fail alpha 1f2e3d4c --as gemini --reason "No network"', does: 'give it up' }],

  async run(context, { mission, id, attempt, reason, detail }) {
    const agent = await whoActs(context)
    await seenActing(context, agent)
    const opened = await openMission(context, mission)
    return opened.settling.fail(id, withoutUndefined({ agent, attempt }), withoutUndefined({ reason, detail }))
  },
})

export const retry = defineOperation({
  name: 'retry',
  summary: 'Let a failed message wait again, as its next attempt.',
  more:
    'It is for those it was sent to: one to `all` is for everybody again. Its failure reports stay in it. Who still works ' +
    'on the attempt before is told that it is over.',
  input: {
    mission,
    id: messageId,
    to: text('Give it to somebody else: an agent, or `all`.', { placeholder: 'AGENT' }),
  },
  outcomes: { retried: 'done', unchanged: 'done' },
  output: { retried: settledWithNotices, unchanged: settledWithNotices },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq retry alpha 1f2e3d4c', does: 'try once more' },
    { command: 'acmq retry alpha 1f2e3d4c --to codex', does: 'let another agent try' },
  ],

  async run(context, { mission, id, to }) {
    const opened = await openMission(context, mission)
    const unseen = await noticesAbout(context, to)
    const retried = await opened.settling.retry(id, withoutUndefined({ to }))
    return { ...retried, notices: unseen }
  },
})

export const renew = defineOperation({
  name: 'renew',
  summary: 'Say that you still work on a message: its time starts again.',
  input: { mission, id: messageId, attempt },
  outcomes: { renewed: 'done' },
  output: { renewed: { ...settled, until: 'time' } },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'acmq renew alpha 1f2e3d4c --as gemini --attempt 1', does: 'keep the claim' }],

  async run(context, { mission, id, attempt }) {
    const agent = await whoActs(context)
    await seenActing(context, agent)
    const opened = await openMission(context, mission)
    await tellClock(context)
    const { outcome, message, durability, until } = await opened.settling.renew(
      id,
      withoutUndefined({ agent, attempt }),
    )
    return { outcome, message, until: isoTime(until), durability }
  },
})
