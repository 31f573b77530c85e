/** A waiting worker that does as little as possible: on an event of the system it lists the folder and moves what is there. */
import fs from 'node:fs'
import { join } from 'node:path'
import { openSharedClock } from '../shared-clock.ts'

const [pending = '', processing = ''] = process.argv.slice(2)
const clock = await openSharedClock()
process.stdin.on('end', () => process.exit(0)).resume()

fs.watch(pending, () => {
  for (const name of fs.readdirSync(pending)) {
    fs.renameSync(join(pending, name), join(processing, name))
    process.stdout.write(`${name} ${clock()}\n`)
  }
})
process.stdout.write('ready\n')
