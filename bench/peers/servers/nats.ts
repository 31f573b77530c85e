/** NATS with JetStream in files and its own settings: it flushes every two minutes. On the loopback, at a free port. */
import { readFileSync } from 'node:fs'
import type { NetConnectOpts } from 'node:net'
import { join } from 'node:path'
import type { Place } from '../../places.ts'
import { findProgram, versionOf } from './program.ts'
import { type Server, startServer } from './server.ts'

export async function startNats(place: Place): Promise<Server> {
  const program = await findProgram({
    name: 'nats-server',
    debianPackage: 'nats-server',
    folders: (root) => [join(root, 'usr/sbin'), join(root, 'usr/bin')],
  })
  const folder = place.folder('nats')
  const { place: found, stop } = await startServer({
    name: 'nats-server',
    command: program.path,
    args: ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', folder, '--ports_file_dir', folder],
    env: program.env,
    cwd: folder,
    signal: 'SIGKILL',
    place: ({ pid }) => portIn(join(folder, `nats-server_${pid}.ports`)),
  })
  const { port } = found as { port: number }
  return { name: `nats-server ${versionOf(program)}`, address: `127.0.0.1:${port}`, stop }
}

/** It chooses a free port and writes a file that says which. */
function portIn(file: string): NetConnectOpts | undefined {
  try {
    const { nats } = JSON.parse(readFileSync(file, 'utf8')) as { nats: string[] }
    const port = Number(/:(\d+)$/.exec(nats[0] ?? '')?.[1])
    return port > 0 ? { host: '127.0.0.1', port } : undefined
  } catch {
    return undefined // ENOENT or half a file: not yet.
  }
}
