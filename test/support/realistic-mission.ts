/**
 * A mission as agents leave it: several subjects, results of many shapes, failures, work that can never start, questions that
 * were answered, chatter, milestones and an archive. For tests of what is written about missions.
 */
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { type AcmqBox, memoryBox } from './acmq.ts'

export interface RealisticMission extends AcmqBox {
  readonly clock: ReturnType<typeof heldClock>
  write(path: string, text: string): Promise<void>
}

interface Task {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly summary: string
  readonly body: string
  readonly after?: readonly string[]
  /** What came of it; without either it stays as it is. */
  readonly result?: string
  readonly failure?: string
  /** Somebody has it in hand. */
  readonly claimed?: true
  readonly by?: string
}

const manifest = `# checkout

## Objective

Customers can pay again without losing their basket. Since the change of the payment gateway in October one payment in twenty fails.

## Status

Waiting for the gateway's new certificate.

## Milestones

- [x] Cause of the failed payments is known
- [x] Payments are retried safely
- [ ] Baskets survive a failed payment
- [ ] Old gateway is switched off
`

const tasks: readonly Task[] = [
  {
    ...{ id: 'cause001', from: 'planner', to: 'codex', summary: 'Find the cause of the failed payments' },
    body: 'One payment in twenty fails since October. Which call fails, and why? Look at the logs of the gateway first.',
    result: `# Cause

The gateway closes idle connections after 30 seconds, and our pool keeps them for 60.

- 4.8 percent of all calls hit a closed connection
- the driver reports them as declined cards

Details are in findings/gateway-timeouts.md.`,
  },
  {
    ...{
      id: 'fixpool2',
      from: 'planner',
      to: 'codex',
      summary: 'Shorten the idle time of the pool',
      after: ['cause001'],
    },
    body: 'Set it below what the other side allows, in all three services.',
    result: `Set to 25 seconds in checkout, refunds and subscriptions.
Deployed on Tuesday; errors fell from 4.8 to 0.3 percent.

Rolled out behind the flag pool_idle.`,
  },
  {
    ...{ id: 'retry003', from: 'planner', to: 'claude', summary: 'Design safe retries for payments' },
    body: 'No customer may be charged twice. Propose how payments are retried safely, with idempotency keys.',
    result:
      'Each payment gets an idempotency key from the basket and its version. The gateway keeps keys for 24 hours.',
  },
  {
    ...{ id: 'retry004', from: 'claude', to: 'codex', summary: 'Build the retries', after: ['retry003'] },
    body: 'Three attempts with the same key, after 1, 5 and 25 seconds.',
    result: 'Built and covered by 41 tests. A payment that fails three times is handed to support.',
  },
  {
    ...{ id: 'retry005', from: 'claude', to: 'qa', summary: 'Test that nobody is charged twice', after: ['retry004'] },
    body: 'Kill the service between charge and answer, a thousand times.',
    result: '1,000 kills, no customer charged twice, 3 payments settled late but once.',
  },
  {
    ...{ id: 'basket06', from: 'planner', to: 'gemini', summary: 'Keep the basket when a payment fails' },
    body: 'Today the basket is emptied before the answer comes. Baskets must survive a failed payment.',
    failure: 'The basket service has no transaction across carts and stock; a change needs the data team.',
  },
  {
    ...{ id: 'basket07', from: 'planner', to: 'qa', summary: 'Test the kept basket on phones', after: ['basket06'] },
    body: 'On the five phones of the lab, with a card that is declined.',
  },
  {
    ...{ id: 'basket08', from: 'planner', to: 'all', summary: 'Announce that baskets are kept', after: ['basket07'] },
    body: 'One sentence in the release notes.',
  },
  {
    ...{ id: 'cert0009', from: 'codex', to: 'planner', summary: 'Which certificate does the new gateway need?' },
    body: 'Their handbook names two. Which one does the new gateway need, the intermediate or the root?',
    claimed: true,
  },
  {
    ...{ id: 'cert0010', from: 'planner', to: 'codex', summary: 'Re: Which certificate does the new gateway need?' },
    body: 'The intermediate one, says their support (cert0009).',
    result: 'Installed on staging.',
  },
  {
    ...{ id: 'switch11', from: 'planner', to: 'codex', summary: 'Switch off the old gateway', after: ['cert0012'] },
    body: 'After a week without traffic on it.',
  },
  {
    ...{ id: 'cert0012', from: 'planner', to: 'codex', summary: 'Install the new certificate in production' },
    body: 'It comes on Monday. Should it go out before the freeze?',
  },
  {
    ...{ id: 'load0013', from: 'planner', to: 'qa', summary: 'Load test of the new gateway' },
    body: 'Two hundred payments a second for ten minutes.',
    result: 'p95 is 410 milliseconds at 200 payments a second. Two nodes were restarted by the memory limit.',
  },
  {
    ...{ id: 'mem00014', from: 'qa', to: 'codex', summary: 'Find the leak in the gateway client', after: ['load0013'] },
    body: 'Memory of the client grows by 3 MB a minute under load.',
    failure: 'Stalled: codex did not finish within 3600 seconds',
  },
  {
    ...{ id: 'doc00015', from: 'planner', to: 'all', summary: 'Write the handbook page for support' },
    body: 'What to say to a customer whose payment is settled late.',
    by: 'gemini',
    result: 'The page is in artifacts/support-page.md.',
  },
]

