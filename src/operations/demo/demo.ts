import { invalidInput } from '../../kernel/errors.ts'
import { text } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import { type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Chapter, Facts } from '../../protocols/chapter.ts'
import type { Tree } from '../../tree/tree.ts'
import { type Context, defineOperation } from '../define.ts'
import { chapters } from './chapters.ts'
import { filesBelow } from './files-below.ts'

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
      const played: { name: string; title: string; facts: Facts }[] = []
      for (const [index, chapter] of (await chapters()).entries()) {
        report.tell({ as: 'title', text: `${index + 1}. ${chapter.title}` })
        played.push({
          name: chapter.name,
          title: chapter.title,
          facts: await playChapter(chapter, tree, root, context),
        })
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

function emptyFolder(outside: Outside, dir: string): string {
  const folder = outside.resolve(outside.currentFolder(), dir)
  const kind = outside.kindOf(folder)
  if (kind === undefined || (kind === 'folder' && outside.namesIn(folder).length === 0)) return folder
  throw invalidInput('NOT_AN_EMPTY_DIRECTORY', `The tour needs an empty directory; there is something in ${folder}.`, {
    hint: 'Name a directory that is not there yet, or leave --dir out.',
    details: { folder },
  })
}

async function playChapter(
  chapter: Chapter,
  tree: Tree,
  root: string,
  { clock, openTree, report }: Context,
): Promise<Facts> {
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
      progress: report.progress,
    })
  } finally {
    await Promise.all(others.map((other) => other.close()))
  }
}

async function fileAsText(tree: Tree, root: string, path: TreePath): Promise<string> {
  const leaf = await tree.read(path, { atMost: 4096 })
  return `${root}/${path}\n${leaf ? new TextDecoder().decode(leaf.bytes) : '(not there any more)'}`
}
