/** Redis with its append-only file, flushed every second or before every answer. Listens on a socket file only. */
import { join } from 'node:path'
import type { Place } from '../../places.ts'
import { findProgram, versionOf } from './program.ts'
import { type Server, startServer } from './server.ts'

export const startRedis = (appendfsync: 'everysec' | 'always') => async (place: Place) => {
  const program = await findProgram({
    name: 'redis-server',
    debianPackage: 'redis-server',
    folders: (root) => [join(root, 'usr/bin')],
  })
  const folder = place.folder(`redis-${appendfsync}`)
  const path = join(folder, 'redis.sock')
  const persistence = ['--appendonly', 'yes', '--appendfsync', appendfsync, '--save', '']
  const { stop } = await startServer({
    name: 'redis-server',
    command: program.path,
    args: ['--port', '0', '--unixsocket', path, '--unixsocketperm', '700', '--dir', folder, ...persistence],
    env: program.env,
    cwd: folder,
    signal: 'SIGKILL',
    place: () => ({ path }),
  })
  return { name: `Redis ${versionOf(program)}`, address: path, stop } satisfies Server
}
