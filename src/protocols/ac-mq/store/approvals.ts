/** Messages that wait for a person. An approval is for one text: when the message changes, it is held again. AC-MQ §11.2. */
import { digestOf } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import { conflict } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { stateOf } from '../../../tree/home.ts'
import { changedSince } from '../../contract.ts'
import { everyone } from '../names.ts'
import { readLargeBody } from './large-bodies.ts'
import type { Settled } from './outcomes.ts'
import type { Overview } from './overview.ts'
import type { Policy, PolicyPlaces, PolicyText } from './policy.ts'
import type { Settling } from './settling.ts'
import type { AcmqViewWithBody } from './view.ts'

interface Approval {
  readonly id: string
  readonly digest: string
  readonly by: string
  readonly at: string
}

export class Approvals {
  readonly #places: PolicyPlaces
  readonly #policy: Policy
  readonly #overview: Overview
  readonly #settling: Settling

  constructor(places: PolicyPlaces, policy: Policy, overview: Overview, settling: Settling) {
    this.#places = places
    this.#policy = policy
    this.#overview = overview
    this.#settling = settling
  }

  /** Each message that waits for a person, the pattern that holds it back, and the digest of what the person is shown. */
  async *held() {
    if (!(await this.#policy.isThere())) return
    for await (const one of this.#overview.each('pending')) {
      if ('reason' in one) continue
      const message = await this.#overview.show(one.id)
      const pattern = await this.#policy.holding(message, message.body)
      if (pattern === undefined) continue
      yield { message, pattern, digest: shownDigest(message, message.body, await readLargeBody(this.#places, message)) }
    }
  }

  /** `shown`: the digest of what the person was shown. */
  async approve(id: string, { by, at, shown }: { readonly by: string; readonly at: string; readonly shown?: string }) {
    const message = expectWaiting(await this.#overview.show(id))
    const { body } = message
    const elsewhere = await readLargeBody(this.#places, message)
    if (shown !== undefined && shown !== shownDigest(message, body, elsewhere)) throw changedSince(message.id)
    if (await isApproved(this.#places, message, body)) return { outcome: 'unchanged', message } as const
    const approval: Approval = { id: message.id, digest: approvedDigest(message, body, elsewhere), by, at }
    const bytes = Buffer.from(`${JSON.stringify(approval, undefined, 2)}\n`)
    await changeLeaf(this.#places.tree, approvalOf(message.id), () => bytes)
    return { outcome: 'approved', message } as const
  }

  async deny(id: string, by: string, reason: string): Promise<Settled<'failed'>> {
    const message = expectWaiting(await this.#overview.show(id))
    return this.#settling.refuse(message, message.body, by, reason)
  }
}

function expectWaiting(message: AcmqViewWithBody): AcmqViewWithBody {
  const { id, state } = message
  if (state === 'pending') return message
  throw conflict('WRONG_STATE', `Message ${id} is in ${state}; it does not wait for an approval.`, {
    hint: `See what waits: ${call('human list')}`,
    details: { id },
  })
}

export async function isApproved(places: PolicyPlaces, record: PolicyText, body: string): Promise<boolean> {
  const leaf = await places.tree.read(approvalOf(record.id), { atMost: longestApproval })
  const approval = leaf && approvalIn(leaf.bytes)
  if (approval?.id !== record.id) return false
  const elsewhere = await readLargeBody(places, record)
  // A message that was approved as one to all has its claimer in `to` by now.
  return [record.to, everyone].some((to) => approval.digest === approvedDigest({ ...record, to }, body, elsewhere))
}

const approvalOf = (id: string): TreePath => childOf(stateOf('approvals'), `${id}.json`)
const longestApproval = 4096

const shownDigest = ({ id, from, to, summary }: PolicyText, body: string, elsewhere: string): string =>
  digestOf(id, from, to, summary, body, elsewhere)

function approvedDigest({ from, to, summary }: PolicyText, body: string, elsewhere: string): string {
  const parts = [from, to, summary, body, ...(elsewhere === '' ? [] : [elsewhere])]
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(parts), 'base64url')
}

function approvalIn(bytes: Uint8Array): Approval | undefined {
  try {
    const { id, digest, by, at } = (JSON.parse(Buffer.from(bytes).toString('utf8')) ?? {}) as Record<string, unknown>
    const areTexts = [id, digest, by, at].every((text) => typeof text === 'string' && text !== '')
    return areTexts ? ({ id, digest, by, at } as Approval) : undefined
  } catch {
    return undefined // Not JSON: it approves nothing.
  }
}
