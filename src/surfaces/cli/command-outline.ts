/**
 * Every command by its operation, in the order in which help lists them. `scripts/command-table.mjs` makes the table
 * from it that a cold command reads: here every operation is loaded.
 */
import { bench, version } from '../../operations/about.ts'
import type { Operation } from '../../operations/define.ts'
import { demo } from '../../operations/demo/demo.ts'
import { doctor } from '../../operations/doctor.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from '../../operations/human.ts'
import { init } from '../../operations/init.ts'
import { agentsAdd, agentsList, agentsRemove, agentsShow } from '../../operations/neutral/agents.ts'
import { lock, locks, unlock } from '../../operations/neutral/locks.ts'
import { show, thread, wait, why } from '../../operations/neutral/look.ts'
import { now } from '../../operations/neutral/now.ts'
import { search } from '../../operations/neutral/search.ts'
import { send } from '../../operations/neutral/send.ts'
import { done, fail, release, renew } from '../../operations/neutral/settle.ts'
import { inbox, take } from '../../operations/neutral/take.ts'
import { protocols } from '../../operations/protocols.ts'
import { exportWorkspace, importWorkspace } from '../../operations/transfer/import.ts'
import { mirror } from '../../operations/transfer/mirror.ts'
import { completion } from './commands/completion.ts'

export interface Outline {
  readonly name: string
  readonly summary: string
  /** The member that is meant when none is named; without one, help is. */
  readonly alone?: string
  /** For a protocol: the members that agents use all day. */
  readonly everyday?: readonly string[]
  readonly members: readonly (Operation | Outline)[]
}

export const commandOutline = async (): Promise<Outline> => ({
  name: 'signalbox',
  summary: 'One message bus for coding agents: plain files are the only truth.',
  alone: 'now',
  members: [
    init,
    now,
    send,
    inbox,
    take,
    done,
    fail,
    release,
    renew,
    wait,
    show,
    thread,
    why,
    search,
    lock,
    unlock,
    locks,
    {
      name: 'agents',
      summary: 'Who is there, and where each reads.',
      alone: 'list',
      members: [agentsList, agentsAdd, agentsShow, agentsRemove],
    },
    ...(await Promise.all(
      protocols.map(async ({ name, load, operations, everyday }) => ({
        name,
        summary: (await load()).summary,
        everyday,
        members: await operations(),
      })),
    )),
    {
      name: 'human',
      summary: 'What waits for a person: look, answer, approve, deny.',
      alone: 'list',
      members: [humanList, humanApprove, humanDeny, humanAnswer],
    },
    doctor,
    mirror,
    importWorkspace,
    exportWorkspace,
    demo,
    bench,
    completion,
    version,
  ],
})
