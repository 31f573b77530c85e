/** An agent that waits for messages by the verbs for every agent. Prints the handle and time of each one it gets. */
import { openWorkspace } from '../../src/index.ts'
import { openSharedClock } from '../shared-clock.ts'
import { worker } from './verbs.ts'

const [root = ''] = process.argv.slice(2)
const clock = await openSharedClock()
const workspace = await openWorkspace({ root, environment: {} })
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write('ready\n')

for (;;) {
  const taken = await workspace.take(worker, { waitMs: 60_000 })
  if (!taken) continue
  process.stdout.write(`${taken.message.handle} ${clock()}\n`)
  await workspace.done(taken.receipt)
}
