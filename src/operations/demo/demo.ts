import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { text } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import { mapOf } from '../../kernel/shape.ts'
import { childOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Chapter, Facts } from '../../protocols/chapter.ts'
import { isReserved } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'
import { type Context, defineOperation } from '../define.ts'
import { type Around, allProtocols, type ProtocolLine, protocols } from '../protocols.ts'
import { treeChapters } from './tree-chapters.ts'

export const demo = defineOperation({
  name: 'demo',
  summary: 'A short tour on real files: what the tree promises, and how it looks on disk.',
  more: 'It works in a new directory, says where that is, and leaves it there for you to look around.',
  input: {
    dir: text('Where to play: a directory that is empty or not there yet.', {
      placeholder: 'DIRECTORY',
      completes: 'folder',
    }),
  },
  outcomes: { shown: 'done' },
  output: {
    shown: {
      root: 'text',
      chapters: [{ name: 'text', title: 'text', facts: mapOf('anything') }],
      files: ['text'],
    },
  },
  effects: 'writes',
  examples: [
    { command: 'demo', does: 'take the tour in a new temporary directory' },
    { command: 'demo --dir ./tour', does: 'take it in a directory of your choice' },
  ],

  async run(context, { dir }) {
    const { outside, report } = context
    const root = dir === undefined ? outside.makeTemporaryFolder('signalbox-demo-') : emptyFolder(outside, dir)
    report.tell({ as: 'title', text: 'Signalbox, on real files' })
    report.tell({ as: 'text', text: `Everything below happens in ${root}` })

    const tree = await context.openTree(root)
    try {
      const played = []
      for (const [index, scene] of (await scenes()).entries()) {
        const { name, title } = scene.chapter
        report.tell({ as: 'title', text: `${index + 1}. ${title}` })
        played.push({ name, title, facts: await playChapter(scene, tree, root, context) })
      }
      const files = await filesBelow(tree, treeRoot)
      report.tell({ as: 'title', text: 'Look for yourself' })
      report.tell({ as: 'text', text: `${files.length} plain files are left for you: ls -R ${root}` })
      return { outcome: 'shown', root, chapters: played, files } as const
    } finally {
      await tree.close()
    }
  },
})

/** The tour, in order: what the tree promises, then what each protocol makes of it. */
const scenes = async (): Promise<readonly Scene[]> => [
  ...treeChapters.map((chapter) => ({ chapter })),
  ...(await Promise.all(protocols.map(async (line) => ({ chapter: await (await line.load()).chapter(), line })))),
]

interface Scene {
  readonly chapter: Chapter
  /** The protocol whose chapter it is. */
  readonly line?: ProtocolLine
}

function emptyFolder(outside: Outside, dir: string): string {
  const folder = outside.resolve(outside.currentFolder(), dir)
  const kind = outside.kindOf(folder)
  if (kind === undefined || (kind === 'folder' && outside.namesIn(folder).length === 0)) return folder
  throw invalidInput('NOT_AN_EMPTY_DIRECTORY', `The tour needs an empty directory; there is something in ${folder}.`, {
    hint: `Name a directory that is not there yet, or leave ${inputs({ dir: null })} out.`,
    details: { folder },
  })
}

async function playChapter({ chapter, line }: Scene, tree: Tree, root: string, context: Context): Promise<Facts> {
  const { clock, openTree, report } = context
  const others: Tree[] = []
  try {
    return await chapter.play({
      tree,
      clock,
      async another(by) {
        const other = await openTree(root, by)
        others.push(other)
        return other
      },
      say: (sentence) => report.tell({ as: 'text', text: sentence }),
      step: (asked, answered) => report.tell({ as: 'step', text: `${asked} ⇒ ${answered}` }),
      show: async (path) => report.tell({ as: 'file', text: await fileAsText(tree, root, path) }),
      ports: (await line?.ports?.(aroundTour(root, context))) ?? {},
      async makeRepository() {
        const { gitRunner, makeRepository } = await import('../../adapters/git/index.ts')
        return makeRepository(gitRunner({ environment: context.environment }), root)
      },
      progress: report.progress,
    })
  } finally {
    await Promise.all(others.map((other) => other.close()))
  }
}

/** The directory of the tour is a workspace with the defaults, whatever is configured where the tour was started. */
const aroundTour = (root: string, { environment, outside, openTree }: Context): Around => ({
  environment,
  outside,
  root: { path: root, by: 'flag' },
  openTree,
  messagePlaces: async () => (await allProtocols()).flatMap(({ folders, defaults }) => folders(defaults)),
  messagePlacesIn: async () => [],
  names: [],
  // The tour needs no sentence model.
  packageFile: () => undefined,
  models: async () => ({ embeddings: 'local' }),
})

async function fileAsText(tree: Tree, root: string, path: TreePath): Promise<string> {
  const leaf = await tree.read(path, { atMost: 4096 })
  return `${root}/${path}\n${leaf ? new TextDecoder().decode(leaf.bytes) : '(not there any more)'}`
}

/** Every leaf at or below a folder, by path; not what is kept by us or by git. */
async function filesBelow(tree: Tree, folder: TreePath): Promise<TreePath[]> {
  const found: TreePath[] = []
  for (const entry of await tree.list(folder)) {
    const path = childOf(folder, entry.name)
    if (isReserved(path) || entry.name === '.git') continue
    if (entry.kind === 'folder') found.push(...(await filesBelow(tree, path)))
    else if (entry.kind === 'leaf') found.push(path)
  }
  return found
}
