/** Does one thing with a mission's memory and kills itself before change number `killAt`. `memory-crash ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { killingDisk } from '../support/stepping-disk.ts'
import { memoryVerbs, missionOn } from './memory-verbs.ts'

const [root = '', verb = '', killAt = '0'] = process.argv.slice(2)
const { disk, start, stop } = killingDisk(realDisk(), Number(killAt))
const tree = await openFileTree({ root, disk })
const mission = await missionOn(tree)
start()
await memoryVerbs[verb]!.act(mission)
stop()
await tree.close()
