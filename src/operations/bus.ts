/** The protocols of this workspace as one bus, for the verbs that concern every agent. */
import { Box } from '../bridge/box.ts'
import type { Bus, Member } from '../bridge/bus.ts'
import { invalidInput } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { AgentDirectory } from '../messaging/agents/directory.ts'
import type { GivenHome } from '../protocols/contract.ts'
import { type AnyProtocol, type ProtocolLine, protocols } from './protocols.ts'
import { isUsed, neutralOf, noticesAbout, type StoresPlace, usedProtocols } from './stores.ts'

export async function busOf(context: StoresPlace): Promise<Bus> {
  const tree = await context.tree()
  const names = protocols.map(({ name }) => name)
  return {
    tree,
    directory: new AgentDirectory(tree),
    async homes() {
      const homes: GivenHome[] = []
      for (const { load, givesHomes } of protocols as readonly ProtocolLine[]) {
        const protocol = givesHomes ? ((await load()) as AnyProtocol) : undefined
        if (!protocol || !(await isUsed(context, protocol))) continue
        homes.push(...((await (await neutralOf(await context.store(protocol))).homes?.()) ?? []))
      }
      return homes
    },
    names,
    async *used() {
      for await (const { protocol, neutral } of usedProtocols(context)) yield memberOf(protocol, neutral)
    },
    async member(name) {
      const line = protocols.find((one) => one.name === name)
      if (!line) throw noSuchProtocol(name, names)
      const protocol: AnyProtocol = await line.load()
      return memberOf(protocol, await neutralOf(await context.store(protocol)))
    },
    noticesAbout: (agent) => noticesAbout(context, agent, { anyCase: true }),
  }
}

const memberOf = ({ name, title }: AnyProtocol, neutral: Member['neutral']): Member => ({ name, title, neutral })

export const boxOf = async (context: StoresPlace): Promise<Box> => new Box(await busOf(context))

const noSuchProtocol = (name: string, names: readonly string[]) => {
  const meant = nearest(name, names)
  return invalidInput('NO_SUCH_PROTOCOL', `There is no protocol ${JSON.stringify(name.slice(0, 80))}.`, {
    hint: meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`,
    details: { protocol: name.slice(0, 400) },
  })
}
