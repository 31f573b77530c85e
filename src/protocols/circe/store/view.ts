/** A message as callers see it. */
import { isoTime } from '../../../kernel/clock.ts'
import type { Headline } from '../../../kernel/envelope.ts'
import { bodyOf } from '../format.ts'
import type { CirceState } from '../lifecycle.ts'
import type { CirceView, CirceViewWithBody } from './outcomes.ts'
import type { Listed, PlacedMessage } from './places.ts'

type Viewed = Pick<Listed, 'message' | 'name' | 'path'> & { readonly place: CirceState }

export const headlineOf = ({ message, name, place, path }: Viewed): Headline & { readonly state: CirceState } => ({
  protocol: 'circe',
  id: idOf(name),
  from: message.from,
  to: message.to,
  state: place,
  path,
  summary: message.summary,
  createdAt: isoTime(message.time),
})

/** The name of the file without its ending. */
export const idOf = (name: string): string => name.replace(/\.md$/, '')

export const viewOfFound = (found: Viewed & Pick<Listed, 'problems'>): CirceView => ({
  ...headlineOf(found),
  file: found.name,
  intent: found.message.intent,
  task: found.message.task,
  status: found.message.status,
  headers: found.message.further,
  notices: found.problems.map(({ message: sentence }) => sentence),
})

export const viewWithBody = (found: PlacedMessage): CirceViewWithBody => ({
  ...viewOfFound(found),
  body: bodyOf(found.message),
})
