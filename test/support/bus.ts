/** For tests: a bus of a few protocols on one tree, opened by hand. */
import type { Bus, Member } from '../../src/bridge/bus.ts'
import { AgentDirectory } from '../../src/messaging/agents/directory.ts'
import type { Neutral } from '../../src/protocols/contract.ts'
import type { Tree } from '../../src/tree/tree.ts'

export function busOn(tree: Tree, neutrals: Readonly<Record<string, () => Promise<Neutral>>>): Bus {
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
