/** The protocols of a workspace, for whoever asks the same of all of them. */
import { notFound } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { printableLine } from '../kernel/printable.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Neutral } from '../protocols/contract.ts'
import { home } from '../tree/home.ts'
import type { Context } from './define.ts'
import { type AnyProtocol, type ProtocolLine, type ProtocolName, protocols } from './protocols.ts'

export interface OpenedProtocol {
  readonly protocol: AnyProtocol
  readonly neutral: Neutral
}

/** What it takes to ask them. */
export type StoresPlace = Pick<Context, 'configuration' | 'store' | 'tree'>

/** Those that are used here, one after the other. Nothing of a protocol is loaded where it is not used. */
export async function* usedProtocols(context: StoresPlace, besides?: AnyProtocol): AsyncGenerator<OpenedProtocol> {
  for (const { protocol } of protocols) {
    if (protocol !== besides && (await isUsed(context, protocol)))
      yield { protocol, neutral: await (await context.store(protocol)).neutral() }
  }
}

/** Everybody who has been seen in the protocols besides this one. Asked only when this one knows nothing of somebody. */
export async function* seenElsewhere(context: StoresPlace, protocol: AnyProtocol): AsyncGenerator<string> {
  for await (const { neutral } of usedProtocols(context, protocol)) yield* neutral.seen()
}

/** Names that mean nobody in particular, or a person. */
const isSomeAgent = (name: string): boolean => !/^(all|broadcast|rooster)$/i.test(name)

/**
 * With the setting `strict`: throws when nobody has seen this agent in any protocol. Called before anything is written, so that
 * a mistyped name leaves no inbox behind that nobody reads.
 */
export async function expectSeen(context: StoresPlace, agent: string | undefined): Promise<void> {
  if (agent === undefined || !isSomeAgent(agent) || !(await context.configuration()).strict) return
  const names = new Set<string>()
  for await (const { neutral } of usedProtocols(context)) {
    for await (const name of neutral.seen()) {
      if (name.toLowerCase() === agent.toLowerCase()) return
      names.add(name)
    }
  }
  const meant = nearest(agent, names)
  throw notFound(
    'UNSEEN_AGENT',
    `Nobody has seen ${printableLine(agent.slice(0, 80))}, and \`strict\` is set: nothing was sent.`,
    {
      hint:
        meant === undefined ? 'Let it act once, as by looking for work, or unset `strict`.' : `Did you mean ${meant}?`,
      details: { agent: agent.slice(0, 400), known: [...names].slice(0, 100) },
    },
  )
}

/** Something of it lies in the workspace, or somebody has configured it. */
export async function isUsed(context: StoresPlace, protocol: AnyProtocol): Promise<boolean> {
  const { origins } = await context.configuration()
  const isConfigured = Object.keys(protocol.section).some((key) => origins[`${protocol.name}.${key}`] !== 'default')
  if (isConfigured) return true
  const tree = await context.tree()
  const { isHere }: ProtocolLine['protocol'] = protocol
  if (isHere) return isHere(tree, await settingsOf(context, protocol))
  for (const path of [...(await foldersOf(context, protocol)), ...(protocol.traces ?? [])]) {
    if (await tree.look(path)) return true
  }
  return false
}

/** Where messages may be: the folders of all protocols as they are configured and as they are by default. */
export async function messageFolders(context: StoresPlace): Promise<TreePath[]> {
  const folders = [home]
  for (const { protocol } of protocols as readonly ProtocolLine[]) {
    if (!protocol.isHere) folders.push(...defaultFolders(protocol))
    else if (!(await isUsed(context, protocol as AnyProtocol))) continue
    folders.push(...(await foldersOf(context, protocol)))
  }
  return [...new Set(folders)]
}

/** The files of protocols that lie beside their folders. */
export async function messageLeaves(context: StoresPlace): Promise<TreePath[]> {
  const leaves: TreePath[] = []
  for (const { protocol } of protocols as readonly ProtocolLine[]) {
    const hasSome = protocol.leaves ?? protocol.looseLeaves
    if (!hasSome || !(await isUsed(context, protocol as AnyProtocol))) continue
    const settings = await settingsOf(context, protocol)
    leaves.push(...(protocol.leaves?.(settings) ?? []))
    leaves.push(...((await protocol.looseLeaves?.(await context.tree(), settings)) ?? []))
  }
  return leaves
}

/**
 * Where messages lie as things are configured, the files beside the folders too. Folders whose names others use as well
 * count only where their protocol is used: elsewhere they are the user's own.
 */
export async function messagePlaces(context: StoresPlace): Promise<TreePath[]> {
  const places: TreePath[] = []
  for (const { protocol } of protocols as readonly ProtocolLine[]) {
    if (protocol.isHere && !(await isUsed(context, protocol as AnyProtocol))) continue
    const settings = await settingsOf(context, protocol)
    places.push(...protocol.folders(settings), ...(protocol.leaves?.(settings) ?? []))
  }
  return places
}

/** The same where the settings cannot be read. */
export const defaultMessageFolders = (): TreePath[] => [
  ...new Set([
    home,
    ...(protocols as readonly ProtocolLine[]).flatMap(({ protocol }) =>
      protocol.isHere ? [] : defaultFolders(protocol),
    ),
  ]),
]

const defaultFolders = ({ folders, defaults }: ProtocolLine['protocol']) => folders(defaults)

const foldersOf = async (context: StoresPlace, protocol: ProtocolLine['protocol']): Promise<readonly TreePath[]> =>
  protocol.folders(await settingsOf(context, protocol))

async function settingsOf(context: StoresPlace, protocol: ProtocolLine['protocol']): Promise<unknown> {
  const { sections } = await context.configuration()
  return protocol.settingsFrom(sections[protocol.name as ProtocolName])
}
