/** The commands that change one message and say so in one line. */
import type { AcmqView } from '../../../../operations/acmq/mission.ts'
import { complete, fail, renew, retry } from '../../../../operations/acmq/settle.ts'
import { commandFace } from '../../command.ts'
import { noticeLines, writtenLine } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'

const settled = (did: string, { outcome, message }: { outcome: string; message: AcmqView }, screen: Screen): string =>
  writtenLine(outcome === 'unchanged' ? `Was ${message.state} already:` : did, message, screen)

export const completeFace = commandFace(complete, (output, screen) => settled('Completed', output, screen), {
  aside: noticeLines,
})
export const failFace = commandFace(fail, (output, screen) => settled('Failed', output, screen))
export const retryFace = commandFace(
  retry,
  (output, screen) => settled(`Waits again, attempt ${output.message.attempt}:`, output, screen),
  { aside: noticeLines },
)
export const renewFace = commandFace(renew, (output, screen) => settled(`Yours until ${output.until}:`, output, screen))
