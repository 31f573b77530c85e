/**
 * Messages that a person must have seen first. `.signalbox/policy.yaml` lists patterns; a message whose summary or
 * body matches one is held back when it is claimed until somebody approves it. An approval is for the very text that
 * was approved: a message that changed since is held again. AC-MQ §11.2.
 */
import { readFields } from '../../../formats/front-matter.ts'
import { type Fields, longestHeader } from '../../../formats/header-field.ts'
import { corrupt, SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { home, stateOf } from '../../../tree/home.ts'
import type { Tree, Watching } from '../../../tree/tree.ts'
import { changedSince, digestOf } from '../../contract.ts'
import { everyone } from '../names.ts'
import { matches, simple } from '../patterns.ts'
import type { AcmqRecord } from '../schema.ts'
import { bodyElsewhere } from './body-elsewhere.ts'
import type { MissionFiles } from './parts.ts'

export const policyPath: TreePath = childOf(home, 'policy.yaml')
const approvals = stateOf('approvals')

interface Approval {
  readonly id: string
  readonly digest: string
  readonly by: string
  readonly at: string
}

/** Who approves what, and when. */
export interface Approving {
  readonly by: string
  readonly at: string
  /** What that person was shown. */
  readonly shown?: string
}

/**
 * Milliseconds for which it is believed that there is no policy. While an agent waits for a message, a watch tells of a new
 * policy instead.
 */
const believedFor = 20
const never = Number.NEGATIVE_INFINITY

type Text = Pick<AcmqRecord, 'id' | 'from' | 'to' | 'summary' | 'dependencies'>

export class Policy {
  readonly #files: Pick<MissionFiles, 'tree' | 'inside'>
  readonly #tree: Tree
  #patterns: readonly string[] = []
  #readAt: number | undefined
  /** When it was last seen that there is none. */
  #absentAt = never
  /** While one of these is open, the system tells of a policy. */
  readonly #watches = new Set<Watching>()

  constructor(files: Pick<MissionFiles, 'tree' | 'inside'>) {
    this.#files = files
    this.#tree = files.tree
  }

  /**
   * There is no policy, as far as is known without looking. Most missions have none, and looking for one at every message
   * would be a fifth of sending it.
   */
  get isAbsent(): boolean {
    if (this.#absentAt === never) return false
    for (const { by } of this.#watches) if (by === 'events') return true
    return performance.now() - this.#absentAt < believedFor
  }

  /** Until the watch is closed the system tells of a policy, and it need not be looked for. For those who wait. */
  watch(): Pick<Watching, 'close'> {
    // On a cluster the news of a policy can come after the message that it should hold back.
    if (this.#tree.first) return { close: () => {} }
    const doubt = () => {
      this.#absentAt = never
    }
    const watching = this.#tree.watch(home, doubt)
    doubt()
    this.#watches.add(watching)
    return {
      close: () => {
        this.#watches.delete(watching)
        watching.close()
      },
    }
  }

  /** The pattern that a text matches, approved or not. */
  async #matching(record: Text, body: () => string): Promise<string | undefined> {
    await this.#refresh()
    if (this.#patterns.length === 0) return undefined
    const text = simple(`${record.summary}\n${body()}\n${await this.#elsewhere(record)}`)
    return this.#patterns.find((pattern) => matches(pattern, text))
  }

  /**
   * A sentence for the sender of a message that waits for a person. The message is sent, whatever is wrong with the policy:
   * an error here would make its sender send it again.
   */
  async noticeAbout(record: Text, body: string | Uint8Array): Promise<string | undefined> {
    try {
      const pattern = await this.#matching(record, () => Buffer.from(body).toString('utf8'))
      if (pattern === undefined) return undefined
      return `It matches ${JSON.stringify(pattern)}: a person must approve it first (signalbox human approve ${record.id}).`
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      return `It waits until the policy can be read. ${error.message}`
    }
  }

  /** The pattern that holds this very text back; nothing if a person has approved it, or no pattern matches. */
  async holding(record: Text, body: string): Promise<string | undefined> {
    const pattern = await this.#matching(record, () => body)
    return pattern === undefined || (await this.#isApproved(record, body)) ? undefined : pattern
  }

  /** The same in words, for whoever would get it otherwise. */
  async against(record: Text, body: string): Promise<string | undefined> {
    const pattern = await this.holding(record, body)
    if (pattern === undefined) return undefined
    return `held by policy: it matches ${JSON.stringify(pattern)} and nobody has approved it (signalbox human approve ${record.id})`
  }

  /** True when a policy may hold something back, by a look of its own where that is not known. */
  async isThere(): Promise<boolean> {
    await this.#refresh()
    return this.#patterns.length > 0
  }

  /** Names what a person is shown of this message. */
  async shown(record: Text, body: string): Promise<string> {
    return shownDigest(record, body, await this.#elsewhere(record))
  }

  /**
   * Twice changes nothing. It is for this very text: what the message says later is not approved. `shown`: what the person was
   * shown, when that is to be compared.
   */
  async approve(record: Text, body: string, { by, at, shown }: Approving): Promise<'approved' | 'unchanged'> {
    const elsewhere = await this.#elsewhere(record)
    if (shown !== undefined && shown !== shownDigest(record, body, elsewhere)) throw changedSince(record.id)
    if (await this.#isApproved(record, body)) return 'unchanged'
    const path = approvalOf(record.id)
    const approval: Approval = { id: record.id, digest: approvedDigest(record, body, elsewhere), by, at }
    const bytes = Buffer.from(`${JSON.stringify(approval, undefined, 2)}\n`)
    await changeLeaf(this.#tree, path, () => bytes)
    return 'approved'
  }

  async #isApproved(record: Text, body: string): Promise<boolean> {
    const leaf = await this.#tree.read(approvalOf(record.id), { atMost: longestApproval })
    const approval = leaf && approvalIn(leaf.bytes)
    if (approval?.id !== record.id) return false
    const elsewhere = await this.#elsewhere(record)
    // A message for all names its claimer once it is claimed, but it was approved as one for all.
    return [record.to, everyone].some((to) => approval.digest === approvedDigest({ ...record, to }, body, elsewhere))
  }

  /** The part of the text that lies in a file of its own. It belongs to what is approved. */
  async #elsewhere(record: Text): Promise<string> {
    const path = bodyElsewhere(record)
    const leaf = path === undefined ? undefined : await this.#tree.read(this.#files.inside(path))
    return leaf ? Buffer.from(leaf.bytes).toString('utf8') : ''
  }

  async #refresh(): Promise<void> {
    if (this.isAbsent) return
    const found = await this.#tree.look(policyPath)
    if (!found) this.#absentAt = performance.now()
    if (found?.changedAt === this.#readAt) return
    if (found && found.size > longestHeader) throw badPolicy(`is larger than ${longestHeader} bytes`)
    const leaf = found && (await this.#tree.read(policyPath))
    this.#patterns = leaf ? patternsIn(Buffer.from(leaf.bytes).toString('utf8')) : []
    this.#readAt = found?.changedAt
  }
}

/** Refuses what is not understood: failing open would let through exactly what somebody wanted to see first. */
function patternsIn(text: string): readonly string[] {
  const fields = fieldsIn(text)
  for (const key of fields.keys()) if (key !== 'hold') throw badPolicy(`has an unknown key ${JSON.stringify(key)}`)
  const hold = fields.get('hold')
  const patterns = hold === undefined || hold.value === null ? [] : hold.texts
  if (patterns?.every((pattern) => pattern.replaceAll('*', '').trim() !== '')) return patterns
  throw badPolicy('must have a list of texts under `hold`')
}

function fieldsIn(text: string): Fields {
  try {
    return readFields(text)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { line, reason } = error.details
    throw badPolicy(`cannot be read, line ${line}: ${printableLine(String(reason))}`)
  }
}

const badPolicy = (problem: string) =>
  corrupt('BAD_POLICY', `${policyPath} ${problem}.`, {
    hint: 'Nobody is handed a message until it is put right. Write for example: hold: ["rm -rf", "deploy * production"]',
  })

const approvalOf = (id: string): TreePath => childOf(approvals, `${id}.json`)
const longestApproval = 4096

const shownDigest = ({ id, from, to, summary }: Text, body: string, elsewhere: string): string =>
  digestOf(id, from, to, summary, body, elsewhere)

function approvedDigest({ from, to, summary }: Text, body: string, elsewhere: string): string {
  const parts = [from, to, summary, body, ...(elsewhere === '' ? [] : [elsewhere])]
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(parts), 'base64url')
}

function approvalIn(bytes: Uint8Array): Approval | undefined {
  try {
    const { id, digest, by, at } = (JSON.parse(Buffer.from(bytes).toString('utf8')) ?? {}) as Record<string, unknown>
    const areTexts = [id, digest, by, at].every((text) => typeof text === 'string' && text !== '')
    return areTexts ? ({ id, digest, by, at } as Approval) : undefined
  } catch {
    // Not JSON: an approval nobody can read approves nothing.
    return undefined
  }
}
