/**
 * A message on its way from queue to queue. Two messages of one second whose ids begin alike have one file name. Sending
 * keeps them apart while both wait; but the first may have moved on by then, and the second finds its name taken further
 * along. It then goes on under a longer one: at twenty thousand messages a second that happens every few seconds.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Moved, MoveOptions } from '../../../tree/tree.ts'
import { fileNameOf } from '../layout.ts'
import type { AcmqRecord, QueueName } from '../schema.ts'
import type { MissionFiles } from './parts.ts'

/** How much of the id stands in a file name: more, the more others have the name already. */
export const idLengths = [8, 13, 18, 23, 64] as const

export interface Travelled {
  /** `taken`: the very same message is there already, so that it is in two queues. */
  readonly moved: Moved
  /** Where it is now, if it moved. */
  readonly path: TreePath
}

export interface Way {
  readonly name: string
  readonly from: QueueName
  readonly to: QueueName
}

/** Moves a message under its name, or under a longer one where another message has that. */
export async function moveMessage(files: MissionFiles, way: Way, options: MoveOptions): Promise<Travelled> {
  const path = files.at(way.to, way.name)
  const moved = await files.tree.move(files.at(way.from, way.name), path, options)
  return moved.outcome === 'taken' ? giveWay(files, way, options) : { moved, path }
}

async function giveWay(files: MissionFiles, { name, from, to }: Way, options: MoveOptions): Promise<Travelled> {
  const [mine, theirs] = [await recordIn(files, from, name), await recordIn(files, to, name)]
  if (!mine) return { moved: { outcome: 'gone' }, path: files.at(to, name) }
  for (const length of mine.id === theirs?.id ? [] : idLengths) {
    const longer = fileNameOf(mine, length)
    if (longer === name) continue
    const path = files.at(to, longer)
    const moved = await files.tree.move(files.at(from, name), path, options)
    if (moved.outcome !== 'taken') return { moved, path }
  }
  return { moved: { outcome: 'taken' }, path: files.at(to, name) }
}

/** What the file of this name in a queue says; `undefined` when there is none, or none that can be read. */
export async function recordIn(files: MissionFiles, queue: QueueName, name: string): Promise<AcmqRecord | undefined> {
  try {
    return (await files.readHeader(queue, name))?.message.record
  } catch (error) {
    // Whatever it is, it is no message.
    if (error instanceof SignalboxError && error.kind === 'Corrupt') return undefined
    throw error
  }
}
