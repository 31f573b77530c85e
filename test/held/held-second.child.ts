/** The second actor on files: a thread that plays a story while the first is paused, and says when it waits for the first. */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { OutsideFiles } from './outside.ts'
import { play, timeOf } from './play.ts'
import { protocols } from './protocols.ts'
import { type FromSecond, ring, type ToSecond } from './thread.ts'
import { diskOf } from './variants.ts'

const { bell, port } = workerData as { bell: Int32Array; port: MessagePort }

/** So many timers in a row mean that it waits: our code uses timers only while somebody else is in the way. */
const waitsMean = 3
let onWait = () => {}
const realTimeout = globalThis.setTimeout
globalThis.setTimeout = ((...values: Parameters<typeof setTimeout>) => {
  onWait()
  return realTimeout(...values)
}) as typeof setTimeout

function answer(report: FromSecond): void {
  port.postMessage(report)
  ring(bell)
}

async function perform({ protocol, world, story, root, variant, startedAt }: ToSecond): Promise<FromSecond> {
  const clock = timeOf('second', startedAt)
  const outside = new OutsideFiles(root)
  try {
    const tree = await openFileTree({ root, clock, disk: diskOf(variant) })
    const { answers } = await play(protocols[protocol], world, story, { tree, clock, who: 'second', outside })
    await tree.close()
    return { waits: false, answers, files: await outside.files() }
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { waits: false, answers: [], files: [], problem }
  }
}

for (;;) {
  const seen = Atomics.load(bell, 0)
  const received = receiveMessageOnPort(port)
  if (received) {
    let waits = 0
    onWait = () => {
      // Say so once. The first goes on then, and reads our answer after it has ended.
      if (++waits === waitsMean) answer({ waits: true, answers: [], files: [] })
    }
    const report = await perform(received.message as ToSecond)
    onWait = () => {}
    answer(report)
  } else Atomics.wait(bell, 0, seen)
}
