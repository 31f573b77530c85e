/** The commands about this program itself. */
import { bench, version } from '../../../operations/about.ts'
import { commandFace } from '../command.ts'

export const versionFace = commandFace(version, (told) => `signalbox ${told.version} (${told.runtime})\n`)

export const benchFace = commandFace(bench, ({ outcome, exit }) =>
  outcome === 'measured' ? '' : `The benchmark ended with status ${exit}.\n`,
)
