/**
 * Claims a message and stops itself (SIGSTOP) before change number `stopAt` of completing it; says `stopping` just before,
 * and how many changes there were when it comes to the end. `stopped-completer ROOT ID STOP_AT`
 */
import fs from 'node:fs'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { isChange, steppingDisk } from '../support/stepping-disk.ts'

const [root = '', id = '', stopAt = '0'] = process.argv.slice(2)
let changes = 0
let counting = false
const disk = steppingDisk(realDisk(), (step, values, call) => {
  if (counting && isChange(step, values) && ++changes === Number(stopAt)) {
    // At once, not when the stream gets to it: a stopped process writes nothing any more.
    fs.writeSync(1, 'stopping\n')
    process.kill(process.pid, 'SIGSTOP')
  }
  return call()
})
const tree = await openFileTree({ root, disk })
const mission = await (await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })).open('alpha')
await mission.claims.next({ agent: 'gemini', id })
counting = true
await mission.settling.complete(id, { agent: 'gemini', attempt: 1 }, { text: 'A result of some length' })
counting = false
console.log(`done ${changes}`)
await tree.close()
