import type { Clock } from '../../kernel/clock.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { type Context, defineOperation } from '../define.ts'
import { copyTree } from './copy.ts'
import { directory, everything, workspaceFolders } from './walk.ts'

export const importWorkspace = defineOperation({
  name: 'import',
  summary: 'Take over a workspace of plain files from a directory.',
  more:
    'Carries the folders of all protocols and the state of Signalbox, with bytes and times, into the tree of this ' +
    'workspace: name a cluster with --engine. Keys stay where they are. Nothing is overwritten. Interrupted, repeat ' +
    'it: it goes on where it stopped. In the end both sides are read again and compared by count and hash.',
  input: { directory: directory('The workspace to take over.') },
  lists: { leftBehind: 'first' },
  outcomes: { imported: 'done', unchanged: 'done' },
  examples: [
    { command: 'import . --engine etcd://localhost:2379/team', does: 'move this workspace to a cluster' },
    { command: 'import ../backup', does: 'take over what was exported before' },
  ],

  async run(context, { directory }) {
    const path = folderNamed(context, directory)
    const from = await context.openTree(path)
    try {
      const folders = await workspaceFolders(context)
      const { report, openAgain } = context
      const copied = await copyTree({ from, folders, openTarget: openAgain, report, what: 'import' })
      return { outcome: copied.copied > 0 ? 'imported' : 'unchanged', from: path, ...copied } as const
    } finally {
      await from.close()
    }
  },
})

export const exportWorkspace = defineOperation({
  name: 'export',
  summary: 'Write the workspace to a directory, as plain files.',
  more:
    'The counterpart of `import`: every leaf with its bytes and its time, but no keys. Nothing in the directory is ' +
    'overwritten. Interrupted, repeat it. In the end both sides are read again and compared by count and hash.',
  input: { directory: directory('Where to write it; made if it is not there.') },
  lists: { leftBehind: 'first' },
  outcomes: { exported: 'done', unchanged: 'done' },
  examples: [
    { command: 'export backup --engine etcd://localhost:2379/team', does: 'write a cluster’s tenant to files' },
  ],

  async run(context, { directory }) {
    const to = context.outside.resolve(context.outside.currentFolder(), directory)
    const isCluster = (await context.configuration()).engine !== 'files'
    const folders = isCluster ? everything : await workspaceFolders(context)
    const { path } = context.root()
    const isInside = to === path || folders.some((folder) => `${to}/`.startsWith(`${path}/${folder}/`))
    if (!isCluster && isInside) throw onItself(to)
    const { report } = context
    const openTarget = (clock: Clock) => context.openTree(to, clock)
    const copied = await copyTree({ from: await context.tree(), folders, openTarget, report, what: 'export' })
    return { outcome: copied.copied > 0 ? 'exported' : 'unchanged', to, ...copied } as const
  },
})

function folderNamed({ outside }: Context, named: string): string {
  const path = outside.resolve(outside.currentFolder(), named)
  if (outside.kindOf(path) === 'folder') return path
  throw invalidInput('NOT_A_DIRECTORY', `There is no directory ${path}.`, { hint: 'Name the workspace to take over.' })
}

const onItself = (path: string) =>
  invalidInput('SAME_PLACE', `${path} belongs to the workspace itself.`, { hint: 'Name another directory.' })
