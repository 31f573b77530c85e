/** The message that an id means, for verbs that need it in a queue. */
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import type { Finder, Found } from './finder.ts'

/** The one message in the queues. One that rests in the archive is there, but nothing can be done with it any more. */
export async function findUnlessArchived(finder: Finder, id: string, verb: string): Promise<Found> {
  try {
    return await finder.findOne(id)
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.kind !== 'NotFound') throw error
    const [archived] = await finder.archived(id)
    throw archived ? isArchived(archived.id, archived.status, verb) : error
  }
}

const isArchived = (id: string, status: string, verb: string) =>
  conflict('WRONG_STATE', `Message ${id} is archived, as ${status}; there is nothing to ${verb}.`, {
    hint: 'Read it with acmq show MISSION ID, and send a new message if it is to be done again.',
    details: { id, queue: 'archived', status },
  })
