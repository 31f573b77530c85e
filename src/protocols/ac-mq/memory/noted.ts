/** What is kept of a message, so that it need not be read again to know what belongs together. Pure. */
import { hash } from 'node:crypto'
import { type Features, featuresOf } from '../../../text/features.ts'
import { contributionJudge } from './contributions.ts'
import { comparedParts } from './said.ts'

export interface Noted {
  readonly id: string
  /** The file name it has or had. */
  readonly name: string
  readonly createdAt: string
  readonly status: string
  readonly dependencies: readonly string[]
  /** Of everything that a document says of it. */
  readonly content: string
  /** Of what is compared of it. */
  readonly digest: string
  /** Of what it said when it was sent. */
  readonly own: string
  readonly features: Features
  /** Why it contributed to milestones, by their titles. */
  readonly reasons: Readonly<Record<string, string>>
}

/** What is read of a message. */
export interface Noting {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly status: string
  readonly dependencies: readonly string[]
  readonly from: string
  readonly to: string
  readonly summary: string
  readonly body: string
}

/** `titles`: of milestones that it may have contributed to. */
export function noter(titles: readonly string[]): (message: Noting) => Noted {
  const judges = titles.map((title) => [title, contributionJudge(title)] as const)
  return ({ id, name, createdAt, status, dependencies, from, to, summary, body }) => {
    const { own, added } = comparedParts(summary, body)
    const text = `${own}\n${added}`
    const reasons = judges.flatMap(([title, judge]) => {
      const reason = judge({ id, text })
      return reason === undefined ? [] : [[title, reason] as const]
    })
    return {
      id,
      name,
      createdAt,
      status,
      dependencies,
      content: digestOf(JSON.stringify([name, createdAt, status, from, to, summary, body])),
      digest: digestOf(JSON.stringify([own, added])),
      own: digestOf(own),
      features: featuresOf(own, added),
      reasons: Object.fromEntries(reasons),
    }
  }
}

export const digestOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)
