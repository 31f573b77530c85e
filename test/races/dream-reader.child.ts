/** Takes and finishes messages of mailbox 1 as Worker until it is told to stop: `dream-reader ROOT JOURNAL`. */
import fs from 'node:fs'
import { openDreamFiles } from '../support/dream-files.ts'

const [root = '', journalPath = ''] = process.argv.slice(2)
const journal = fs.openSync(journalPath, 'a')
const { dream, close } = await openDreamFiles(root)
let isStopped = false
process.stdin.on('data', () => {
  isStopped = true
})
for (;;) {
  // The calls of the engine are quick ones that never let the input in.
  await new Promise((resolve) => setImmediate(resolve))
  const given = await dream.messages.next(1, 'Worker')
  if (given.outcome === 'given') {
    fs.writeSync(journal, `given ${given.message.message_id} ${given.attempt}\n`)
    await dream.messages.done(1, 'Worker', given.message.message_id, { output: {} })
    fs.writeSync(journal, `done ${given.message.message_id}\n`)
  } else if (isStopped) break
}
await close()
process.exit(0)
