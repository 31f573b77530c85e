/** What sessions need from outside of the tree. Each is asked for when it is used; a command that lacks one says so. */
import type { RunProgram } from '../../kernel/outside.ts'
import type { Tokenizer } from '../../kernel/tokenizer.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { WorkTree } from './checkpoints/ports.ts'
import type { LanguageModel } from './language/model.ts'
import type { Task } from './record.ts'

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
  /** One pass of the bridge for this session; answers the ids of the messages that it has ended. Absent in the bridge itself. */
  carry?(session: string, wanted: Carrying): Promise<readonly string[]>
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

/** What the bridge is to look after. */
export interface Carrying {
  /** Carry what waits for these agents; without it, for all that are at home elsewhere. */
  readonly agents?: readonly string[]
  /** Only carry; what comes back is looked for when somebody asks. */
  readonly isCarryingOnly?: boolean
  /** The id of a task whose copy does not count any more. */
  readonly letGo?: string
  /** Tasks that an earlier version handed over without the bridge. */
  readonly earlier?: readonly Task[]
}

/** As people wrote it. */
export interface RolesFile {
  readonly path: string
  readonly text: string
}
