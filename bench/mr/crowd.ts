/** Twenty agents in as many processes, all at once. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addSamples, agents, emptySamples, fullInbox, payload, type Samples } from './workload.ts'

export interface CrowdOptions {
  readonly root: string
  readonly bare: string
  readonly steps: number
  readonly pauseMs: number
  /** Starts one agent and gives what it printed. */
  readonly start: (args: readonly string[]) => Promise<string>
}

export async function runCrowd({ root, bare, steps, pauseMs, start }: CrowdOptions): Promise<Samples> {
  for (const folder of [join(root, 'state/agents', fullInbox.agent), join(bare, fullInbox.agent)]) fill(folder)
  const numbers = Array.from({ length: agents }, (_, n) => n)
  const everybody = Promise.all(numbers.map((n) => start([root, bare, String(n), String(steps), String(pauseMs)])))
  const areReady = () => numbers.every((n) => existsSync(join(bare, `ready-${n}`)))
  // An agent that ends before all are ready has failed; its error ends this loop.
  while (!areReady()) await Promise.race([everybody, new Promise((resolve) => setTimeout(resolve, 5))])
  writeFileSync(join(bare, 'go'), '')
  const sum = emptySamples()
  for (const printed of await everybody) addSamples(sum, JSON.parse(printed) as Samples)
  return sum
}

/** As any program would write them. */
function fill(folder: string): void {
  mkdirSync(join(folder, 'inbox'), { recursive: true })
  for (let n = 0; n < fullInbox.messages; n++) {
    const msg_id = `msg_${n.toString(16).padStart(8, '0')}`
    const timestamp = new Date(Date.UTC(2026, 0, 1) + ((n * 37) % 100) * 1000).toISOString()
    const header = { version: '1.0.0', msg_id, from: 'stranger', to: fullInbox.agent, timestamp, sequence: n + 1 }
    const message = { ...header, type: 'task-delegation', payload }
    writeFileSync(join(folder, 'inbox', `${msg_id}.json`), JSON.stringify(message, undefined, 2))
  }
}
