/** Does one thing and kills itself before change number `killAt`; 0 goes to the end. `mr ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { mrOn } from '../support/message-routing.ts'
import { killingDisk } from '../support/stepping-disk.ts'
import { settings, verbs } from './mr-verbs.ts'

const [root = '', verb = '', killAt = '0'] = process.argv.slice(2)
const { disk, start, stop } = killingDisk(realDisk(), Number(killAt))
const { mr, close } = mrOn(await openFileTree({ root, disk }), { settings })
start()
await verbs[verb]!.act(mr)
stop()
await close()
