import { printableLine } from '../../../../kernel/printable.ts'
import { mrInit } from '../../../../operations/mr/init.ts'
import { commandFace } from '../../command.ts'
import { noticeLines } from '../../notices.ts'

export const initFace = commandFace(
  mrInit,
  ({ outcome, agent, path, sequencesReset }, { paint }) => {
    const name = paint('bold', printableLine(agent))
    if (outcome === 'created') return `Made agent ${name}: ${printableLine(path)}\n`
    if (outcome === 'unchanged') return `Agent ${name} is there already: ${printableLine(path)}\n`
    return `Agent ${name} starts over: it numbers from 1 again towards ${sequencesReset} agent(s).\n`
  },
  { aside: noticeLines },
)
