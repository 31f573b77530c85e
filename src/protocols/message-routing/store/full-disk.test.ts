/** A disk that is full from some step of receiving on: what is not handed out is in the inbox. */
import { describe, expect, it } from 'vitest'
import { AgentFolder, command, foreignMessage, mrOn, openMr } from '../../../../test/support/message-routing.ts'
import { isCreating, steppingDisk } from '../../../../test/support/stepping-disk.ts'
import { tempDir } from '../../../../test/support/temp.ts'
import { realDisk } from '../../../engines/file-system/disk.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { loadNative } from '../../../engines/file-system/native.ts'
import { treePath } from '../../../kernel/tree-path.ts'

/** Names alone need no space as long as there is room in their folders: renames, links and removals go on. */
const needsSpace = ['write', 'makeDirectory']

/** A disk on which the first `left` steps that need space find some. */
function fillingDisk(left: number) {
  const room = { left }
  const disk = steppingDisk(realDisk(), (step, values, call) => {
    if ((needsSpace.includes(step) || isCreating(step, values)) && --room.left < 0) {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }
    return call()
  })
  return { disk, room }
}

/** Three messages, one of them an acknowledgement that is awaited, and a file that is none. */
async function prepared() {
  const root = tempDir()
  const { mr, close } = await openMr(root)
  const { message } = await mr.sending.send(command('tester-1', { from: 'coder-1', requiresAck: true }))
  for (let i = 0; i < 2; i++) await mr.sending.send(command('coder-1'))
  await mr.claiming.receive('tester-1')
  await mr.settling.ack('tester-1', message.id)
  await close()
  const coder = new AgentFolder(root, 'coder-1')
  coder.put('msg_0000000d.json', foreignMessage('msg_0000000d', { priority: 11 }))
  return { root, coder, waiting: coder.names('inbox').filter((name) => name !== 'msg_0000000d.json') }
}

describe('receiving on a disk that gets full', () => {
  it('[MR-13] hands out what it takes, and leaves the rest in the inbox', async () => {
    const [outcomes, most] = [new Set<string>(), 60]
    for (let step = 0; step < most; step++) {
      const { root, coder, waiting } = await prepared()
      const { disk, room } = fillingDisk(Number.POSITIVE_INFINITY)
      const tree = await openFileTree({ root, disk })
      const { mr } = mrOn(tree)
      room.left = step
      const received = await mr.claiming.receive('coder-1').catch((error: { code: string }) => error)
      const isFull = room.left < 0
      room.left = Number.POSITIVE_INFINITY
      const handed = 'messages' in received ? received.messages.map(({ id }) => `${id}.json`) : []
      outcomes.add('messages' in received ? 'received' : received.code)
      // Under a private name it is still there for everybody who lists the folder.
      const inbox = (await tree.list(treePath('state/agents/coder-1/inbox'))).map(({ name }) => name)
      expect([...handed, ...inbox].filter((name) => name !== 'msg_0000000d.json').sort()).toEqual(waiting)
      expect([...inbox, ...coder.names('rejected')].filter((name) => name === 'msg_0000000d.json')).toHaveLength(1)
      // With space again, the same command gives the rest.
      const rest = (await mr.claiming.receive('coder-1')).messages.map(({ id }) => `${id}.json`)
      expect([...handed, ...rest].sort()).toEqual(waiting)
      await tree.close()
      if (!isFull) break
      expect(step).toBeLessThan(most - 1)
    }
    expect([...outcomes].sort()).toEqual(['DISK_FULL', 'received'])
  })
})

describe('putting back', () => {
  it.skipIf(loadNative() === undefined)(
    '[MR-13] what did not reach its reader works on a full disk too, and only once',
    async () => {
      const { root, coder, waiting } = await prepared()
      const { disk, room } = fillingDisk(Number.POSITIVE_INFINITY)
      const tree = await openFileTree({ root, disk })
      const { mr } = mrOn(tree)
      const { messages } = await mr.claiming.receive('coder-1')
      room.left = 0
      expect(await mr.recovering.putBack('coder-1', messages)).toEqual([])
      expect(coder.names('inbox')).toEqual(waiting)
      expect(await mr.recovering.putBack('coder-1', messages)).toEqual(messages.map(({ path }) => path))
      room.left = Number.POSITIVE_INFINITY
      expect((await mr.claiming.receive('coder-1')).messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
      await tree.close()
    },
  )
})
