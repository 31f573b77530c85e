import { bridge, type Carried } from '../../../../operations/bridge.ts'
import { commandFace } from '../../command.ts'
import { noticeLines, shortHandle, stepLine } from '../../lines.ts'

export const bridgeFace = commandFace(
  bridge,
  ({ outcome, carried, settled, passes, ...pass }) => {
    if (passes !== undefined)
      return `Stopped. ${carried.length} carried, ${settled.length} settled, in ${passes} passes.\n`
    return outcome === 'nothing'
      ? 'Nothing had to be carried.\n'
      : stepsOf({ outcome, carried, settled, ...pass })
          .map((line) => `${line}\n`)
          .join('')
  },
  {
    aside: (output, screen) => (output.passes === undefined ? noticeLines(output, screen) : ''),
    event: (pass, { paint }) => [...stepsOf(pass), ...pass.notices].map((step) => stepLine(step, paint)).join(''),
  },
)

const stepsOf = ({ carried, settled }: Carried): string[] => [
  ...carried.map(({ from, to }) => `carried ${shortHandle(from)} as ${shortHandle(to)}`),
  ...settled.map(({ from, outcome }) => `${outcome === 'failed' ? 'failed' : 'finished'} ${shortHandle(from)}`),
]
