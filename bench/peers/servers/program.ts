/**
 * A server's program: as it is installed here, else from Debian's packages, unpacked into the cache. Nothing is
 * installed into the system, so nobody needs to be root.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cached } from '../cache.ts'
import { Unavailable } from '../unavailable.ts'

export interface Program {
  readonly path: string
  /** Where its libraries are, if not in the usual places. */
  readonly env: Readonly<Record<string, string>>
}

export interface Wanted {
  readonly name: string
  readonly debianPackage: string
  /** Folders to look in besides those of PATH, below `/` or below where the package is unpacked. */
  readonly folders: (root: string) => readonly string[]
}

export async function findProgram(wanted: Wanted): Promise<Program> {
  const path = (process.env.PATH ?? '').split(delimiter)
  const installed = findIn([...wanted.folders('/'), ...path], wanted.name)
  if (installed) return { path: installed, env: {} }
  const root = await cached(`debian-${wanted.debianPackage}-${process.arch}`, (folder) =>
    unpack(wanted.debianPackage, folder),
  )
  const unpacked = findIn(wanted.folders(root), wanted.name)
  if (!unpacked) throw new Unavailable(`the Debian package ${wanted.debianPackage} has no ${wanted.name}`)
  return { path: unpacked, env: { LD_LIBRARY_PATH: libraryFolders(root).join(delimiter) } }
}

/** Unpacks the package and those packages it needs that are not installed here. */
function unpack(name: string, folder: string): void {
  const planned = call('apt-get', ['install', '--simulate', '--yes', '--no-install-recommends', name], folder, name)
  const needed = [...planned.matchAll(/^Inst (\S+)/gm)].map(([, one]) => one!)
  call('apt-get', ['download', ...new Set([...needed, name])], folder, name)
  for (const file of readdirSync(folder).filter((file) => file.endsWith('.deb'))) {
    call('dpkg-deb', ['--extract', file, '.'], folder, name)
  }
}

function call(program: string, args: readonly string[], cwd: string, wanted: string): string {
  const { error, status, signal, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  // Ctrl-C is sent to both programs, but our own handler would only run later.
  if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(130)
  if (error) throw new Unavailable(`it is not installed, and there is no ${program} to get ${wanted} with`)
  if (status === 0) return stdout
  const reason = stderr.split('\n').find((line) => line.startsWith('E:')) ?? stderr
  throw new Unavailable(`it is not installed, and ${program} could not get ${wanted}: ${reason.trim()}`)
}

const findIn = (folders: readonly string[], name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find(isExecutable)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Not there, or not for us.
  }
}

const libraryFolders = (root: string): string[] =>
  ['usr/lib', 'lib']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.includes('-linux-'))
        .map((name) => join(folder, name)),
    )

/** Its version number, from what it prints. */
export function versionOf({ path, env }: Program): string {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', env: { ...process.env, ...env } })
  return /\d+(\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'of unknown version'
}
