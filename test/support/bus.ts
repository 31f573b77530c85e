/** All protocols on one tree as one bus, as a workspace has them. */
import type { Bus, Member } from '../../src/bridge/bus.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { AgentDirectory } from '../../src/messaging/agents/directory.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import type { Neutral, Protocol } from '../../src/protocols/contract.ts'
import { dream } from '../../src/protocols/dream-os/index.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import { sharedAgent } from '../../src/protocols/shared-agent/index.ts'
import type { Tree } from '../../src/tree/tree.ts'

// biome-ignore lint/suspicious/noExplicitAny: each has settings of its own.
const protocols: readonly Protocol<string, any, any, any, any>[] = [acmq, messageRouting, circe, dream, sharedAgent]

export const homeNames = protocols.map(({ name }) => name)

/** `used`: the protocols of which something lies there. */
export function busOn(tree: Tree, used: readonly string[] = homeNames, clock: Clock = systemClock): Bus {
  const opened = new Map<string, Promise<Member>>()
  const member = (name: string): Promise<Member> => {
    const known = opened.get(name) ?? open(name)
    opened.set(name, known)
    return known
  }
  async function open(name: string): Promise<Member> {
    const protocol = protocols.find((one) => one.name === name)!
    const store = await protocol.open({ tree, clock, settings: protocol.defaults })
    return { name, title: protocol.title, neutral: await store.neutral() }
  }
  return {
    tree,
    directory: new AgentDirectory(tree),
    names: homeNames,
    async *used() {
      for (const name of used) yield member(name)
    },
    member,
    noticesAbout: async () => [],
  }
}

/** The same of a few protocols that the test has opened itself. */
export function busOf(tree: Tree, neutrals: Readonly<Record<string, () => Promise<Neutral>>>): Bus {
  const names = Object.keys(neutrals)
  const member = async (name: string): Promise<Member> => ({ name, title: name, neutral: await neutrals[name]!() })
  return {
    tree,
    directory: new AgentDirectory(tree),
    names,
    async *used() {
      for (const name of names) yield member(name)
    },
    member,
    noticesAbout: async () => [],
    homes: async () =>
      (await Promise.all(names.map(async (name) => (await member(name)).neutral.homes?.() ?? []))).flat(),
  }
}
