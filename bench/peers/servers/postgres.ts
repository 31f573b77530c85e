/** PostgreSQL with its own settings, so that a commit is on the disk. Listens on a socket file only. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Place } from '../../places.ts'
import { Unavailable } from '../unavailable.ts'
import { findProgram, versionOf } from './program.ts'
import { type Server, startServer } from './server.ts'

export const postgresUser = 'bench'
const patienceMs = 120_000

export async function startPostgres(place: Place): Promise<Server> {
  const program = await findProgram({ name: 'postgres', debianPackage: 'postgresql', folders: versionsIn })
  const folder = place.folder('postgres')
  const user = userFor(folder)
  const data = join(folder, 'data')
  const options = { cwd: folder, env: { ...process.env, ...program.env }, ...user }
  const initdb = join(dirname(program.path), 'initdb')
  const trusted = ['--auth=trust', `--username=${postgresUser}`, '--encoding=UTF8', '--no-locale']
  const made = spawnSync(initdb, ['-D', data, ...trusted], { ...options, encoding: 'utf8', timeout: patienceMs })
  // Ctrl-C is sent to both programs, but our own handler would only run later.
  if (made.signal === 'SIGINT') process.exit(130)
  if (made.status !== 0) throw new Unavailable(`initdb failed: ${(made.stderr ?? '').trim().split('\n').at(-1)}`)
  const { stop } = await startServer({
    name: 'postgres',
    command: program.path,
    args: ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=100'],
    env: program.env,
    cwd: folder,
    ...(user ? { user } : {}),
    signal: 'SIGQUIT', // Its other processes end with it.
    place: () => ({ path: join(folder, '.s.PGSQL.5432') }),
  })
  return { name: `PostgreSQL ${versionOf(program)}`, address: folder, stop }
}

/** Newest first. */
function versionsIn(root: string): string[] {
  const folder = join(root, 'usr/lib/postgresql')
  try {
    const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(folder, version, 'bin'))
  } catch {
    return [] // ENOENT: not installed that way.
  }
}

/** PostgreSQL refuses to run as root, so use another user, who must be able to reach the folder. */
function userFor(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const found = spawnSync('id', ['-u', name], { encoding: 'utf8' })
    if (found.status !== 0) continue
    const uid = Number(found.stdout)
    const gid = Number(execFileSync('id', ['-g', name], { encoding: 'utf8' }))
    chmodSync(dirname(folder), 0o711)
    chownSync(folder, uid, gid)
    return { uid, gid }
  }
  throw new Unavailable('it refuses to run as root, and there is no other user to run it as')
}
