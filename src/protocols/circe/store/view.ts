/** From a message to what callers see of it. */
import { isoTime } from '../../../kernel/clock.ts'
import { bodyOf, summaryOf } from '../format.ts'
import type { Place } from '../lifecycle.ts'
import { type CirceMessage, knownHeaders } from '../schema.ts'
import type { CirceView, CirceViewWithBody } from './outcomes.ts'
import type { Found } from './places.ts'

export function viewOf(
  message: CirceMessage,
  name: string,
  state: Place,
  path: string,
  problems: readonly { readonly message: string }[] = [],
): CirceView {
  return {
    protocol: 'circe',
    id: idOf(name),
    from: message.from,
    to: message.to,
    state,
    path,
    summary: summaryOf(message),
    createdAt: isoTime(message.time),
    file: name,
    intent: message.intent,
    task: message.task,
    status: message.status,
    headers: furtherHeaders(message),
    notices: problems.map(({ message: sentence }) => sentence),
  }
}

/** The name of the file without its ending. */
export const idOf = (name: string): string => name.replace(/\.md$/, '')

export const viewOfFound = ({ message, name, place, path, problems }: Found): CirceView =>
  viewOf(message, name, place, path, problems)

export const viewWithBody = (found: Found): CirceViewWithBody => ({
  ...viewOfFound(found),
  body: bodyOf(found.message),
})

const isKnown = (key: string): boolean => knownHeaders.some((name) => name === key.toLowerCase())

/** A plain object without a prototype's keys: a header may be called anything. */
const furtherHeaders = ({ headers }: CirceMessage): Record<string, string> =>
  Object.fromEntries([...headers].filter(([key]) => !isKnown(key) && key !== '__proto__'))
