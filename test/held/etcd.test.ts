/** Every protocol on a cluster: one process is paused before every request while another goes on. */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { verifies } from '../support/verifies.ts'
import { etcdEngine } from './etcd-engine.ts'
import { explore, explorePair, type Tried } from './explorer.ts'
import { protocols } from './protocols.ts'
import { failuresIn, tableOf } from './report.ts'
import { TreeStage } from './tree-stage.ts'

const reason = withoutEtcd()
const isFull = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1

/** The pairs in which deciding and doing could be two requests. */
const chosen = {
  acmq: {
    absent: ['send/send'],
    pending: ['claim/claim, fail, retry', 'claim/edit, depends'],
    processing: ['complete/fail, retry, claim', 'renew/fail, retry, claim', 'supervise/supervise', 'supervise/renew'],
    failed: ['retry/retry, claim, fail'],
    policy: ['claim/edit'],
  },
  session: {
    talking: ['read/read', 'end/save'],
    working: ['take/take'],
    locked: ['lock/lock', 'lock/end'],
  },
  mr: { waiting: ['receive/receive, recover'], taken: ['ack/ack', 'recover/recover, receive'] },
  circe: { waiting: ['claim/claim'], asked: ['answer/answer otherwise'] },
  dream: { mailbox: ['next/next'], taken: ['done/done'] },
  neutral: { 'gone, mr': ['free/act, release, take', 'free/free'], 'gone, acmq:shop': ['free/act, release, take'] },
} as const satisfies Record<string, Record<string, readonly string[]>>

/** The verbs of Dream.OS take many requests; `npm run soak` tries each. */
const everyOf = { acmq: 1, mr: 1, circe: 1, dream: 16, session: 1, neutral: 2 } as const

describe('held before every request, on etcd', () => {
  const tried: Tried[] = []
  let cluster: EtcdCluster
  let engine: ReturnType<typeof etcdEngine> | undefined
  beforeAll(async () => {
    if (reason !== undefined) return
    cluster = await startEtcd(1)
    engine = etcdEngine(cluster)
  }, 60_000)
  afterAll(async () => {
    if (tried.length > 0) console.log(tableOf(tried))
    engine?.stop()
    await cluster?.stop()
  })

  for (const protocol of ['acmq', 'mr', 'circe', 'dream', 'session', 'neutral'] as const) {
    const pairs: Readonly<Record<string, readonly string[]>> = chosen[protocol]
    for (const world of isFull ? Object.keys(protocols[protocol].worlds) : Object.keys(pairs)) {
      verifies.unless(reason, 'X-held', `${protocol}, ${world}: every pair keeps every promise`, async () => {
        const stage = new TreeStage(engine!)
        // A world that lists no pairs is played whole.
        const some = protocols[protocol].worlds[world]!.closely ? { closely: true } : {}
        const now: Tried[] = isFull ? await explore(stage, protocol, { world, ...some }) : []
        for (const pair of isFull ? [] : pairs[world]!) {
          const [first = '', second = ''] = pair.split('/')
          now.push(await explorePair(stage, { protocol, world }, first, second, { every: everyOf[protocol] }))
        }
        tried.push(...now)
        expect(failuresIn(now)).toBe('')
      })
    }
  }
})
