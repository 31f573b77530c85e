/** Sends to mailbox 1 as fast as it can: `dream-sender ROOT JOURNAL FROM COUNT`. What was acknowledged is in the journal. */
import fs from 'node:fs'
import { openDreamFiles } from '../support/dream-files.ts'

const [root = '', journalPath = '', from = '', count = '0'] = process.argv.slice(2)
const journal = fs.openSync(journalPath, 'a')
const { dream, close } = await openDreamFiles(root)
for (let i = 0; i < Number(count); i++) {
  const { message } = await dream.messages.send({ mailbox: 1, from, command: 'count', params: { n: i } })
  fs.writeSync(journal, `${message.message_id}\n`)
  if (i % 5 === 4) console.log('5')
}
await close()
