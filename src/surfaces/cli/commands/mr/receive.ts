import { call } from '../../../../kernel/call.ts'
import { printableLine } from '../../../../kernel/printable.ts'
import { mrReceive } from '../../../../operations/mr/receive.ts'
import type { Gap, MrHeader, Rejected, Restart } from '../../../../operations/mr/view.ts'
import { commandFace } from '../../command.ts'
import { unreadableLines } from '../../lines.ts'
import type { Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'
import { messageText, news } from './texts.ts'

export const receiveFace = commandFace(
  mrReceive,
  ({ messages, envelopes, depth, toldBefore }, screen) => {
    if (envelopes.length === 0) return 'Nothing waits.\n'
    const texts = envelopes.map((header, n) => {
      const notices = header.notices.filter((notice) => !toldBefore.includes(notice))
      return messageText({ ...header, notices }, messages[n]!, nextSteps(header, screen), screen)
    })
    // Messages that were only looked at are still in the inbox.
    const more = depth - envelopes.filter(({ state }) => state === 'inbox').length
    return [...texts, ...(more > 0 ? [`${more} more in the inbox.\n`] : [])].join('\n')
  },
  {
    aside: (output, screen) =>
      [
        rejectedLines(output.rejected, screen),
        unreadableLines(
          output.unreadable.filter(({ reason }) => !output.toldBefore.includes(reason)),
          screen,
        ),
        gapLines(output, screen),
        evictedLines(output.evicted, screen),
        news(output, screen),
      ].join(''),
  },
)

/** The least that a result says, so that the command can be pasted. */
const sampleResult = { status: 'success' }

/** Empty unless the sender asks for something. */
function nextSteps({ id, from, to, type, requiresAck, state, isConverted }: MrHeader, { spell }: Screen): Row[] {
  if (state !== 'taken') return []
  const ack: Row[] = requiresAck ? [['acknowledge', spell(call('mr ack', { id, as: to }))]] : []
  // A sender that wrote in its own form reads only answers in that form.
  const form = isConverted ? { compat: true } : {}
  const answer = call('mr send', { as: to, to: from, type: 'result', replyTo: id, ...form, payload: sampleResult })
  return type === 'task-delegation' ? [...ack, ['when done', spell(answer)]] : ack
}

/** Another program may have filled the inbox with far too much, or with what is none of ours. */
const mostTold = 20

const evictedLines = (evicted: readonly string[], { paint }: Screen): string =>
  evicted
    .slice(0, mostTold)
    .map((id) => `${paint('yellow', 'evicted:')} ${printableLine(id)}\n`)
    .concat(evicted.length > mostTold ? [`… and ${evicted.length - mostTold} more that were evicted\n`] : [])
    .join('')

const rejectedLines = (rejected: readonly Rejected[], { paint }: Screen): string =>
  rejected
    .slice(0, mostTold)
    .map(({ file, path, code, issues }) => {
      const why = issues.map((issue) => printableLine(issue).replace(/\.$/, '')).join('; ')
      // With --peek nothing was moved.
      const isThere = path.endsWith(`/inbox/${file}`)
      const [what, where] = isThere ? ['no message:', 'It is still'] : ['rejected:', 'It is now']
      return `${paint('red', what)} ${printableLine(file)} (${printableLine(code)}): ${why}. ${where} ${printableLine(path)}\n`
    })
    .concat(rejected.length > mostTold ? [`… and ${rejected.length - mostTold} more that are no messages\n`] : [])
    .join('')

function gapLines(
  { gaps, restarts }: { readonly gaps: readonly Gap[]; readonly restarts: readonly Restart[] },
  { paint }: Screen,
): string {
  const missing = gaps.map(({ from, first, last, count }) => {
    const which = first === last ? `number ${first}` : `numbers ${first} to ${last}`
    return `${paint('yellow', 'missing:')} ${which} of ${printableLine(from)} (${count}) never came, or came too late\n`
  })
  const again = restarts.map(
    ({ from, after }) => `${paint('yellow', 'note:')} ${printableLine(from)} began at 1 again, after number ${after}\n`,
  )
  return [...missing, ...again].join('')
}
