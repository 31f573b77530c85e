/** Renames in the folder of a descriptor, in a thread; tells how many answers were wrong. */
import { parentPort, workerData } from 'node:worker_threads'
import { FilePlace } from '../../src/engines/file-system/disk.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'

const { renameNew } = loadNative()!
const place = (name: string) => new FilePlace({ fd: workerData as number, prefix: '/nowhere/' }, name)
let wrong = 0
for (let i = 0; i < 2000; i++) {
  if (renameNew!(place(`none-${i}`), place(`new-${i}`)) !== 'gone') wrong++
  if (renameNew!(place('folder'), place('there')) !== 'taken') wrong++
}
parentPort!.postMessage(wrong)
