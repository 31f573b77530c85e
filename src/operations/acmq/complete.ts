import { list, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../define.ts'
import { attempt, messageId, mission, openMission } from './mission.ts'

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
  examples: [
    { command: 'acmq complete alpha 1f2e3d4c --as gemini --result "Three tables."', does: 'with a line' },
    { command: 'acmq complete alpha 1f2e3d4c --as gemini --link findings/rust.md', does: 'with a file of the mission' },
  ],

  async run(context, { mission, id, attempt, result, link }) {
    const agent = await whoActs(context)
    const opened = await openMission(context, mission)
    const { links, notices } = await opened.settling.checkLinks(link)
    const done = await opened.settling.complete(id, withoutUndefined({ agent, attempt }), { text: result ?? '', links })
    return { ...done, notices }
  },
})
