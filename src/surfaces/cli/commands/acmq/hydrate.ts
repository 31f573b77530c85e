import { printable, printableLine } from '../../../../kernel/printable.ts'
import { hydrate } from '../../../../operations/acmq/hydrate.ts'
import { commandFace } from '../../command.ts'

export const hydrateFace = commandFace(
  hydrate,
  ({ document }) => printable(document.replaceAll('\r\n', '\n')).replace(/\n*$/, '\n'),
  {
    aside: ({ leftOut }, { paint }) =>
      leftOut
        .map(({ path, reason, detail }) => {
          const why = detail === undefined ? reason : `${reason} (${detail})`
          return `${paint('yellow', 'left out:')} ${printableLine(path)}: ${printableLine(why)}\n`
        })
        .join(''),
  },
)
