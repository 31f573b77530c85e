import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'

const board = treePath('post/board.md')

export const replace: Chapter = {
  name: 'replace',
  title: 'No update is lost',
  async play({ tree, say, step, show }) {
    const created = await tree.create(board, bytesOf('status: draft\n'))
    const seen = created.outcome === 'created' ? created.revision : undefined
    const revision = seen ?? (await tree.read(board))!.revision
    say('Two agents read the board at the same revision. Ada writes first.')
    const ada = await tree.replace(board, bytesOf('status: reviewed\n'), revision)
    step(`replace ${board} (Ada, with the revision both have read)`, ada.outcome)
    say('Grace still holds the old revision. She is told, instead of wiping out what Ada wrote.')
    const grace = await tree.replace(board, bytesOf('status: rejected\n'), revision)
    step(`replace ${board} (Grace, with the old revision)`, grace.outcome)
    await show(board)
    return { first: ada.outcome, second: grace.outcome }
  },
}
