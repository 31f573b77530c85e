/**
 * Sends as one agent to another, as fast as it can, and says so: `mr-sender PLACE JOURNAL FROM TO COUNT`. Each number
 * that was acknowledged is in the journal before it says it. The place is a directory, or the address of a cluster.
 */
import fs from 'node:fs'
import { heartbeat, openMr } from '../support/message-routing.ts'

const [place = '', journalPath = '', from = '', to = '', count = '0'] = process.argv.slice(2)
const journal = fs.openSync(journalPath, 'a')
// Nothing that was evicted may be pruned: the checker counts it.
const { mr, close } = await openMr(place, { settings: { keepBytes: 1e12 } })
for (let i = 0; i < Number(count); i++) {
  const { message, depth } = await mr.sending.send(heartbeat(to, { from }))
  fs.writeSync(journal, `${message.sequence} ${depth}\n`)
  if (i % 10 === 9) console.log('10')
}
await close()
