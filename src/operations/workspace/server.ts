/**
 * What a server is told about us. An address that the user names (`--engine`, `SIGNALBOX_ENGINE`) is the user's word. One
 * that only the workspace names is spoken to when the user's own file lists it, and gets what stands there, so that a
 * stranger's workspace can send neither messages nor a password anywhere.
 */
import { inputs } from '../../kernel/call.ts'
import { denied } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { Configuration } from './configuration.ts'
import { type OwnPlace, ownFilePath, readTrustedServers, type ServerSettings } from './own-file.ts'
import { configurationFile, isEtcd } from './settings.ts'

export async function serverSettings(configuration: Configuration, place: OwnPlace): Promise<ServerSettings> {
  const { engine, origins } = configuration
  const trusted = (await readTrustedServers(place)).get(engine)
  if (origins.engine === 'file') {
    if (!trusted) throw notTrusted(configuration, place)
    return trusted
  }
  const set = await configuration.section('etcd')
  const said = Object.entries(set).filter(([key]) => origins[`etcd.${key}`] === 'environment')
  return { ...trusted, ...Object.fromEntries(said) }
}

/** The line that trusts an address, as a command to copy. The address has been checked, and needs no other quotes. */
export function howToTrust(address: string, place: Pick<OwnPlace, 'environment'>): string {
  const path = ownFilePath(place)
  if (path === undefined) return `name it yourself: SIGNALBOX_ENGINE=${address}`
  const folder = path.replace(/\/[^/]*$/, '')
  return `(umask 077 && mkdir -p '${folder}' && echo '${address}:' >> '${path}')`
}

function notTrusted({ engine, lines }: Configuration, place: OwnPlace) {
  const file = place.outside.resolve(place.root.path, configurationFile)
  const address = printableLine(engine)
  // Only what needs no quotes in a shell is offered for copying.
  const hint = isEtcd(engine)
    ? `If you know this server, trust it: ${howToTrust(engine, place)} Or name it yourself with ${inputs({ engine: null })} or SIGNALBOX_ENGINE.`
    : `Name the server yourself, with ${inputs({ engine: null })} or SIGNALBOX_ENGINE.`
  const what = `this workspace keeps its messages on ${address}, a server that you have not trusted.`
  return denied('SERVER_NOT_TRUSTED', `${file}:${lines.engine ?? 1}: ${what}`, { hint, details: { address: engine } })
}
