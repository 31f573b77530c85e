/**
 * A process that stays. It does what it is told, line by line, and says how much it still holds once everything that can
 * be collected is gone.
 */
import { createInterface } from 'node:readline'
import v8 from 'node:v8'
import vm from 'node:vm'
import { openWorkspace } from '../../src/index.ts'

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

const workspace = await openWorkspace({ root: process.argv[2] ?? '', environment: {} })
const { mr } = workspace
const mission = await workspace.acmq.open('m')
const body = 'x'.repeat(200)

const times = async (count: number, step: () => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await step()
}

const verbs: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
  send: (count) => times(count, () => mission.sending.send({ from: 'boss', to: 'worker', body })),
  'send by id': (count) =>
    times(count, () => mission.sending.send({ from: 'boss', to: 'worker', body, id: crypto.randomUUID() })),
  sweep: async () => (await mission.upkeep()).supervise(),
  archive: async () => (await mission.upkeep()).archive({ olderThanMs: 0 }),
  'claim in vain': () => mission.claims.next({ agent: 'somebody-else' }),
  route: (count) =>
    times(count, () =>
      mr.sending.send({ from: 'lead', to: 'coder', type: 'task-delegation', payload: { task: body } }),
    ),
  receive: () => mr.claiming.receive('coder'),
  async heap() {
    // Buffers are given back beside the collector, a while after it; on a busy machine that takes more than one pause.
    let least = Number.POSITIVE_INFINITY
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      collect()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      least = Math.min(least, heapUsed + arrayBuffers)
    }
    return least
  },
}

console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const [, verb = '', count = '0'] = /^([a-z ]+?) ?(\d*)$/.exec(line) ?? []
  const answer = await verbs[verb]!(Number(count))
  console.log(typeof answer === 'number' ? answer : 'done')
}
