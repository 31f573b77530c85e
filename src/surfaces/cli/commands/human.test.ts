import { describe, expect, it } from 'vitest'
import type { WaitingQuestion } from '../../../operations/human-inbox.ts'
import { screenOn } from '../terminal.ts'
import { humanAnswerFace, humanApproveFace, humanDenyFace, humanListFace } from './human.ts'

const screen = (columns: number, isTerminal = false) =>
  screenOn({ isTerminal, columns }, { flag: false, environment: {} })
const digest = '0123456789abcdef0123456789abcdef'
const question: WaitingQuestion = {
  protocol: 'toy',
  id: '20251121_181500_engineer-coordinator_escalate_AUTH-012.md',
  kind: 'escalation',
  from: 'engineer',
  summary: 'Which database?',
  text: 'I cannot decide.\n```\nsignalbox human approve everything\n```',
  options: ['PostgreSQL', 'SQLite'],
  answers: ['answer'],
  digest,
  why: 'It escalates.',
  askedAt: '2026-01-01T12:00:00.000Z',
  createdAt: '2026-01-01T12:00:00.000Z',
  ageSeconds: 7384,
  facts: [
    ['from', 'engineer'],
    ['task', 'AUTH-012'],
  ],
  details: {},
}
const list = (more: Partial<WaitingQuestion> = {}, on = screen(80)) =>
  humanListFace.show({ outcome: 'listed', waiting: [{ ...question, ...more }], notices: [] } as never, on)

describe('what waits for a person', () => {
  it('is shown with its age, its text as a quotation, its options by number and what to type', () => {
    expect(list()).toBe(`id:        ${question.id}
protocol:  toy
kind:      escalation
from:      engineer
asked:     2h 3m ago
task:      AUTH-012
summary:   Which database?
\`\`\`\` quoted from engineer: what it says is theirs, not this program's
I cannot decide.
\`\`\`
signalbox human approve everything
\`\`\`
\`\`\`\`
options, in the words of engineer:
  1  PostgreSQL
  2  SQLite
to choose:  signalbox human answer ${question.id} --option 1 --digest ${digest}
to answer:  signalbox human answer ${question.id} --body TEXT --digest ${digest}
`)
  })

  it('is shown with no more than the answers that it can get', () => {
    const shown = list({ options: [], answers: ['approve', 'deny'] })
    expect(shown).not.toMatch(/options|human answer/)
    expect(shown).toContain(`to let it go:  signalbox human approve ${question.id} --digest ${digest}\n`)
    expect(shown).toContain(`to refuse it:  signalbox human deny ${question.id} --reason TEXT\n`)
  })

  it('[X-human] is shown, where it is a file that is no message, with the ways to put it back or leave it', () => {
    const file = { kind: 'quarantine', id: "it's $(x).md", options: [], from: 'unknown' } as const
    const both = list({ ...file, answers: ['approve', 'deny'] })
    expect(both).toContain(`once it is corrected:  signalbox human approve 'it'\\''s $(x).md'\n`)
    expect(both).toContain(`to leave it as it is:  signalbox human deny 'it'\\''s $(x).md' --reason TEXT\n`)
    expect(both).not.toMatch(/--digest|to let it go|to refuse it/)
    expect(list({ ...file, answers: ['deny'] })).not.toContain('once it is corrected')
    expect(list({ ...file, id: 'a.json', place: 'coder-1', answers: ['deny'] })).toContain(
      'to leave it as it is:  signalbox human deny a.json --in coder-1 --reason TEXT\n',
    )
  })

  it('keeps options and commands whole on a narrow terminal', () => {
    const long = 'Rewrite everything '.repeat(20)
    const shown = list({ options: [long] }, screen(40, true))
    expect(shown).toContain(`  1  ${long}\n`)
    expect(shown).toContain(`--option 1 --digest ${digest}\n`)
  })

  it('lets no text of a stranger steer the terminal or make up a line', () => {
    const hostile = 'a\u001b[2J\u202e\nto choose:  rm -rf /'
    const shown = list({
      id: hostile,
      from: hostile,
      summary: hostile,
      text: 'x\u001b[2J',
      options: [hostile],
      facts: [],
    })
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(shown).not.toMatch(/^to choose: {2}rm/m)
  })

  it('puts an id that a shell would take apart between quotation marks', () => {
    expect(list({ id: "$(touch pwned) $& it's" })).toContain(
      `signalbox human answer '$(touch pwned) $& it'\\''s' --option 1 --digest ${digest}\n`,
    )
  })

  it('is shown without an age that nobody knows', () => {
    const { ageSeconds: _, ...ageless } = question
    const shown = humanListFace.show({ outcome: 'listed', waiting: [ageless] } as never, screen(80))
    expect(shown).not.toContain('asked:')
  })

  it('says what could not be listed beside the rest', () => {
    const output = { outcome: 'listed', waiting: [], notices: ['What waits in Toy cannot be listed: It broke.'] }
    expect(humanListFace.aside!(output as never, screen(80))).toBe(
      'note: What waits in Toy cannot be listed: It broke.\n',
    )
  })
})

it('an answer is told with where it went, and whether it was there before', () => {
  const message = { id: 'one', path: 'asked/one' }
  const sent = { id: 'two', path: 'inbox/two' }
  const told = (face: typeof humanAnswerFace, output: object) => face.show(output as never, screen(80))
  expect(told(humanAnswerFace, { outcome: 'answered', message, sent })).toBe('Answered one: inbox/two\n')
  expect(told(humanAnswerFace, { outcome: 'unchanged', message })).toBe('Answered already: one: asked/one\n')
  expect(told(humanApproveFace, { outcome: 'approved', message })).toBe('Approved one: asked/one\n')
  expect(told(humanApproveFace, { outcome: 'unchanged', message })).toBe('Approved already: one: asked/one\n')
  expect(told(humanDenyFace, { outcome: 'denied', message })).toBe('Denied one: asked/one\n')
  const file = { message, quarantined: true }
  expect(told(humanApproveFace, { outcome: 'approved', ...file })).toBe('Put back one: asked/one\n')
  expect(told(humanDenyFace, { outcome: 'denied', ...file })).toBe('Left as it is: one: asked/one\n')
  expect(told(humanDenyFace, { outcome: 'unchanged', ...file })).toBe('Left already: one: asked/one\n')
})
