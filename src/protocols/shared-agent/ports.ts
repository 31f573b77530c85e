/** What sessions need from outside of the tree. Each is asked for when it is used; a command that lacks one says so. */
import type { Draft } from '../../kernel/envelope.ts'
import type { RunProgram } from '../../kernel/outside.ts'
import type { Tokenizer } from '../../kernel/tokenizer.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Correspondence, MessageOutcome } from '../contract.ts'
import type { WorkTree } from './checkpoints/ports.ts'
import type { LanguageModel } from './language/model.ts'

export interface SessionPorts {
  /** Counts tokens in the encoding of this name; `undefined` where its table is missing. Tokens are estimated then. */
  tokenizer(encoding: string): Promise<Tokenizer | undefined>
  /** The folders and files in which protocols keep messages: no context file is read or written there. */
  messagePlaces(): Promise<readonly TreePath[]>
  /** Runs the program of a role, in `folder`. */
  readonly runProgram: RunProgram
  readonly folder: string
  /** Starts a process that does one task, and does not wait for it. Absent where no process is to be started. */
  startRunner?(session: string, task: string): Promise<void>
  /** Sends a task by another protocol; answers the message's id. `perhapsSince`: a killed process may have sent it since then, so look first. */
  carry(via: string, draft: Draft, options: { readonly perhapsSince?: number | undefined }): Promise<string>
  /** The outcome of such a message: its completion, or the answer of its recipient; `undefined` while there is none. */
  carried(via: string, message: string, sent: Correspondence): Promise<MessageOutcome | undefined>
  /** Takes an answer out of its reader's inbox, after the session has recorded it. Twice is fine. */
  putAway(via: string, answer: string, reader: string): Promise<void>
  /** The work tree of git that holds the workspace. Throws where there is none. `onBranch`: checkpoints are commits of the branch. */
  workTree(options: { readonly onBranch: boolean }): Promise<WorkTree>
  /** The weights of the model of sentences, which come with the package; `npm run train` makes them. */
  sentenceModel(): Uint8Array | undefined
  /** Asked about unclear sentences, or about all of them first; absent unless an endpoint is configured. */
  model?(): Promise<LanguageModel | undefined>
  /** `.signalbox/session.yaml`, if there is one that may be used. */
  readRoles(): Promise<RolesFile | undefined>
  /** Why an existing file may not be used, and what to do about it. */
  rolesIgnored(): Promise<{ readonly reason: string; readonly hint: string } | undefined>
  /** The short names of protocols that can carry a task. */
  readonly carriers: readonly string[]
}

/** As people wrote it. */
export interface RolesFile {
  readonly path: string
  readonly text: string
}
