/** The protocols of a workspace, for whoever asks the same of all of them. */
import type { TreePath } from '../kernel/tree-path.ts'
import type { Neutral } from '../protocols/contract.ts'
import { home } from '../tree/home.ts'
import type { Context } from './define.ts'
import { type AnyProtocol, type ProtocolLine, type ProtocolName, protocols } from './protocols.ts'

export interface OpenedProtocol {
  readonly protocol: AnyProtocol
  readonly neutral: Neutral
}

/** Those that are used here, one after the other. Nothing of a protocol is loaded where it is not used. */
export async function* usedProtocols(context: Context, besides?: AnyProtocol): AsyncGenerator<OpenedProtocol> {
  for (const { protocol } of protocols) {
    if (protocol !== besides && (await isUsed(context, protocol)))
      yield { protocol, neutral: await (await context.store(protocol)).neutral() }
  }
}

/** Everybody who has been seen in the protocols besides this one. Asked only when this one knows nothing of somebody. */
export async function* seenElsewhere(context: Context, protocol: AnyProtocol): AsyncGenerator<string> {
  for await (const { neutral } of usedProtocols(context, protocol)) yield* neutral.seen()
}

/** Something of it lies in the workspace, or somebody has configured it. */
export async function isUsed(context: Context, protocol: AnyProtocol): Promise<boolean> {
  const { origins } = await context.configuration()
  const isConfigured = Object.keys(protocol.section).some((key) => origins[`${protocol.name}.${key}`] !== 'default')
  if (isConfigured) return true
  const tree = await context.tree()
  for (const path of [...(await foldersOf(context, protocol)), ...(protocol.traces ?? [])]) {
    if (await tree.look(path)) return true
  }
  return false
}

/** Where messages may be: the folders of all protocols as they are configured and as they are by default. */
export async function messageFolders(context: Context): Promise<TreePath[]> {
  const folders = [home]
  for (const { protocol } of protocols) {
    folders.push(...defaultFolders(protocol), ...(await foldersOf(context, protocol)))
  }
  return [...new Set(folders)]
}

/** The same where the settings cannot be read. */
export const defaultMessageFolders = (): TreePath[] => [
  ...new Set([home, ...protocols.flatMap(({ protocol }) => defaultFolders(protocol))]),
]

const defaultFolders = ({ folders, defaults }: ProtocolLine['protocol']) => folders(defaults)

async function foldersOf(context: Context, protocol: ProtocolLine['protocol']): Promise<readonly TreePath[]> {
  const { sections } = await context.configuration()
  return protocol.folders(protocol.settingsFrom(sections[protocol.name as ProtocolName]))
}
