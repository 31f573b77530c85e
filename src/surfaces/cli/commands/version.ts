import { version } from '../../../operations/version.ts'
import { commandFace } from '../command.ts'

export const versionFace = commandFace(version, (told) => `signalbox ${told.version} (${told.runtime})\n`)
