import fc from 'fast-check'
import {
  isAsk,
  lift,
  lower,
  lowerTold,
  messageOf,
  textOf,
  toldId,
} from '../../../src/protocols/shared-agent/envelope.ts'
import { newSession, parseSession, printSession } from '../../../src/protocols/shared-agent/record.ts'
import { newTask, withNewTask } from '../../../src/protocols/shared-agent/tasks.ts'
import type { EnvelopeProtocol } from './drafts.ts'

const at = Date.parse('2026-01-01T12:00:00Z')

export const protocol: EnvelopeProtocol = {
  name: 'Shared Agent Protocol',
  roundTrip(draft) {
    const session = newSession('s', at)
    const written = isAsk(draft)
      ? withNewTask(session, lower(draft, newTask(session, at)))
      : { ...session, log: [{ n: 1, at, by: draft.from, ...lowerTold(draft) }] }
    const read = parseSession(Buffer.from(printSession(written)), 's')
    if ('wrong' in read) throw new Error(read.wrong)
    const [line] = read.log
    const told = line && ({ id: toldId(line.n), line, to: line.to![0]!, state: 'unread' } as const)
    const message = messageOf('s', told ?? read.tasks[0]!)
    return { ...lift(message), text: textOf(message.record) }
  },
  ids: fc.integer({ min: 1, max: 999 }).map((n) => `s:task_id_${String(n).padStart(3, '0')}`),
}
