import { printableLine } from '../../../../kernel/printable.ts'
import { milestone } from '../../../../operations/acmq/milestone.ts'
import { commandFace } from '../../command.ts'

export const milestoneFace = commandFace(milestone, ({ outcome, milestones }, { paint }) => {
  const lines = milestones.map(
    ({ title, done }) => `  ${done ? paint('green', '[x]') : '[ ]'} ${printableLine(title)}\n`,
  )
  return `${outcome === 'unchanged' ? 'That is so already' : 'Changed'}:\n${lines.join('')}`
})
