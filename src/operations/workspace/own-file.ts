/**
 * The user's own file, outside of every workspace: which servers may be spoken to, and by which credentials. A workspace
 * may have been cloned from a stranger, so it says neither. See docs/decisions/0028-settings-of-a-stranger.md.
 *
 *   etcd://e1:2379,e2:2379/team:       trusted, for workspaces that name this very address
 *     user: team                       what goes to that server, and to no other
 *     passwordFile: /home/ada/secrets/etcd
 */
import { denied, invalidInput } from '../../kernel/errors.ts'
import type { InputOf } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import type { Environment } from '../define.ts'
import type { Root } from './root.ts'
import { longestFile } from './settings.ts'
import { bad, checkedEntry, entriesOf, type SettingsFile } from './settings-file.ts'
import { etcd } from './users-settings.ts'

export type ServerSettings = Partial<InputOf<typeof etcd>>
/** By address, as it is written in `engine:`. */
export type TrustedServers = ReadonlyMap<string, ServerSettings>

/** Where a program may look: the environment, and the world around it. */
export interface OwnPlace {
  readonly environment: Environment
  readonly outside: Outside
  /** The workspace, in which nothing of the user's own is looked for. */
  readonly root: Root
}

const isFullPath = (path: string | undefined): path is string => path?.startsWith('/') === true

/** `$XDG_CONFIG_HOME/signalbox`, else `~/.config/signalbox`; `undefined` where the environment names neither. */
export function ownFolder({ environment: { XDG_CONFIG_HOME, HOME } }: Pick<OwnPlace, 'environment'>) {
  // A relative one counts as not set, as the XDG specification has it.
  if (isFullPath(XDG_CONFIG_HOME)) return `${XDG_CONFIG_HOME.replace(/\/+$/, '')}/signalbox`
  return isFullPath(HOME) ? `${HOME.replace(/\/+$/, '')}/.config/signalbox` : undefined
}

export function ownFilePath({ environment }: Pick<OwnPlace, 'environment'>): string | undefined {
  const named = environment.SIGNALBOX_CONFIG
  if (!named) {
    const folder = ownFolder({ environment })
    return folder && `${folder}/config.yaml`
  }
  if (isFullPath(named)) return named
  throw invalidInput('BAD_CONFIGURATION', 'In the environment: SIGNALBOX_CONFIG must be a full path.', {
    hint: 'Write it from the root of the file system on, such as /home/ada/.config/signalbox/config.yaml.',
    details: { variable: 'SIGNALBOX_CONFIG' },
  })
}

export async function readTrustedServers(place: OwnPlace): Promise<TrustedServers> {
  const servers = new Map<string, ServerSettings>()
  const file = readOwnFile(place)
  for (const entry of file ? await entriesOf(file) : []) {
    if (!/^etcd:\/\/[^/@\s]+\/[^/@\s]+$/.test(entry.key)) {
      throw bad(file!, entry.line, `${JSON.stringify(entry.key)} is not the address of a server.`, {
        hint: 'Write addresses as `etcd://HOST:PORT/TENANT:`, and what goes to that server below, indented.',
      })
    }
    const { value } = entry
    if (value.kind === 'list' || (value.kind === 'scalar' && value.scalar !== null)) {
      throw bad(file!, entry.line, 'an address is a section; found a value.', {
        hint: 'Write nothing behind it, and its keys on lines of their own below, indented.',
      })
    }
    const inner = value.kind === 'section' ? value.entries : []
    const values = inner.map((one) => [one.key, checkedEntry(one, file!, etcd, { section: 'etcd' })])
    servers.set(entry.key, Object.fromEntries(values.filter(([, value]) => value !== undefined)))
  }
  return servers
}

/** The file, if there is one. One that another user could have written is refused, not ignored. */
function readOwnFile(place: OwnPlace): SettingsFile | undefined {
  const path = ownFilePath(place)
  const found = path === undefined ? undefined : place.outside.readSettings(path, { atMost: longestFile, links: true })
  if (path === undefined || found === undefined) return undefined
  if (found.kind !== 'file') throw refused(path, 'is not a file', 'Move it away, and write a file of that name.')
  if (isInside(place, path)) {
    const hint =
      'Keep it elsewhere and set SIGNALBOX_CONFIG to its full path, or set SIGNALBOX_ENGINE and SIGNALBOX_ETCD_….'
    throw refused(path, `lies inside the workspace ${place.root.path}, whose author may have written it`, hint)
  }
  if (!found.isOwn) throw refused(path, 'belongs to another user', 'Write one of your own.')
  if (found.mayOthersWrite) throw refused(path, 'can be changed by others', `Take that right away: chmod go-w ${path}`)
  return { path, text: found.text, mayBeQuoted: true }
}

/**
 * Whether a workspace could have brought this along. Links on the way are followed on both sides: it matters where a file
 * is, not how it was named. A current directory that is no workspace brings nothing: it may well be the home directory.
 */
export function isInside({ outside, root }: Pick<OwnPlace, 'outside' | 'root'>, path: string): boolean {
  if (root.by === 'current') return false
  const folder = outside.realPath(root.path)
  return `${outside.realPath(path)}/`.startsWith(folder === '/' ? folder : `${folder}/`)
}

const refused = (path: string, why: string, hint: string) =>
  denied('OWN_FILE_REFUSED', `Your own settings, ${path}, are not read: the file ${why}.`, { hint, details: { path } })
