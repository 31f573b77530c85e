import { mrRecover } from '../../../../operations/mr/recover.ts'
import { commandFace } from '../../command.ts'
import { writtenLine } from './message-text.ts'

export const recoverFace = commandFace(mrRecover, ({ outcome, from, message }, screen) =>
  writtenLine(outcome === 'unchanged' ? 'Is in the inbox already:' : `Back from ${from}/:`, message, screen),
)
