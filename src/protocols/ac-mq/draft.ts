/** A file that a person or agent wants to send: a body alone, or a message with front matter. Options win over its fields. */
import { readFrontMatter, splitFrontMatter } from '../../formats/front-matter.ts'
import type { Field, Fields } from '../../formats/header-field.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { withoutUndefined } from '../../kernel/field.ts'

export interface AcmqDraft {
  readonly body: string
  readonly from?: string
  readonly to?: string
  readonly id?: string
  readonly summary?: string
  readonly priority?: number
  readonly timeoutSeconds?: number
  readonly dependencies?: readonly string[]
  readonly replyTo?: string
  readonly envelope?: string
  readonly otherFields?: string
  readonly notices: readonly string[]
}

const carriedOver = ['from', 'to', 'id', 'summary', 'priority', 'timeout_seconds', 'dependencies']
const setBySending = ['mission_id', 'timestamp', 'status', 'attempt', 'sent_to']

export async function readDraft(text: string, mission: string): Promise<AcmqDraft> {
  const read = readFrontMatter(text)
  if (!read) return { body: text, notices: [] }
  const { fields, bodyStart } = read
  return withoutUndefined({
    body: text.slice(bodyStart),
    from: textOf(fields, 'from'),
    to: textOf(fields, 'to'),
    id: textOf(fields, 'id'),
    summary: textOf(fields, 'summary'),
    priority: numberOf(fields, 'priority'),
    timeoutSeconds: numberOf(fields, 'timeout_seconds'),
    dependencies: listOf(fields, 'dependencies'),
    replyTo: fields.get('reply_to')?.text || undefined,
    envelope: fields.get('envelope')?.text || undefined,
    otherFields: await otherFieldsIn(text, fields),
    notices: otherMission(fields, mission),
  })
}

function present(fields: Fields, name: string): Field | undefined {
  const field = fields.get(name)
  return field === undefined || field.value === null ? undefined : field
}

function textOf(fields: Fields, name: string): string | undefined {
  const field = present(fields, name)
  if (field && field.text === undefined) throw wrong(name, 'text')
  return field?.text
}

function numberOf(fields: Fields, name: string): number | undefined {
  const field = present(fields, name)
  if (field && typeof field.value !== 'number') throw wrong(name, 'a number')
  return field?.value as number | undefined
}

function listOf(fields: Fields, name: string): readonly string[] | undefined {
  const field = present(fields, name)
  if (field === undefined) return undefined
  if (field.texts) return field.texts
  // A single dependency may be written without a list.
  if (field.text !== undefined) return field.text.trim() === '' ? [] : [field.text]
  throw wrong(name, 'a list of texts')
}

/** The header lines of fields that AC-MQ does not know, with their comments: they are sent too. */
async function otherFieldsIn(text: string, fields: Fields): Promise<string | undefined> {
  // Other programs may use these names for something else than a text.
  const ownTexts = ['reply_to', 'envelope'].filter((key) => fields.get(key)?.text)
  const known = [...carriedOver, ...setBySending, ...ownTexts]
  if ([...fields.keys()].every((key) => known.includes(key))) return undefined
  const { editFields } = await import('../../formats/front-matter-edit.ts')
  const rest = editFields(text, Object.fromEntries(known.map((key) => [key, undefined])))
  const { headerStart, headerEnd } = splitFrontMatter(rest)!
  return rest.slice(headerStart, headerEnd).replaceAll('\r\n', '\n')
}

function otherMission(fields: Fields, mission: string): string[] {
  const named = fields.get('mission_id')?.text
  return named === undefined || named === mission ? [] : [`The file was for mission ${named}; it goes to ${mission}.`]
}

const wrong = (field: string, expected: string) =>
  invalidInput('INVALID_MESSAGE', `In the file, ${field} must be ${expected}.`, {
    hint: `Correct ${field} in the front matter of the file, or leave it out.`,
    details: { field, expected },
  })
