/**
 * What processes that stay for months remember: no more than what is in the queues. Each does its part of thousands of
 * messages, which others send, work on and archive, and is asked twice what it holds. Files that lie in `completed/` until
 * somebody archives them are in the queues, and are remembered by a supervisor.
 */
import { expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { spawnChild } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const batch = 500
/** By then all is loaded, compiled and as large as it gets. */
const [first, last] = [3000 * scale, 5000 * scale]
/** Remembering a message takes some 300 bytes, which would be half as much again. */
const mostGrowth = 400_000 * scale

type Ask = (line: string) => Promise<unknown>

async function growthOf(step: (workspace: Workspace, ask: Ask, count: number) => Promise<void>): Promise<number> {
  const root = quickTempDir()
  const workspace = await openWorkspace({ root, makeRoot: true, environment: {} })
  await workspace.acmq.create('m')
  await workspace.mr.init('coder')
  const child = spawnChild('resident', [root])
  const answer = async () => (await child.nextLine()) ?? `it ended: ${child.stderr()}`
  expect(await answer()).toBe('ready')
  const ask = async (line: string) => {
    child.say(line)
    return answer()
  }
  const run = async (count: number) => {
    for (let done = 0; done < count; done += batch) await step(workspace, ask, batch)
    return Number(await ask('heap'))
  }
  const before = await run(first)
  const after = await run(last - first)
  child.kill()
  await child.exited
  await workspace.close()
  return after - before
}

async function sendAll({ acmq }: Workspace, count: number): Promise<void> {
  const mission = await await acmq.open('m')
  for (let n = 0; n < count; n++) await mission.send({ from: 'boss', to: 'worker', body: 'x'.repeat(200) })
}

async function workOffAll({ acmq }: Workspace): Promise<void> {
  const mission = await await acmq.open('m')
  for (;;) {
    const claimed = await mission.claim({ agent: 'worker' })
    if (claimed.outcome !== 'claimed') return
    await mission.complete(claimed.message, { agent: 'worker', attempt: claimed.message.attempt })
  }
}

const archiveAll = async ({ acmq }: Workspace) => (await await acmq.open('m')).archive({ olderThanMs: 0 })

const each: Readonly<Record<string, Parameters<typeof growthOf>[0]>> = {
  'a sender': async (workspace, ask, count) => {
    await ask(`send ${count}`)
    await workOffAll(workspace)
    await archiveAll(workspace)
  },
  'a sender that chooses ids': async (workspace, ask, count) => {
    await ask(`send by id ${count}`)
    await workOffAll(workspace)
    await archiveAll(workspace)
  },
  'a supervisor that archives': async (workspace, ask, count) => {
    await sendAll(workspace, count)
    await ask('sweep')
    await workOffAll(workspace)
    await ask('sweep')
    await ask('archive')
    await ask('sweep')
  },
  'a worker that waits beside a busy one': async (workspace, ask, count) => {
    await sendAll(workspace, count)
    await ask('claim in vain')
    await workOffAll(workspace)
    await archiveAll(workspace)
    // It looks again: what is gone need not be remembered until then.
    await ask('claim in vain')
  },
  'a sender to an inbox': async ({ mr }, ask, count) => {
    for (let done = 0; done < count; done += 100) {
      await ask('route 100')
      await mr.receive('coder')
    }
  },
  'a reader of an inbox': async ({ mr }, ask, count) => {
    for (let n = 1; n <= count; n++) {
      await mr.send({ from: 'lead', to: 'coder', type: 'task-delegation', payload: { task: 'x'.repeat(200) } })
      if (n % 100 === 0) await ask('receive')
    }
  },
}

for (const [who, step] of Object.entries(each)) {
  verifies(
    'X-memory',
    `${who} holds no more after ${last} messages than after ${first}`,
    async () => {
      expect(await growthOf(step)).toBeLessThan(mostGrowth)
    },
    400_000 * scale,
  )
}
