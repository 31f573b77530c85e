/** From a message to what callers see of it. */
import { isoTime } from '../../../kernel/clock.ts'
import { bodyOf } from '../format.ts'
import type { Place } from '../lifecycle.ts'
import type { Head } from '../schema.ts'
import type { CirceView, CirceViewWithBody } from './outcomes.ts'
import type { Found, Listed } from './places.ts'

export function viewOf(
  message: Head,
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
    summary: message.summary,
    createdAt: isoTime(message.time),
    file: name,
    intent: message.intent,
    task: message.task,
    status: message.status,
    headers: message.further,
    notices: problems.map(({ message: sentence }) => sentence),
  }
}

/** The name of the file without its ending. */
export const idOf = (name: string): string => name.replace(/\.md$/, '')

export const viewOfFound = ({ message, name, place, path, problems }: Listed): CirceView =>
  viewOf(message, name, place, path, problems)

export const viewWithBody = (found: Found): CirceViewWithBody => ({
  ...viewOfFound(found),
  body: bodyOf(found.message),
})
