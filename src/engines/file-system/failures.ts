/** From the codes of the operating system to errors that say what happened, why, and what to do next. */

import { readFileSync } from 'node:fs'
import { call } from '../../kernel/call.ts'
import { corrupt, denied, invalidInput, SignalboxError, unavailable } from '../../kernel/errors.ts'
import { codeOf, type Disk, did, type Stats, unless } from './disk.ts'
import { leafTooLarge } from './files.ts'

const known: Record<string, (where: string) => SignalboxError> = {
  ENOSPC: (where) =>
    unavailable('DISK_FULL', `The disk is full: could not write ${where}.`, {
      hint: 'Free some space, then repeat the command; nothing acknowledged was lost.',
    }),
  EDQUOT: (where) =>
    unavailable('DISK_FULL', `The disk quota is used up: could not write ${where}.`, {
      hint: 'Free some space or raise the quota, then repeat the command.',
    }),
  EIO: (where) =>
    unavailable('DISK_ERROR', `The disk reported an input/output error at ${where}.`, {
      hint: 'Check the disk (dmesg, smartctl), then repeat the command.',
    }),
  EACCES: (where) =>
    denied('PERMISSION_DENIED', `No permission for ${where}.`, {
      hint: 'Run as the user who owns the root, or change the permissions there.',
    }),
  EPERM: (where) =>
    denied('PERMISSION_DENIED', `The system does not permit this change of ${where}.`, {
      hint: 'Check the owner and attributes of the file, and whether the file system has hard links.',
    }),
  EROFS: (where) =>
    denied('READ_ONLY_DISK', `The disk is mounted read-only: could not write ${where}.`, {
      hint: 'Mount it for writing, or choose another root.',
    }),
  EMFILE: (where) =>
    unavailable('TOO_MANY_OPEN_FILES', `This process has too many files open to reach ${where}.`, {
      hint: 'Raise the limit (ulimit -n), or run fewer things in one process.',
    }),
  ENFILE: (where) =>
    unavailable('TOO_MANY_OPEN_FILES', `The system has too many files open to reach ${where}.`, {
      hint: 'Close some programs or raise fs.file-max, then repeat the command.',
    }),
  ENAMETOOLONG: (where) =>
    invalidInput('NAME_TOO_LONG', `The file system does not take so long a name: ${where}.`, {
      hint: 'Choose a shorter name or a root with a shorter path.',
    }),
  EXDEV: (where) => onAnotherDevice(where),
  ENOTDIR: (where) =>
    corrupt('NOT_A_FOLDER', `A part of ${where} is a file where a folder should be.`, {
      hint: 'Move that file away, then repeat the command.',
    }),
  [leafTooLarge]: (where) =>
    corrupt(leafTooLarge, `The file ${where} is too large to be read as a message.`, {
      hint: 'Move it out of the tree and refer to it by its path instead.',
    }),
  EISDIR: (where) => notALeaf(where),
  ESPIPE: (where) => notALeaf(where),
  EAGAIN: (where) => notALeaf(where),
  ELOOP: (where) => linkRefused(where),
}

export const notALeaf = (where: string): SignalboxError =>
  corrupt('NOT_A_LEAF', `Not an ordinary file: ${where}.`, {
    hint: 'Remove it or move it out of the tree; links, pipes, sockets, devices and folders are not read as messages.',
  })

/** For a mount into which the system renames nothing, although a draft was written on its own device (`mount --bind`). */
export const onAnotherDevice = (where: string): SignalboxError =>
  unavailable(
    'OTHER_DEVICE',
    `${where} is mounted from elsewhere: files cannot be moved there in one step, so nothing was moved.`,
    { hint: 'Mount the whole root instead of a folder in it, or put a real folder there.' },
  )

export const linkRefused = (where: string): SignalboxError =>
  denied('LINK_REFUSED', `A symbolic link stands in the way at ${where}; links are not followed.`, {
    hint: 'Put a real folder there, or name the folder it points to as the root.',
  })

export const sharedFile = (where: string): SignalboxError =>
  corrupt('HARD_LINK', `The file ${where} has a second name; writing to it would change it there too.`, {
    hint: 'Put a copy in its place: cp FILE FILE.new, then mv FILE.new FILE.',
  })

/**
 * A file that this user may not read, though its folder is open to him. `details.owner` tells it from a folder that is
 * closed: see `src/messaging/leaves/readable.ts`.
 */
export function notReadable(where: string, stats: Stats, cause: unknown): SignalboxError {
  const owner = ownerOf(stats)
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  return denied('PERMISSION_DENIED', `This user may not read ${where}: it belongs to ${owner}, with mode ${mode}.`, {
    hint: 'Let this user read it (`chmod` or `chown`, as its owner or as root), or move it away.',
    details: { system: codeOf(cause), path: where, owner, mode },
    cause,
  })
}

/**
 * The folder that this user may not write in, if a step failed because of that. A verb writes in several folders: a claim can
 * fail because of the target queue or of the engine's own folder, and the path that was asked for names neither.
 */
export function closedFolder(disk: Disk, error: unknown): string | undefined {
  if (!refusals.includes(codeOf(error) ?? '')) return undefined
  const { path, dest } = error as { readonly path?: unknown; readonly dest?: unknown }
  for (const place of [dest, path]) {
    // Folders are named by their descriptors: see `Folders`.
    const [prefix] = typeof place === 'string' ? (/^\/proc\/\d+\/fd\/\d+\//.exec(place) ?? []) : []
    if (prefix === undefined || did(refusals, () => disk.expectWritable({ fd: -1, prefix }))) continue
    return unless([...refusals, 'ENOENT', 'EINVAL'], () => disk.readLink(prefix.slice(0, -1)))
  }
  return undefined
}

const refusals = ['EACCES', 'EPERM', 'EROFS']

/** Turns any failure into an error for people. A `SignalboxError` passes unchanged. */
export function explain(error: unknown, where: string): unknown {
  if (error instanceof SignalboxError) return error
  const code = codeOf(error)
  if (code === undefined) return error
  const describe = known[code]
  if (!describe) {
    return unavailable('DISK_ERROR', `The system answered ${code} at ${where}.`, {
      hint: `Run ${call('doctor')}; if it finds nothing, look at the disk and the mount.`,
      details: { system: code },
      cause: error,
    })
  }
  const described = describe(where)
  return new SignalboxError(described.kind, described.code, described.message, {
    ...(described.hint === undefined ? {} : { hint: described.hint }),
    details: { system: code, path: where },
    cause: error,
  })
}

/** The name that the system's list of users has for the owner, else the number. */
export function ownerOf({ uid }: Pick<Stats, 'uid'>, users = systemUsers): string {
  for (const line of users().split('\n')) {
    const [name, , id] = line.split(':')
    if (name && id === `${uid}`) return name
  }
  return uid === 0 ? 'root' : `user ${uid}`
}

function systemUsers(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    // No such list, or this user may not read it: the number has to do.
    return ''
  }
}
