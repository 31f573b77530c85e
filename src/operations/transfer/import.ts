import type { Clock } from '../../kernel/clock.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { flag, list, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { copyTree } from './copy.ts'
import { putFiles } from './files.ts'
import { directory, everything, workspaceFolders } from './walk.ts'

const copied = {
  copied: 'integer',
  unchanged: 'integer',
  bytes: 'integer',
  count: 'integer',
  hash: 'text',
  leftBehind: [{ path: 'text', reason: 'text' }],
} as const

/** Of a workspace, or of single files. */
const imported = {
  copied: 'integer',
  unchanged: 'integer',
  'from?': 'text',
  'bytes?': 'integer',
  'count?': 'integer',
  'hash?': 'text',
  'leftBehind?': copied.leftBehind,
  'to?': 'text',
  'paths?': ['text'],
} as const

const exported = { to: 'text', ...copied } as const

export const importWorkspace = defineOperation({
  name: 'import',
  summary: 'Take over a workspace of plain files from a directory, or single files.',
  more:
    'Of a directory it carries the folders of all protocols and the state of Signalbox, with bytes and times, into the ' +
    'tree of this workspace: name a cluster with --engine. Keys and settings stay where they are, and what else is left ' +
    'behind is named. Nothing is overwritten. Interrupted, repeat it: it goes on where it stopped. In the end both sides ' +
    'are read again and compared by count and hash. Files, such as a template, go to the same place as in the directory ' +
    'of this workspace, or into the folder that --into names.',
  input: {
    paths: list(
      'The workspace to take over, or files.',
      text('A path.', { longest: 4096, pattern: /./, completes: 'file' }),
      { positional: true, required: true, placeholder: 'PATH' },
    ),
    into: text('With files: the folder of the workspace that they go to.', { placeholder: 'FOLDER', longest: 4096 }),
    replace: flag('With files: replace what is there and differs.'),
  },
  lists: { leftBehind: 'first' },
  outcomes: { imported: 'done', unchanged: 'done' },
  output: { imported, unchanged: imported },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'import . --engine etcd://localhost:2379/team', does: 'move this workspace to a cluster' },
    { command: 'import ../backup', does: 'take over what was exported before' },
    { command: 'import templates/review.j2 --engine etcd://localhost:2379/team', does: 'put a file there' },
  ],

  async run(context, { paths, into, replace }) {
    const { outside, report, openAgain } = context
    const named = paths.map((path) => {
      const here = outside.resolve(outside.currentFolder(), path)
      const there = outside.resolve(context.root().path, path)
      return outside.kindOf(here) === undefined && outside.kindOf(there) === 'file' ? there : here
    })
    const folder = named.find((path) => outside.kindOf(path) === 'folder')
    if (folder === undefined) return putFiles(context, named, { into, replace })
    if (named.length > 1 || into !== undefined || replace) throw onlyOneDirectory(folder)
    const source = context.workspaceIn(folder)
    try {
      const from = await source.tree()
      // Which protocols are used is asked of the source, by its own settings and by ours: an export has none.
      const folders = await workspaceFolders(source, { ...context, tree: () => source.tree() })
      const copied = await copyTree({ from, folders, openTarget: openAgain, report, what: 'import' })
      return { outcome: copied.copied > 0 ? 'imported' : 'unchanged', from: folder, ...copied } as const
    } finally {
      await source.close()
    }
  },
})

export const exportWorkspace = defineOperation({
  name: 'export',
  summary: 'Write the workspace to a directory, as plain files.',
  more:
    'The counterpart of `import`: every leaf with its bytes and its time, but no keys and no settings; what is left behind ' +
    'is named. Nothing in the directory is overwritten. Interrupted, repeat it. In the end both sides are read again and ' +
    'compared by count and hash.',
  input: { directory: directory('Where to write it; made if it is not there.') },
  lists: { leftBehind: 'first' },
  outcomes: { exported: 'done', unchanged: 'done' },
  output: { exported, unchanged: exported },
  effects: 'writes',
  isRepeatable: true,
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

const onlyOneDirectory = (path: string) =>
  invalidInput('ONE_DIRECTORY', `${path} is a directory: it is taken over alone, and to where it is.`, {
    hint: 'Name one directory and nothing else, or name files.',
  })

const onItself = (path: string) =>
  invalidInput('SAME_PLACE', `${path} belongs to the workspace itself.`, { hint: 'Name another directory.' })
