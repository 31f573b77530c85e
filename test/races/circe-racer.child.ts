/** Does what it is told, one line of JSON a verb (`claiming.claim`), and answers with its outcome: `circe-racer ROOT`. */
import { createInterface } from 'node:readline'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { circe } from '../../src/protocols/circe/index.ts'

const [root = ''] = process.argv.slice(2)
const tree = await openFileTree({ root })
const store = await circe.open({ tree, clock: systemClock, settings: circe.defaults })
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...args] = JSON.parse(line) as [string, ...unknown[]]
  try {
    const [part, name] = verb.split('.') as [string, string]
    const parts = store as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>
    const answer = await parts[part]![name]!(...args)
    const { outcome, message } = answer as { outcome: string; message?: { file: string } }
    console.log(JSON.stringify({ outcome, file: message?.file }))
  } catch (error) {
    console.log(JSON.stringify({ outcome: 'error', code: (error as { code?: string }).code ?? String(error) }))
  }
}
await tree.close()
