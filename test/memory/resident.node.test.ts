/**
 * What processes that stay for months remember: no more than what is in the queues. Each does its part of thousands of
 * messages, which others send, work on and archive, and is asked twice what it holds. Files that lie in `completed/` until
 * somebody archives them are in the queues, and are remembered by a supervisor.
 */
import { expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { once } from '../../src/kernel/once.ts'
import { type Child, spawnChild } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
/** By then all is loaded, compiled and as large as it gets. */
const [first, last] = [3000 * scale, 5000 * scale]
/** Remembering a message takes some 300 bytes, which would be half as much again. */
const mostGrowth = 400_000 * scale

type Ask = (line: string) => Promise<unknown>
type Residents<Who extends string> = Readonly<Record<Who, Ask>>

/** What each of them holds more after `last` messages than after `first`. They stay side by side, on the same messages. */
async function growthOf<Who extends string>(
  everybody: readonly Who[],
  batch: number,
  round: (residents: Residents<Who>, workspace: Workspace) => Promise<void>,
): Promise<Record<Who, number>> {
  const root = quickTempDir()
  const workspace = await openWorkspace({ root, makeRoot: true, environment: {} })
  await workspace.acmq.create('m')
  await workspace.mr.agents.init('coder')
  const children = everybody.map(() => spawnChild('resident', [root]))
  const answerOf = async (child: Child) => (await child.nextLine()) ?? `it ended: ${child.stderr()}`
  for (const child of children) expect(await answerOf(child)).toBe('ready')
  const asks = children.map((child) => (line: string) => {
    child.say(line)
    return answerOf(child)
  })
  const residents = Object.fromEntries(everybody.map((who, i) => [who, asks[i]!])) as Record<Who, Ask>
  const run = async (count: number) => {
    for (let done = 0; done < count; done += batch) await round(residents, workspace)
    const held: number[] = []
    for (const ask of asks) held.push(Number(await ask('heap')))
    return held
  }
  const before = await run(first)
  const after = await run(last - first)
  for (const child of children) {
    child.kill()
    await child.exited
  }
  await workspace.close()
  return Object.fromEntries(everybody.map((who, i) => [who, after[i]! - before[i]!])) as Record<Who, number>
}

async function workOffAll({ acmq }: Workspace): Promise<void> {
  const mission = await acmq.open('m')
  for (;;) {
    const claimed = await mission.claims.next({ agent: 'worker' })
    if (claimed.outcome !== 'claimed') return
    await mission.settling.complete(claimed.message, { agent: 'worker', attempt: claimed.message.attempt })
  }
}

const onMission = [
  'a sender',
  'a sender that chooses ids',
  'a supervisor that archives',
  'a worker that waits beside a busy one',
] as const
const missionGrowth = once(() =>
  growthOf(onMission, 500, async (residents, workspace) => {
    await residents['a sender']('send 500')
    await residents['a sender that chooses ids']('send by id 500')
    await residents['a supervisor that archives']('sweep')
    await residents['a worker that waits beside a busy one']('claim in vain')
    await workOffAll(workspace)
    for (const verb of ['sweep', 'archive', 'sweep']) await residents['a supervisor that archives'](verb)
    // It looks again: what is gone need not be remembered until then.
    await residents['a worker that waits beside a busy one']('claim in vain')
  }),
)

const onInbox = ['a sender to an inbox', 'a reader of an inbox'] as const
const inboxGrowth = once(() =>
  growthOf(onInbox, 100, async (residents) => {
    await residents['a sender to an inbox']('route 100')
    await residents['a reader of an inbox']('receive')
  }),
)

const all: readonly (readonly [string, () => Promise<number>])[] = [
  ...onMission.map((who) => [who, async () => (await missionGrowth())[who]] as const),
  ...onInbox.map((who) => [who, async () => (await inboxGrowth())[who]] as const),
]
for (const [who, growth] of all) {
  verifies(
    'X-memory',
    `${who} holds no more after ${last} messages than after ${first}`,
    async () => {
      expect(await growth()).toBeLessThan(mostGrowth)
    },
    400_000 * scale,
  )
}
