/** Waits for one signal after the other, by the library. Prints the condition and the time at which each wait ended. */
import { openWorkspace } from '../../src/index.ts'
import { openSharedClock } from '../shared-clock.ts'

const [root = ''] = process.argv.slice(2)
const clock = await openSharedClock()
const { sessions } = await openWorkspace({ root })
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write('ready\n')

for (let n = 0; ; n++) {
  const { answer } = await sessions.say(`#WAIT:c${n}:600`, { session: 'bench', agent: 'Waiter' })
  if (answer === 'ready') process.stdout.write(`c${n} ${clock()}\n`)
}
