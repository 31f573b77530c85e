/** The lists of `mr taken`, `mr evicted` and `mr rejected`. They differ in what they print when they are empty. */
import type { Operation } from '../../../../operations/define.ts'
import { mrEvicted, mrRejected, mrTaken } from '../../../../operations/mr/kept.ts'
import type { KeptLine } from '../../../../operations/mr/view.ts'
import { type CommandFace, commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'

interface KeptList {
  readonly outcome: 'listed'
  readonly agent: string
  readonly messages: readonly KeptLine[]
}

const keptFace = (operation: Operation<KeptList>, moved: string, nothing: string): CommandFace =>
  commandFace(operation, ({ messages }, screen) =>
    messages.length === 0
      ? nothing
      : grid(
          messages,
          [
            { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
            { title: moved, text: ({ movedAt }) => movedAt },
            { title: 'from', text: ({ message }) => message?.from ?? '?' },
            { title: 'type', text: ({ message }) => message?.type ?? '?' },
            { title: 'summary', text: ({ message, path }) => message?.summary ?? path },
          ],
          screen,
        ),
  )

export const takenFace = keptFace(mrTaken, 'taken', 'Nothing that was taken is kept.\n')
export const evictedFace = keptFace(mrEvicted, 'evicted', 'Nothing was evicted that is still kept.\n')
export const rejectedFace = keptFace(mrRejected, 'rejected', 'Nothing was rejected that is still kept.\n')
