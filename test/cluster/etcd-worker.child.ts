/**
 * An agent on a cluster: claims and completes until it is told `stop`. `etcd-worker ADDRESS JOURNAL AGENT`; it prints how
 * many it has completed whenever that is ten more, and journals every claim and completion with what it was told.
 */
import fs from 'node:fs'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'

const [address = '', journalPath = '', agent = 'gemini'] = process.argv.slice(2)
const journal = fs.openSync(journalPath, 'a')
const note = (line: string) => fs.writeSync(journal, `${line}\n`)
const tree = await openEtcdTree({ address })
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
  note(`claimed ${message.id}`)
  const { outcome } = await mission.settling.complete(message, { agent, attempt: message.attempt })
  note(`${outcome} ${message.id}`)
  if (++done % 10 === 0) console.log('10')
}
console.log(`${done % 10}`)
await tree.close()
process.exit(0)
