import { printableLine } from '../../../../kernel/printable.ts'
import { archive } from '../../../../operations/acmq/archive.ts'
import { commandFace } from '../../command.ts'

export const archiveFace = commandFace(archive, ({ archived, mission }) =>
  archived === 0 ? 'Nothing is old enough.\n' : `Archived ${archived} of ${printableLine(mission)}.\n`,
)
