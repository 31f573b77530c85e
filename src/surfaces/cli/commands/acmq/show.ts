import { show } from '../../../../operations/acmq/show.ts'
import { commandFace } from '../../command.ts'
import { messageText } from './message-text.ts'

export const showFace = commandFace(show, ({ message }, screen) => messageText(message, [], screen))
