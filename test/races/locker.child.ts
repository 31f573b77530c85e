/**
 * Takes one lock again and again, by asking or by waiting, and leaves marks while it holds it:
 * `locker ROOT MARKS OWNER COUNT TTL END`. A mark is a line of a file that a witness reads: `E owner fence` and `L owner fence`.
 * With the end `holding` or `waiting` it is killed, without a word, the last time that it does so.
 */
import fs from 'node:fs'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { NamedLocks } from '../../src/messaging/locks/named-locks.ts'
import { acquire, waitFor } from '../support/locks.ts'

const [root = '', marks = '', owner = '', count = '0', ttl = '1500', end = ''] = process.argv.slice(2)
const file = fs.openSync(marks, 'a')
const tree = await openFileTree({ root })
const locks = new NamedLocks(tree, 'race')
const killSelf = () => process.kill(process.pid, 'SIGKILL')
for (let n = 0; n < Number(count); n++) {
  const isLast = n === Number(count) - 1
  const priority = (n % 4) as 0 | 1 | 2 | 3
  const wish = { resource: 'one', owner, ttl: Number(ttl), priority }
  // It is in the line by then, unless nobody else wanted the lock.
  if (isLast && end === 'waiting') setTimeout(killSelf, 20)
  // Mostly waiting, since whoever only asks comes after all who wait.
  const held = n % 8 === 0 && !isLast ? await acquire(locks, wish) : await waitFor(locks, wish, { waitMs: 120_000 })
  if (held.outcome !== 'held') {
    if (n % 8 !== 0 || isLast) throw new Error(`${owner} was not served: ${held.owner} has it`)
    continue
  }
  fs.writeSync(file, `E ${owner} ${held.lease.fence}\n`)
  if (isLast && end === 'holding') killSelf()
  fs.writeSync(file, `L ${owner} ${held.lease.fence}\n`)
  await locks.release('one', owner)
}
await tree.close()
console.log('done')
