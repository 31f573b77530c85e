import { describe, expect, it } from 'vitest'
import { splitBody } from './body.ts'
import { lift, lower, textOf } from './envelope.ts'
import { headOf, parseMessage, printMessage } from './format.ts'
import { fileName } from './names.ts'
import { headlineOf } from './store/view.ts'

const draft = { from: 'lead', to: 'coder-1', text: 'Do it' } as const
const name = fileName('20260101_120000_lead-coder-1_question.md')

function messageIn(text: string) {
  const parsed = parseMessage(Buffer.from(text))
  if (parsed.outcome !== 'message') throw new Error(parsed.problems[0].message)
  return parsed.message
}
const printed = (said: Parameters<typeof lower>[0]) => {
  const { status, headers = [], ...input } = lower(said)
  return printMessage({ ...input, status: status as 'new', time: 0, headers, ...splitBody(input) })
}
const lifted = (text: string) => {
  const message = messageIn(text)
  const headline = headlineOf({ message, name, place: 'new', path: 'x' as never })
  return lift({ ...headline, head: headOf(message), stage: 'written' })
}

it('what CIRCE has headers for stands in these, and the rest in one of ours', () => {
  const said = {
    ...draft,
    task: 'AUTH-12',
    urgency: 'high',
    deadline: '2026-02-01T00:00:00Z',
    thread: 'login',
  } as const
  expect(printed(said)).toBe(
    '# MESSAGE\nfrom: lead\nto: coder-1\nintent: question\ntask_id: AUTH-12\nstatus: new\n' +
      'created_at: 1970-01-01T00:00:00Z\npriority: high\ndue: 2026-02-01T00:00:00Z\nsignalbox: {"thread":"login"}\n\n' +
      '## Summary\nDo it\n',
  )
})

it.each([
  ['an answer', { replyTo: '20260101_110000_a-b_question' }, 'answer', 'completed'],
  ['a tell', { kind: 'tell' }, 'inform', 'new'],
  ['an ask', {}, 'question', 'new'],
] as const)('%s is sent with its intent and status', (_, more, intent, status) => {
  expect(lower({ ...draft, ...more })).toMatchObject({ intent, status })
})

describe('a text of any kind comes back as it was', () => {
  it.each([
    'one line',
    'two\nlines',
    'With\n\n## Options\n1. a\n2. b',
    '## Summary\nof its own',
    '## Summary\nx\n\n## Context\ny',
    '```\nan open fence',
    'a\n\n\n\nb',
  ])('%j', (text) => {
    for (const more of [{}, { summary: 'In short' }, { summary: 's'.repeat(300) }]) {
      const read = printed({ ...draft, text, ...more })
      expect(textOf(messageIn(read))).toBe(text)
      if ('summary' in more) expect(lifted(read).summary).toBe(more.summary)
    }
  })
})

it.each([
  ['implement_feature', 'ask'],
  ['escalate', 'ask'],
  ['status_update', 'tell'],
  ['test_results', 'answer'],
  ['something_of_theirs', 'ask'],
])('%s of another program is lifted as %s', (intent, kind) => {
  const head = `# MESSAGE\nfrom: qa\nto: lead\nintent: ${intent}\ntask_id: T-1\nstatus: new\ncreated_at: 2026-01-01T12:00:00Z\n`
  expect(lifted(`${head}Priority: Low\ndue: tomorrow\nsignalbox: [not JSON\n\nWords`)).toMatchObject({
    kind,
    urgency: 'low',
    task: 'T-1',
    handle: `circe:${name.slice(0, -3)}`,
  })
  expect(lifted(`${head}signalbox: {"urgency":"huge","deadline":1,"kind":"tell"}\n\nx`)).toMatchObject({ kind: 'tell' })
})
