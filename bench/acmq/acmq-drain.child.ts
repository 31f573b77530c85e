/**
 * Empties missions, while other processes do the same.
 *
 *   open MISSION              opens it and reads what waits there; answers `ready`
 *   library                   claims and completes until nothing is left; answers the ids it was handed, as JSON
 *   bare PART PARTS           moves every PARTS-th message by bare calls; answers how many
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import { answerLines } from '../resident.ts'
import { moveBare } from '../steps/bare.ts'
import { completed, processing } from '../steps/message.ts'
import { worker } from './message.ts'
import { openBox, queueFolder } from './queue.ts'

const root = process.argv[2]!
const { acmq, close } = await openBox(root)
const move = await moveBare()
let name = ''
let mission: Mission
let waiting: string[] = []

async function open(which: string): Promise<string> {
  name = which
  mission = await await acmq.open(which)
  await mission.claims.next({ agent: 'somebody-else' })
  waiting = readdirSync(queueFolder(root, name, 'pending'))
  return 'ready'
}

async function drain(): Promise<string> {
  const ids: string[] = []
  for (;;) {
    const claimed = await mission.claims.next({ agent: worker })
    if (claimed.outcome === 'nothing') return JSON.stringify(ids)
    const { message } = claimed
    ids.push(message.id)
    await mission.settling.complete(message, { agent: worker, attempt: message.attempt })
  }
}

function drainBare(part: number, parts: number): string {
  const [from, through, to] = (['pending', 'processing', 'completed'] as const).map((queue) =>
    queueFolder(root, name, queue),
  )
  const mine = waiting.filter((_, i) => i % parts === part)
  for (const file of mine) {
    move(join(from!, file), join(through!, file), processing)
    move(join(through!, file), join(to!, file), completed)
  }
  return `${mine.length}`
}

await answerLines(async (line) => {
  const [verb, ...words] = line.split(' ')
  if (verb === 'open') return open(words[0]!)
  return verb === 'library' ? drain() : drainBare(Number(words[0]), Number(words[1]))
})
await close()
