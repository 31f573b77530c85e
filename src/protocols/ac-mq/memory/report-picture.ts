/** What a report is made of: a mission as it stands, without the whole texts of its messages. */
import type { AcmqView } from '../store/view.ts'
import type { MessageParts } from './message-parts.ts'

type Told = 'mission' | 'id' | 'name' | 'path' | 'state' | 'from' | 'to' | 'summary' | 'createdAt' | 'dependencies'

export interface ReportMessage extends Pick<AcmqView, Told> {
  /** Of an archived message what it was before. */
  readonly status: string
  readonly finishedAt?: number
  /** As much of the text as the report needs; with very many messages, less of each. */
  readonly said: MessageParts
}

export interface ReportFile {
  readonly path: string
  readonly inside: string
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
  readonly manifest: string | undefined
  readonly messages: readonly ReportMessage[]
  readonly findings: readonly ReportFile[]
  readonly artifacts: readonly ReportFile[]
  readonly busDocuments: readonly BusFile[]
}
