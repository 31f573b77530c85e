/** Sending a message under an id that others may use too: a sender that repeats itself, several that act on one event. AC-MQ §8.3. */
import { corrupt } from '../../../kernel/errors.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import { fileNameOf } from '../layout.ts'
import { deliveryNotes } from './delivery-notes.ts'
import { enterQueue, idLengths } from './moving.ts'
import type { MissionFiles } from './parts.ts'
import { labelOf } from './waiting/waiting.ts'

/** What is published is answered by the name it has in the queue. */
export const sendingOnce = (files: MissionFiles): SendingOnce<string> =>
  new SendingOnce<string>(files.tree, {
    notes: deliveryNotes(files.place.address, 'sent'),
    staged: deliveryNotes(files.place.address, 'staged'),
    ending: '.md',
    publish: (staged) => publish(files, staged),
    keyOf: async (staged) => {
      const leaf = await files.readWhole(staged)
      return leaf && files.recordOf(leaf.bytes, nameOf(staged))?.id
    },
  })

async function publish(files: MissionFiles, staged: TreePath): Promise<string | undefined> {
  const { tree } = files
  const leaf = await tree.read(staged)
  if (!leaf) return undefined
  const { record } = files.expect(leaf.bytes, nameOf(staged)).message
  for (const length of idLengths) {
    const name = fileNameOf(record, length)
    // The name must also be free in the queues that the message has yet to go through.
    if (await isInUse(files, name)) continue
    const moved = await enterQueue(files, staged, name, { label: () => labelOf(record) })
    if (moved.outcome === 'moved') return name
    if (moved.outcome === 'gone') return undefined
  }
  // Another process may have moved this very message a moment ago.
  if (!(await tree.look(staged))) return undefined
  throw corrupt('NAME_TAKEN', `Every file name for message ${record.id} is taken in ${files.queues.pending}.`, {
    hint: 'Move the files with that name out of the way, then send it again.',
  })
}

async function isInUse(files: MissionFiles, name: string): Promise<boolean> {
  for (const queue of ['processing', 'completed', 'failed'] as const) {
    if (await files.tree.look(files.at(queue, name))) return true
  }
  return false
}
