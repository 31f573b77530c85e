/** Installs the other queues and starts their servers. Those that cannot take part are named with the reason. */
import { breathe } from '../measure.ts'
import type { Peer, ServerName } from './peers.ts'
import type { Server } from './servers/server.ts'
import { reasonOf } from './unavailable.ts'

export interface Means {
  install(packages: string): Promise<string>
  serve(server: ServerName): Promise<Server>
  /** A folder for a peer without a server. */
  folder(name: string): string
}

export interface Ready {
  readonly peer: Peer
  readonly packages: string
  readonly place: string
}

export interface Missing {
  readonly name: string
  readonly reason: string
}

export async function getReady(
  peers: readonly Peer[],
  means: Means,
): Promise<{ ready: Ready[]; missing: Missing[]; servers: Server[] }> {
  const ready: Ready[] = []
  const missing: Missing[] = []
  const servers = new Map<ServerName, Promise<Server>>()
  for (const peer of peers) {
    // The installation blocked everything, Ctrl-C too: handle it now.
    await breathe()
    try {
      const packages = peer.packages === undefined ? '' : await means.install(peer.packages)
      ready.push({ peer, packages, place: await placeOf(peer) })
    } catch (error) {
      missing.push({ name: peer.name, reason: reasonOf(error) })
    }
  }
  const started = await Promise.allSettled(servers.values())
  return { ready, missing, servers: started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])) }

  async function placeOf({ kind, server }: Peer): Promise<string> {
    if (server === undefined) return means.folder(kind)
    const starting = servers.get(server) ?? means.serve(server)
    servers.set(server, starting)
    return (await starting).address
  }
}

export const noteOf = ({ name, reason }: Missing): string => `Without ${name}: ${reason}.`.replace(/\.+$/, '.')
