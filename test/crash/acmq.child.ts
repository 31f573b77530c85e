/** Does one thing with a mission and kills itself before change number `killAt`; 0 goes to the end. `acmq ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { killingDisk } from '../support/stepping-disk.ts'
import { farFuture, verbs } from './acmq-verbs.ts'

const [root = '', verb = '', killAt = '0'] = process.argv.slice(2)
const { disk, start, stop } = killingDisk(realDisk(), Number(killAt))
// The time of the files is the one that counts; the others run by the real one.
const tree = await openFileTree({ root, disk, clock: verb === 'supervise' ? farFuture : undefined })
const missions = await acmq.open({ tree, clock: farFuture, settings: acmq.defaults })
const mission = await missions.open('alpha')
start()
await verbs[verb]!.act(mission)
stop()
await tree.close()
