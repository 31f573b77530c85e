/** Says one thing and kills itself before change number `killAt`; 0 goes to the end. `session ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { sessionsOn } from '../support/session.ts'
import { killingDisk } from '../support/stepping-disk.ts'
import { verbs } from './session-verbs.ts'

const [root = '', verb = '', killAt = '0'] = process.argv.slice(2)
const { disk, start, stop } = killingDisk(realDisk(), Number(killAt))
const tree = await openFileTree({ root, disk })
start()
await verbs[verb]!.act(sessionsOn(tree))
stop()
await tree.close()
