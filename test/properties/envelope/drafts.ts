/** Drafts of any kind, and what must be true of each when it has been lowered into a record, written, read and lifted. */
import fc from 'fast-check'
import { type Draft, type Envelope, handleOf, kindOf, needsAnswerOf } from '../../../src/kernel/envelope.ts'

export interface EnvelopeProtocol {
  readonly name: string
  /** `lift(parse(print(lower(draft))))`, through the protocol's own text. */
  roundTrip(draft: Draft): Envelope & { readonly text: string }
  /** The ids that it gives to messages, where a draft may name one. */
  readonly ids?: fc.Arbitrary<string>
}

const agent = fc.constantFrom('lead', 'coder-1', 'gemini', 'qa2')
const line = fc
  .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
  .map((text) => text.replace(/\s+/gu, ' ').trim())
  .filter((text) => text !== '' && !/\p{C}/u.test(text))
const text = fc
  .array(line, { minLength: 1, maxLength: 5 })
  .map((lines) => lines.join('\n'))
  .filter((body) => body.trim() === body)
const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,30}$/)
const time = fc
  .integer({ min: Date.parse('2026-01-01T00:00:00Z') / 1000, max: Date.parse('2030-01-01T00:00:00Z') / 1000 })
  .map((seconds) => new Date(seconds * 1000).toISOString())
const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
const origin = fc.record({
  protocol: fc.constantFrom('acmq', 'mr', 'circe', 'dream', 'session'),
  handle: fc.tuple(word, word).map(([protocol, id]) => `${protocol}:${id}`),
  digest: fc.stringMatching(/^[0-9a-f]{32}$/),
  hops: fc.integer({ min: 1, max: 8 }),
})

export const draftsOf = ({ ids = fc.uuid() }: Pick<EnvelopeProtocol, 'ids'>): fc.Arbitrary<Draft> =>
  fc.record(
    {
      from: agent,
      to: agent,
      text,
      summary: line,
      kind: fc.constantFrom('ask', 'tell', 'answer'),
      replyTo: ids,
      thread: word,
      task: fc.stringMatching(/^[A-Z]{1,8}-[0-9]{1,4}$/),
      urgency: fc.constantFrom('high', 'normal', 'low'),
      deadline: time,
      dependsOn: fc.uniqueArray(ids, { maxLength: 3 }),
      needsAnswer: fc.boolean(),
      attachments: fc.uniqueArray(path, { maxLength: 3 }),
      origin,
    },
    { requiredKeys: ['from', 'to', 'text'] },
  )

/** What the envelope must say of a draft. */
export const expectedOf = (draft: Draft) => ({
  from: draft.from,
  to: draft.to,
  text: draft.text,
  ...(draft.summary === undefined ? {} : { summary: draft.summary }),
  kind: kindOf(draft),
  urgency: draft.urgency ?? 'normal',
  needsAnswer: needsAnswerOf(draft),
  dependsOn: draft.dependsOn ?? [],
  attachments: draft.attachments ?? [],
  replyTo: draft.replyTo,
  thread: draft.thread,
  task: draft.task,
  deadline: draft.deadline,
  origin: draft.origin,
})

/** The same fields of an envelope. */
export const toldBy = (draft: Draft, envelope: Envelope & { readonly text: string }) =>
  Object.fromEntries(Object.keys(expectedOf(draft)).map((key) => [key, envelope[key as keyof typeof envelope]]))

export const isWhole = (envelope: Envelope): boolean =>
  envelope.handle === handleOf(envelope) && envelope.native !== undefined && envelope.stage === 'written'
