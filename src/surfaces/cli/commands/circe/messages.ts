/** The commands about messages: sending, taking and dealing with them. */
import { call } from '../../../../kernel/call.ts'
import { printableLine } from '../../../../kernel/printable.ts'
import { circeAnswer } from '../../../../operations/circe/answer.ts'
import { circeClaim } from '../../../../operations/circe/claim.ts'
import type { CirceViewWithBody } from '../../../../operations/circe/fields.ts'
import { circeAck, circeDone, circeStart } from '../../../../operations/circe/handle.ts'
import { circeInit } from '../../../../operations/circe/init.ts'
import { circeSend } from '../../../../operations/circe/send.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { noticeLines, writtenLine } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

export const initFace = commandFace(circeInit, ({ agents }, { paint }) =>
  agents
    .map(({ outcome, agent, path }) => {
      const name = paint('bold', printableLine(agent))
      return `${outcome === 'created' ? `Made agent ${name}` : `Agent ${name} is there already`}: ${printableLine(path)}\n`
    })
    .join(''),
)

export const sendFace = commandFace(
  circeSend,
  ({ message, delivered }, screen) => {
    const to = delivered.length > 0 ? delivered.join(', ') : message.to
    return writtenLine(`Sent to ${printableLine(to)}`, message, screen)
  },
  { aside: noticeLines },
)

type Claimed = Awaited<ReturnType<typeof circeClaim.invoke>>

export const claimFace = commandFace(circeClaim, claimText, { aside: noticeLines })

function claimText(claimed: Claimed, screen: Screen): string {
  if (claimed.outcome === 'claimed') return messageText(claimed.message, claimed.agent, screen)
  if (claimed.owned.length === 0) return 'Nothing to claim.\n'
  const rows = grid(
    claimed.owned,
    [{ text: ({ task }) => task, colour: () => 'bold' }, { text: ({ owner }) => `is ${owner}’s` }],
    screen,
    '  ',
  )
  return `Nothing to claim. Owned by others:\n${rows}`
}

function messageText(message: CirceViewWithBody, agent: string, screen: Screen): string {
  const { file, from, intent, task, status, createdAt, path, headers, notices, body } = message
  const rows: Row[] = [
    ['file', file],
    ['from', from],
    ['intent', intent],
    ['task', task],
    ['status', status === 'new' ? undefined : status],
    ...Object.entries(headers),
    ['sent', createdAt],
    ['path', path],
    ...notices.map((notice): Row => ['note', notice]),
    ['to begin', screen.spell(call('circe start', { as: agent, file }))],
    ['when done', screen.spell(call('circe done', { as: agent, file }))],
  ]
  return `${fieldList(rows, screen)}${quotation(body, from, screen, path)}`
}

const did = { started: 'Started', acknowledged: 'Acknowledged', handled: 'Done with', unchanged: 'That is so already:' }

type Handled = Awaited<ReturnType<typeof circeStart.invoke | typeof circeAck.invoke | typeof circeDone.invoke>>

const handledLine = ({ outcome, message }: Handled, screen: Screen) => writtenLine(did[outcome], message, screen)

export const startFace = commandFace(circeStart, handledLine)
export const ackFace = commandFace(circeAck, handledLine)
export const doneFace = commandFace(circeDone, handledLine)

export const answerFace = commandFace(circeAnswer, ({ outcome, message }, screen) =>
  writtenLine(
    outcome === 'answered' ? `Answered ${printableLine(message.to)}` : 'Answered so already:',
    message,
    screen,
  ),
)
