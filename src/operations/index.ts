/** What a user can ask for: every operation, in the order in which help lists them. Whoever reads this loads all of them. */
import { bench, version } from './about.ts'
import { bridge } from './bridge.ts'
import type { Operation } from './define.ts'
import { demo } from './demo/demo.ts'
import { doctor } from './doctor.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from './human.ts'
import { init } from './init.ts'
import { agentsAdd, agentsList, agentsRemove, agentsShow } from './neutral/agents.ts'
import { lock, locks, unlock } from './neutral/locks.ts'
import { show, thread, wait, why } from './neutral/look.ts'
import { now } from './neutral/now.ts'
import { search } from './neutral/search.ts'
import { send } from './neutral/send.ts'
import { done, fail, release, renew } from './neutral/settle.ts'
import { inbox, take } from './neutral/take.ts'
import { protocols } from './protocols.ts'
import { schema } from './schema.ts'
import { exportWorkspace, importWorkspace } from './transfer/import.ts'
import { mirror } from './transfer/mirror.ts'

export interface Outline {
  readonly name: string
  readonly summary: string
  /** The member that is meant when none is named; without one, help is. */
  readonly alone?: string
  /** For a protocol: the members that agents use all day. */
  readonly everyday?: readonly string[]
  readonly members: readonly (Operation | Outline)[]
}

export const outline = async (): Promise<Outline> => ({
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
    bridge,
    doctor,
    mirror,
    importWorkspace,
    exportWorkspace,
    demo,
    bench,
    schema,
    version,
  ],
})

/** Every operation by its words: `acmq claim`. */
export async function allOperations(): Promise<ReadonlyMap<string, Operation>> {
  const found = new Map<string, Operation>()
  const walk = ({ members }: Outline, path: readonly string[]) => {
    for (const member of members) {
      const words = [...path, member.name]
      if ('members' in member) walk(member, words)
      else found.set(words.join(' '), member)
    }
  }
  walk(await outline(), [])
  return found
}
