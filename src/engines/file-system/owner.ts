/** Whose a file is, in words for people. */
import { readFileSync } from 'node:fs'
import type { Stats } from './disk.ts'

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
    // No such list on this system, or not for us: the number has to do.
    return ''
  }
}
