/**
 * The fields of a draft that a record has no place of its own for. They travel as one extra field that the protocol allows (a
 * header, a metadata field, a front matter key; its README names it) and come back as they were.
 */
import { type Draft, type Envelope, kindOf, needsAnswerOf } from '../../kernel/envelope.ts'

const carriedFields = [
  'kind',
  'replyTo',
  'thread',
  'task',
  'urgency',
  'deadline',
  'dependsOn',
  'needsAnswer',
  'attachments',
  'origin',
  'summary',
] as const
export type CarriedField = (typeof carriedFields)[number]
type CarriedFields = Partial<Pick<Draft, CarriedField>>

/**
 * The fields of a draft that the record made of it does not hold, to be added to the record; `undefined` when it holds all.
 * `said`: the record as it is lifted without them.
 */
export function unsaidFields(draft: Draft, said: Pick<Envelope, CarriedField>): CarriedFields | undefined {
  const wanted: CarriedFields = {
    ...draft,
    kind: kindOf(draft),
    urgency: draft.urgency ?? 'normal',
    needsAnswer: needsAnswerOf(draft),
    dependsOn: draft.dependsOn ?? [],
    attachments: draft.attachments ?? [],
  }
  const unsaid: Record<string, unknown> = {}
  for (const field of carriedFields) {
    const value = wanted[field]
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(said[field])) unsaid[field] = value
  }
  return Object.keys(unsaid).length === 0 ? undefined : (unsaid as CarriedFields)
}

/**
 * The same read back, for `lift` to put over what the record says by itself. A stranger may have written the file: what is not
 * of the right kind is left out.
 */
export function carriedFieldsIn(value: unknown): CarriedFields {
  if (typeof value !== 'object' || value === null) return {}
  const found = value as Readonly<Record<string, unknown>>
  const read: Record<string, unknown> = {}
  for (const field of carriedFields) if (isFit[field](found[field])) read[field] = found[field]
  return read as CarriedFields
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 4096
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length <= 1000 && value.every(isText)
const isOneOf =
  (...words: readonly string[]) =>
  (value: unknown) =>
    words.includes(value as string)
const isFit: Readonly<Record<CarriedField, (value: unknown) => boolean>> = {
  kind: isOneOf('ask', 'tell', 'answer'),
  urgency: isOneOf('high', 'normal', 'low'),
  replyTo: isText,
  thread: isText,
  task: isText,
  summary: isText,
  deadline: (value) => isText(value) && !Number.isNaN(Date.parse(value as string)),
  dependsOn: isTexts,
  attachments: isTexts,
  needsAnswer: (value) => typeof value === 'boolean',
  origin: (value) => {
    const { protocol, handle, digest, hops } = (value ?? {}) as Readonly<Record<string, unknown>>
    return isText(protocol) && isText(handle) && isText(digest) && Number.isSafeInteger(hops) && (hops as number) > 0
  },
}
