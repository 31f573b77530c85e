/** Does one thing with a mission and kills itself before change number `killAt`; 0 goes to the end. `acmq ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { isChange, steppingDisk } from '../support/stepping-disk.ts'
import { farFuture, verbs } from './acmq-verbs.ts'

const [root = '', verb = '', killAtText = '0'] = process.argv.slice(2)
const killAt = Number(killAtText)
let changes = 0
let counting = false
const disk = steppingDisk(realDisk(), (step, values, call) => {
  if (counting && isChange(step, values) && ++changes === killAt) process.kill(process.pid, 'SIGKILL')
  return call()
})
const tree = await openFileTree({ root, disk })
const missions = acmq.open({ tree, clock: farFuture, settings: acmq.defaults })
const mission = await missions.open('alpha')
counting = true
await verbs[verb]!.act(mission)
counting = false
console.log(changes)
if (killAt > changes) process.kill(process.pid, 'SIGKILL')
await tree.close()
