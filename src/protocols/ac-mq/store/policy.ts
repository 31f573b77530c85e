/** `.signalbox/policy.yaml`: a message that matches one of its patterns is held back until a person approves it. AC-MQ §11.2. */
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { home } from '../../../tree/home.ts'
import type { AcmqRecord } from '../schema.ts'
import type { MissionPlaces } from './places.ts'

export const policyPath: TreePath = childOf(home, 'policy.yaml')

/** The fields of a message that a policy and an approval look at, beside its body. */
export type PolicyText = Pick<AcmqRecord, 'id' | 'from' | 'to' | 'summary' | 'dependencies'>
export type PolicyPlaces = Pick<MissionPlaces, 'tree' | 'inside'>

const approvalOf = ({ id }: PolicyText): string => call('human approve', { id })

/** Milliseconds for which a missing policy is remembered. */
const believedFor = 20

export class Policy {
  readonly #places: PolicyPlaces
  #patterns: readonly string[] = []
  #readAt: number | undefined
  #absentAt = Number.NEGATIVE_INFINITY

  constructor(places: PolicyPlaces) {
    this.#places = places
  }

  /** True when there was no policy a moment ago. Looking for every message would take a fifth of the time of sending. */
  get isAbsent(): boolean {
    return performance.now() - this.#absentAt < believedFor
  }

  /** Forgets that there was no policy: for an agent that has waited, maybe for long. */
  lookAgain(): void {
    this.#absentAt = Number.NEGATIVE_INFINITY
  }

  async #matching(record: PolicyText, body: () => string): Promise<string | undefined> {
    await this.#refresh()
    if (this.#patterns.length === 0) return undefined
    const [{ firstMatching }, { readLargeBody }] = await Promise.all([
      import('./policy-file.ts'),
      import('./large-bodies.ts'),
    ])
    return firstMatching(this.#patterns, `${record.summary}\n${body()}\n${await readLargeBody(this.#places, record)}`)
  }

  /** For the sender of a message that waits for a person. Throws no `SignalboxError`: the message is sent already. */
  async noticeAbout(record: PolicyText, body: string | Uint8Array): Promise<string | undefined> {
    try {
      const pattern = await this.#matching(record, () => Buffer.from(body).toString('utf8'))
      if (pattern === undefined) return undefined
      return `It matches ${JSON.stringify(pattern)}: a person must approve it first (${approvalOf(record)}).`
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      return `It waits until the policy can be read. ${error.message}`
    }
  }

  /** The pattern that holds this text back; `undefined` if none matches, or a person has approved the text. */
  async holding(record: PolicyText, body: string): Promise<string | undefined> {
    const pattern = await this.#matching(record, () => body)
    if (pattern === undefined) return undefined
    const { isApproved } = await import('./approvals.ts')
    return (await isApproved(this.#places, record, body)) ? undefined : pattern
  }

  /** The same as a sentence for the agent that wants to claim it. */
  async against(record: PolicyText, body: string): Promise<string | undefined> {
    const pattern = await this.holding(record, body)
    if (pattern === undefined) return undefined
    return `held by policy: it matches ${JSON.stringify(pattern)} and nobody has approved it (${approvalOf(record)})`
  }

  /** True when there is a policy with patterns. */
  async isThere(): Promise<boolean> {
    await this.#refresh()
    return this.#patterns.length > 0
  }

  async #refresh(): Promise<void> {
    if (this.isAbsent) return
    const found = await this.#places.tree.look(policyPath)
    if (!found) this.#absentAt = performance.now()
    if (found?.changedAt === this.#readAt) return
    this.#patterns = found ? await (await import('./policy-file.ts')).readPatterns(this.#places.tree, found.size) : []
    this.#readAt = found?.changedAt
  }
}
