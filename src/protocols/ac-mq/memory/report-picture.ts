/** What a report is made of: a mission as it stands, without the whole texts of its messages. */
import type { State } from '../schema.ts'
import type { Said } from './said.ts'

export interface ReportMessage {
  readonly mission: string
  readonly id: string
  readonly name: string
  /** Where it lies, from the root of the tree; an archived one in its pack. */
  readonly path: string
  readonly state: State
  readonly status: string
  readonly from: string
  readonly to: string
  readonly summary: string
  readonly createdAt: string
  readonly finishedAt?: number
  readonly dependencies: readonly string[]
  /** As much of what it says as is needed to tell of it; of very many messages less of each. */
  readonly said: Said
}

export interface ReportFile {
  readonly path: string
  readonly inside: string
  /** The beginning of a text; nothing of what is no text. */
  readonly text?: string
}

export interface BusFile extends ReportFile {
  readonly title: string
  readonly messages: number
  /** The milestone that it is about, and when it was made, if it is about one. */
  readonly milestone?: string
  readonly madeAt?: string
}

export interface Picture {
  readonly mission: string
  readonly objective: string
  readonly status: string | undefined
  readonly milestones: readonly { readonly title: string; readonly done: boolean }[]
  /** From the root of the tree; `undefined` when there is none. */
  readonly manifest: string | undefined
  readonly messages: readonly ReportMessage[]
  readonly findings: readonly ReportFile[]
  readonly artifacts: readonly ReportFile[]
  readonly busDocuments: readonly BusFile[]
}
