import { bridge } from '../../../../operations/bridge.ts'
import { commandFace } from '../../command.ts'
import { carriedSteps, noticeLines, stepLine } from '../../lines.ts'

export const bridgeFace = commandFace(
  bridge,
  ({ outcome, passes, ...pass }) => {
    const { carried, settled } = pass
    if (passes !== undefined)
      return `Stopped. ${carried.length} carried, ${settled.length} settled, in ${passes} passes.\n`
    return outcome === 'nothing'
      ? 'Nothing had to be carried.\n'
      : carriedSteps(pass)
          .map((line) => `${line}\n`)
          .join('')
  },
  {
    aside: (output, screen) => (output.passes === undefined ? noticeLines(output, screen) : ''),
    event: (pass, { paint }) => [...carriedSteps(pass), ...pass.notices].map((step) => stepLine(step, paint)).join(''),
  },
)
