/** The commands about this program itself. */
import { bench } from '../../../operations/bench.ts'
import { version } from '../../../operations/version.ts'
import { commandFace } from '../command.ts'

export const versionFace = commandFace(version, (told) => `signalbox ${told.version} (${told.runtime})\n`)

export const benchFace = commandFace(bench, ({ outcome, exit }) =>
  outcome === 'measured' ? '' : `The benchmark ended with status ${exit}.\n`,
)
