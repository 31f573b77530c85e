/** A worker that waits for messages through the library. Prints the id and time of each one it gets. */
import { openSharedClock } from '../shared-clock.ts'
import { worker } from './message.ts'
import { openBox } from './queue.ts'

const [root = '', name = ''] = process.argv.slice(2)
const clock = await openSharedClock()
const { acmq } = await openBox(root)
const mission = await await acmq.open(name)
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write('ready\n')

for (;;) {
  const claimed = await mission.claims.next({ agent: worker, waitMs: 60_000 })
  if (claimed.outcome === 'nothing') continue
  process.stdout.write(`${claimed.message.id} ${clock()}\n`)
  await mission.settling.complete(claimed.message, { agent: worker, attempt: claimed.message.attempt })
}
