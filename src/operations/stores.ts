/** The protocols of a workspace, for code that asks the same of all of them. */
import type { TreePath } from '../kernel/tree-path.ts'
import { AgentDirectory } from '../messaging/agents/directory.ts'
import { unseen, unseenNotice, unseenRefusal } from '../messaging/agents/recipient.ts'
import type { Neutral, Store } from '../protocols/contract.ts'
import { home } from '../tree/home.ts'
import type { Context } from './define.ts'
import { type AnyProtocol, allProtocols, type ProtocolName, protocols, type SomeProtocol } from './protocols.ts'

export interface OpenedProtocol {
  readonly protocol: AnyProtocol
  readonly neutral: Neutral
}

/** What is needed to ask the stores. */
export type StoresPlace = Pick<Context, 'configuration' | 'store' | 'tree'>

/** Those that are used here, one after the other. Nothing of a protocol is loaded where it is not used. */
export async function* usedProtocols(context: StoresPlace): AsyncGenerator<OpenedProtocol> {
  for (const { load } of protocols) {
    const protocol = await load()
    if (await isUsed(context, protocol)) yield { protocol, neutral: await neutralOf(await context.store(protocol)) }
  }
}

const neutrals = new WeakMap<Store, Promise<Neutral>>()

/** A store in neutral words: the same object each time. */
export function neutralOf(store: Store): Promise<Neutral> {
  const made = neutrals.get(store) ?? store.neutral()
  neutrals.set(store, made)
  return made
}

/** All agents that were seen in any protocol, or were listed by people. */
export async function* seenAnywhere(context: StoresPlace): AsyncGenerator<string> {
  const directory = new AgentDirectory(await context.tree())
  for await (const { name } of directory.all()) yield name
  yield* directory.listed()
  yield* seenInFiles(context)
}

/** Whom the files of all protocols name as sender or holder. */
async function* seenInFiles(context: StoresPlace, options?: { readonly isSparing: boolean }): AsyncGenerator<string> {
  for await (const { neutral } of usedProtocols(context)) yield* neutral.seen(options)
}

/**
 * What to tell the sender of a recipient that was never seen in any protocol. Asked before anything is written: with the
 * setting `strict` such a recipient is refused, and a mistyped name leaves no inbox behind that is never read.
 */
export async function noticesAbout(
  context: StoresPlace,
  agent: string | undefined,
  options?: { readonly anyCase?: boolean },
): Promise<readonly string[]> {
  if (agent === undefined) return []
  const { strict } = await context.configuration()
  const inFiles = () => seenInFiles(context, { isSparing: !strict })
  const found = await unseen(new AgentDirectory(await context.tree()), agent, inFiles, options)
  if (found && strict) throw unseenRefusal(found)
  return found ? [unseenNotice(found)] : []
}

/** Something of it lies in the workspace, or it is configured. */
export async function isUsed(context: StoresPlace, protocol: AnyProtocol): Promise<boolean> {
  const { origins } = await context.configuration()
  const isOf = (name: string) => name.startsWith(`${protocol.name}.`)
  if (Object.entries(origins).some(([name, origin]) => isOf(name) && origin !== 'default')) return true
  const tree = await context.tree()
  const { isHere }: SomeProtocol = protocol
  if (isHere) return isHere(tree, await settingsOf(context, protocol))
  for (const path of [...(await foldersOf(context, protocol)), ...(protocol.traces ?? [])]) {
    if (await tree.look(path)) return true
  }
  return false
}

/** Where messages may be: the folders of all protocols as they are configured and as they are by default. */
export async function messageFolders(context: StoresPlace): Promise<TreePath[]> {
  const folders = [home]
  for (const protocol of await allProtocols()) {
    if (!protocol.isHere) folders.push(...defaultFolders(protocol))
    else if (!(await isUsed(context, protocol as AnyProtocol))) continue
    folders.push(...(await foldersOf(context, protocol)))
  }
  return [...new Set(folders)]
}

/** The files of protocols that lie beside their folders. */
export async function messageLeaves(context: StoresPlace): Promise<TreePath[]> {
  const leaves: TreePath[] = []
  for (const protocol of await allProtocols()) {
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
  for (const protocol of await allProtocols()) {
    if (protocol.isHere && !(await isUsed(context, protocol as AnyProtocol))) continue
    const settings = await settingsOf(context, protocol)
    places.push(...protocol.folders(settings), ...(protocol.leaves?.(settings) ?? []))
  }
  return places
}

/** The same where the settings cannot be read. */
export const defaultMessageFolders = async (): Promise<TreePath[]> => {
  const folders = (await allProtocols()).flatMap((protocol) => (protocol.isHere ? [] : defaultFolders(protocol)))
  return [...new Set([home, ...folders])]
}

const defaultFolders = ({ folders, defaults }: SomeProtocol) => folders(defaults)

const foldersOf = async (context: StoresPlace, protocol: SomeProtocol): Promise<readonly TreePath[]> =>
  protocol.folders(await settingsOf(context, protocol))

async function settingsOf(context: StoresPlace, protocol: SomeProtocol): Promise<unknown> {
  const { section } = await context.configuration()
  return protocol.settingsFrom(await section(protocol.name as ProtocolName))
}
