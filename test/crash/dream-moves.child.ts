/** Does one thing and kills itself before change number `killAt`; 0 goes to the end. `dream-moves ROOT VERB KILL_AT` */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Dream } from '../../src/protocols/dream-os/store/dream.ts'
import { dreamOn } from '../support/dream.ts'
import { killingDisk } from '../support/stepping-disk.ts'

const acts: Readonly<Record<string, (dream: Dream) => Promise<unknown>>> = {
  take: (dream) => dream.claiming.take('Bob'),
  route: (dream) => dream.router.route('S'),
  fetch: (dream) => dream.prompts.fetch({ dispatch: true }),
  show: (dream) => dream.prompts.fetch({ untilHandedOut: true }),
}

const [root = '', verb = '', killAt = '0'] = process.argv.slice(2)
const { disk, start, stop } = killingDisk(realDisk(), Number(killAt))
const dream = dreamOn(await openFileTree({ root, disk }), systemClock, { packAfter: 0 })
start()
await acts[verb]!(dream)
stop()