/** Work of a kind that every mission has much of: the same over and over, with results in a few words. */
const chores = [
  ['Refund', 'refund', 'Refund the payment that was taken twice'],
  ['Alert', 'alert', 'Silence the alert about the old gateway'],
  ['Report', 'report', 'Send the weekly figures of failed payments'],
  ['Ticket', 'ticket', 'Answer the ticket of a customer whose card was declined'],
] as const

/** With about so many messages. */
export async function realisticMission(count = 40): Promise<RealisticMission> {
  const clock = heldClock(Date.parse('2026-11-02T08:00:00Z'))
  const box = await memoryBox({ clock })
  const write = async (path: string, text: string) => {
    const at = treePath(`llm/missions/alpha/${path}`)
    const before = await box.tree.read(at)
    if (before) await box.tree.replace(at, Buffer.from(text), before.revision)
    else await box.tree.create(at, text)
  }
  await write('_meta/manifest.md', manifest)
  await write(
    'findings/gateway-timeouts.md',
    '# Timeouts\n\nThe gateway closes connections that were idle for 30 seconds. Our pool handed them out for twice as long.\n',
  )
  await write('artifacts/support-page.md', '# Late payments\n\nA payment that is settled late is settled once.\n')
  await write('artifacts/retry.diff', '--- a/retry.ts\n+++ b/retry.ts\n@@ -1 +1 @@\n-1\n+3\n')
  const { mission } = box
  const play = async ({ id, from, to, summary, body, after = [], result, failure, claimed, by = to }: Task) => {
    clock.advance(37 * 60_000)
    await mission.sending.send({ id, from, to, summary, body, dependencies: after.map((one) => `msg:${one}`) })
    if (result === undefined && failure === undefined && !claimed) return
    await mission.claims.next({ agent: by, id })
    clock.advance(50 * 60_000)
    if (result !== undefined) await mission.settling.complete(id, { agent: by }, { text: result })
    if (failure !== undefined) await mission.settling.fail(id, { agent: by }, { reason: failure })
  }
  const agents = ['gemini', 'codex', 'qa']
  const many = Math.max(0, count - tasks.length)
  const each = Math.ceil(many / tasks.length)
  let n = 0
  for (const task of tasks) {
    await play(task)
    for (let i = 0; i < each && n < many; i++, n++) {
      const [title, word, what] = chores[n % chores.length]!
      const id = `${word.slice(0, 4)}${String(n).padStart(4, '0')}`
      const results = [
        `Done, number ${4000 + n}.`,
        'OK',
        `It took two tries; ${word} ${4000 + n} is settled now.`,
        undefined,
      ]
      const result = results[n % results.length]
      const chore = {
        id,
        from: 'planner',
        to: agents[n % 3]!,
        summary: `${title} ${4000 + n}`,
        body: `${what}, number ${4000 + n}.`,
      }
      await play({ ...chore, ...(result === undefined ? {} : { result }) })
    }
  }
  return { ...box, clock, write }
}
