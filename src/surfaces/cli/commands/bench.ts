import { bench } from '../../../operations/bench.ts'
import { commandFace } from '../command.ts'

export const benchFace = commandFace(bench, ({ outcome, exit }) =>
  outcome === 'measured' ? '' : `The benchmark ended with status ${exit}.\n`,
)
