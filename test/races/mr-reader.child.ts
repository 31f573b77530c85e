/**
 * Receives for one agent until it is told to stop, and notes what it was handed: `mr-reader ROOT JOURNAL AGENT`. A
 * message is in the journal only after it was handed out.
 */
import fs from 'node:fs'
import { openMr } from '../support/message-routing.ts'

const [root = '', journalPath = '', agent = ''] = process.argv.slice(2)
const journal = fs.openSync(journalPath, 'a')
const { mr, close } = await openMr(root, { settings: { inboxLimit: 1e9, keepBytes: 1e12 } })
const stop = new AbortController()
process.stdin.on('data', () => stop.abort())
console.log('ready')
while (!stop.signal.aborted) {
  const { messages } = await mr.claiming.receive(agent, { limit: 5, waitMs: 60_000, signal: stop.signal })
  for (const { id } of messages) fs.writeSync(journal, `${id}\n`)
  if (messages.length > 0) console.log(messages.length)
}
await close()
process.exit(0)
