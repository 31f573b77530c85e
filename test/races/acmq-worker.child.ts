/**
 * An agent that drains a mission: claims, looks for itself whether everything the message depends on lies in
 * `completed/`, and completes it. `acmq-worker ROOT JOURNAL AGENT NAMES`; it ends when it is told `stop`.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'

const [root = '', journalPath = '', agent = 'gemini', namesPath = ''] = process.argv.slice(2)
const journal = fs.openSync(journalPath, 'a')
const note = (line: string) => fs.writeSync(journal, `${line}\n`)
const names = new Map(JSON.parse(fs.readFileSync(namesPath, 'utf8')) as [string, string][])
const completed = join(root, 'llm/missions/alpha/queue/completed')
const tree = await openFileTree({ root })
const mission = await (await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })).open('alpha')

let stopping = false
process.stdin.on('data', () => {
  stopping = true
})

let done = 0
while (!stopping) {
  const claimed = await mission.claims.next({ agent, waitMs: 200 })
  if (claimed.outcome === 'nothing') {
    console.log('0')
    continue
  }
  const { message } = claimed
  for (const dependency of message.dependencies) {
    if (!fs.existsSync(join(completed, names.get(dependency.slice(4))!))) note(`early ${message.id}`)
  }
  try {
    await mission.settling.complete(
      message,
      { agent, attempt: message.attempt },
      done % 3 === 0 ? { text: `done by ${process.pid}` } : {},
    )
    note(`completed ${message.id}`)
  } catch (error) {
    if ((error as { code?: string }).code !== 'LOST_CLAIM') throw error
    note(`lost ${message.id}`)
  }
  if (++done % 10 === 0) {
    console.log('10')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
await tree.close()
process.exit(0)
