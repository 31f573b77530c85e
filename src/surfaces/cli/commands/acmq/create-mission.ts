import { printableLine } from '../../../../kernel/printable.ts'
import { createMission } from '../../../../operations/acmq/create-mission.ts'
import { commandFace } from '../../command.ts'

export const createMissionFace = commandFace(createMission, ({ outcome, mission, path, manifest }, { paint }) => {
  const name = paint('bold', printableLine(mission))
  if (outcome === 'unchanged') return `Mission ${name} is there already: ${printableLine(path)}\n`
  return `Made mission ${name}: ${printableLine(path)}\nSay what it is for in ${printableLine(manifest)}\n`
})
