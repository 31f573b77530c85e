/**
 * One queue in a process of its own, the same for all of them.
 *
 *   peer work KIND PACKAGES PLACE     answers lines:
 *     awaited COUNT                   sends one after the other; µs a message
 *     flight COUNT                    sends with many under way; µs a message
 *     handle COUNT WORKERS            from the first message handed out to the last; µs a message
 *     one                             sends one; the time at which it began
 *   peer wait KIND PACKAGES PLACE     says the time of every message handed to it
 */
import { bodyFor } from '../acmq/message.ts'
import { inFlight } from '../durable/in-flight.ts'
import { answerLines } from '../resident.ts'
import { openSharedClock } from '../shared-clock.ts'
import { microsecondsEach } from '../steps/contender.ts'
import { type QueueKind, queues } from './queues/index.ts'
import { queueName } from './queues/queue.ts'

const [role, kind, packages = '', place = ''] = process.argv.slice(2)
const clock = await openSharedClock()
const queue = await queues[kind as QueueKind]({ packages, place })
const body = bodyFor(queueName)

async function sendMany(count: number, atOnce: number): Promise<number> {
  const since = performance.now()
  let next = 0
  const sender = async () => {
    while (next++ < count) await queue.send(body)
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return microsecondsEach(since, count)
}

async function handle(count: number, workers: number): Promise<number> {
  let handled = 0
  let first = 0
  let last = 0
  await queue.handle(count, workers, (got) => {
    if (got.length !== body.length) throw new Error(`a message of ${got.length} characters instead of ${body.length}`)
    last = performance.now()
    if (handled++ === 0) first = last
  })
  if (handled !== count) throw new Error(`${handled} messages were handed out instead of ${count}`)
  return ((last - first) * 1000) / (count - 1)
}

async function sendOne(): Promise<number> {
  const since = clock()
  await queue.send(body)
  return since
}

if (role === 'wait') {
  process.stdin.on('end', () => process.exit(0)).resume()
  const waiting = queue.wait!(() => process.stdout.write(`${clock()}\n`))
  process.stdout.write('ready\n')
  await waiting
} else {
  process.stdout.write('ready\n')
  await answerLines(async (line) => {
    const [verb, count, workers] = line.split(' ')
    if (verb === 'one') return `${await sendOne()}`
    if (verb === 'handle') return `${await handle(Number(count), Number(workers))}`
    return `${await sendMany(Number(count), verb === 'flight' ? inFlight : 1)}`
  })
  process.exit(0) // Connections stay open otherwise.
}
