/** Does one thing and kills itself before change number `killAt`; 0 goes to the end. `mr ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { mrOn } from '../support/message-routing.ts'
import { isChange, steppingDisk } from '../support/stepping-disk.ts'
import { settings, verbs } from './mr-verbs.ts'

const [root = '', verb = '', killAtText = '0'] = process.argv.slice(2)
const killAt = Number(killAtText)
let changes = 0
let counting = false
const disk = steppingDisk(realDisk(), (step, values, call) => {
  if (counting && isChange(step, values) && ++changes === killAt) process.kill(process.pid, 'SIGKILL')
  return call()
})
const { mr, close } = mrOn(await openFileTree({ root, disk }), { settings })
counting = true
await verbs[verb]!.act(mr)
counting = false
console.log(changes)
if (killAt > changes) process.kill(process.pid, 'SIGKILL')
await close()
