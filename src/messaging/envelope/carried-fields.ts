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
export function unsaidFields(
  draft: Draft,
  said: { readonly [Field in CarriedField]?: Envelope[Field] | undefined },
): CarriedFields | undefined {
  let unsaid: Record<string, unknown> | undefined
  for (const field of carriedFields) {
    const value = field in filledIn ? filledIn[field]!(draft) : draft[field]
    if (value === undefined || value === said[field] || areSame(value, said[field])) continue
    unsaid ??= {}
    unsaid[field] = value
  }
  return unsaid
}

/** What counts where a draft does not say it. */
const filledIn: { readonly [Field in CarriedField]?: (draft: Draft) => unknown } = {
  kind: kindOf,
  urgency: ({ urgency = 'normal' }) => urgency,
  needsAnswer: needsAnswerOf,
  dependsOn: ({ dependsOn = nothing }) => dependsOn,
  attachments: ({ attachments = nothing }) => attachments,
}
const nothing: readonly string[] = []

const areSame = (one: unknown, other: unknown): boolean =>
  typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other)

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
