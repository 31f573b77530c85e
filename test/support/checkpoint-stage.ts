/** Checkpoints of a repository, as the core would use them, for tests and for the programs that they start. */
import { findWorkTree, type Git, gitRunner } from '../../src/adapters/git/index.ts'
import { plainFiles } from '../../src/engines/file-system/plain-files.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import type { PlainFiles } from '../../src/kernel/plain-files.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { changeLeaf } from '../../src/messaging/leaves/change.ts'
import { Checkpoints } from '../../src/protocols/shared-agent/checkpoints/checkpoints.ts'
import type { Tree } from '../../src/tree/tree.ts'

interface States {
  get(session: string): string | undefined | Promise<string | undefined>
  set(session: string, state: string): unknown
}

/** Kept on the tree, for several processes. */
export const treeStates = (tree: Tree): States => ({
  get: async (session) => {
    const leaf = await tree.read(treePath(`.signalbox/state/${session}.txt`))
    return leaf && Buffer.from(leaf.bytes).toString()
  },
  set: (session, state) => changeLeaf(tree, treePath(`.signalbox/state/${session}.txt`), () => Buffer.from(state)),
})

export interface Stage {
  readonly checkpoints: Checkpoints
  readonly tree: Tree
  /** The state of sessions, as the core would keep it. */
  readonly states: States
  /** Every command of git so far. */
  readonly commands: string[]
}

export interface StageOptions {
  readonly tree?: Tree
  readonly states?: States
  readonly onBranch?: boolean
  readonly leaveAlone?: readonly string[]
  readonly around?: (git: Git) => Git
  readonly files?: PlainFiles
  /** Called before a session's state is put back. */
  readonly onRestore?: () => void
  readonly program?: string
}

/** Checkpoints of a repository, with a tree in memory and sessions that are one text each. */
export async function openStage(root: string, options: StageOptions = {}): Promise<Stage> {
  const tree = options.tree ?? openMemoryTree()
  const states = options.states ?? new Map<string, string>()
  const commands: string[] = []
  const environmentOfUser = { PATH: process.env.PATH, HOME: '/nonexistent' }
  const run = gitRunner({ environment: environmentOfUser, ...(options.program ? { program: options.program } : {}) })
  const counted: Git = (call) => {
    commands.push(call.args.filter((arg, n) => arg !== '-c' && call.args[n - 1] !== '-c')[0] ?? '')
    return run(call)
  }
  const around = options.around?.(counted) ?? counted
  const checkpoints = new Checkpoints({
    tree,
    recordsOf: (session) => treePath(`.signalbox/state/sessions/${session}/checkpoints`),
    notes: treePath('.signalbox/state/sessions/.unfinished'),
    sessions: {
      save: async (session) => Buffer.from((await states.get(session)) ?? ''),
      restore: async (session, state, known) => {
        options.onRestore?.()
        const now = Buffer.from((await states.get(session)) ?? '')
        if (!known.some((one) => Buffer.compare(one, now) === 0)) return undefined
        await states.set(session, Buffer.from(state).toString())
        return { keys: Buffer.from(state).toString().split(',').filter(Boolean).length, released: [] }
      },
    },
    workTree: () =>
      findWorkTree({
        git: around,
        files: options.files ?? plainFiles,
        from: root,
        leaveAlone: options.leaveAlone ?? ['llm', 'messages'],
        onBranch: options.onBranch ?? false,
      }),
  })
  return { checkpoints, tree, states, commands }
}
