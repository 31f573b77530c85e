/** `#LOCK`, `#UNLOCK` and `#WAIT:lock=…`. Shared Agent Protocol §12, "Resource Locking" and "Conflict Resolution Rules". */
import { normalize, resolve } from 'node:path/posix'
import type { LockPriority, LockWish } from '../../../messaging/locks/line.ts'
import type { LockRequest } from '../../../messaging/locks/lock-request.ts'
import { NamedLocks } from '../../../messaging/locks/named-locks.ts'
import { lockSpace, type Sitting } from '../layout.ts'
import { Refusal } from '../refusal.ts'
import { isOrchestrator, type SessionParts } from './parts.ts'
import { type CommandAnswer, type Handlers, isRunning, nothing, type Speech, sittingOf, told } from './speech.ts'

const second = 1000
const longestResource = 1024

export const locksOf = ({ tree }: Pick<SessionParts, 'tree'>, sitting: Sitting): NamedLocks =>
  new NamedLocks(tree, lockSpace(sitting))

export const lockHandlers: Handlers = {
  async LOCK(speech) {
    const { parts, given } = speech
    const resource = resourceOf(parts, given.resource)
    const { timeout } = given
    const ttl = timeout === undefined ? parts.settings.lockMs : Number(timeout) * second
    const locks = locksOf(parts, sittingOf(speech))
    const taken = await take(speech, locks, locks.request(wishOf(speech, resource, ttl)), resource)
    if (!taken) throw sessionEnded()
    return taken.outcome === 'busy' ? nothing(`busy:${taken.owner}`) : { ...told('locked'), lock: taken.lease }
  },

  async UNLOCK(speech) {
    const { parts, agent, given } = speech
    const resource = resourceOf(parts, given.resource)
    const isForced = given.force !== undefined
    if (isForced && !isOrchestrator(parts, agent))
      throw new Refusal('E005', 'only_orchestrator_may_force', 'Ask the orchestrator to force it.')
    const locks = locksOf(parts, sittingOf(speech))
    const owner = (await locks.holding(resource))?.owner
    if (owner === undefined || (owner !== agent && !isForced)) return nothing('not_owner')
    const isNoted = isForced
      ? await noteIt(speech, 'UNLOCK:force', resource, `taken from ${owner}`)
      : await noteIt(speech, 'UNLOCK', resource)
    if (!isNoted) throw sessionEnded()
    // The lock may have run out meanwhile, and have another owner: `release` checks that.
    return (await locks.release(resource, owner)) === 'gone' ? nothing('not_owner') : told('unlocked')
  },
}

/** `ready` means that the waiter has the lock. */
export async function waitForLock(speech: Speech, wanted: string, waitMs: number): Promise<CommandAnswer> {
  const { parts, signal } = speech
  const resource = resourceOf(parts, wanted)
  const locks = locksOf(parts, sittingOf(speech))
  const request = await locks.waitingRequest(wishOf(speech, resource, parts.settings.lockMs), { waitMs, signal })
  try {
    do {
      const taken = await take(speech, locks, request, resource)
      if (taken?.outcome === 'held') return { ...told('ready'), lock: taken.lease }
      if (taken?.circle) return nothing(`busy:${taken.owner}`, taken.circle.join(' → '))
    } while ((await request.next()) && (await isRunning(speech)))
    return nothing('timeout')
  } finally {
    await request.close()
  }
}

function wishOf({ agent, given }: Speech, resource: string, ttl: number): LockWish {
  const priority = Number((given['P0-P3'] ?? 'P2').slice(1)) as LockPriority
  return { resource, owner: agent, ttl, priority }
}

/** `undefined`: the session has ended meanwhile. */
const take = (speech: Speech, locks: NamedLocks, request: LockRequest, resource: string) =>
  locks.turn(async () => {
    const busy = await request.busy()
    return busy ?? ((await noteIt(speech, 'LOCK', resource)) ? request.take() : undefined)
  })

/** Logs a step before it is done, so that a kill leaves no step without a line. False: the session and its locks have ended. */
function noteIt(speech: Speech, did: string, about: string, text?: string): Promise<boolean> {
  const { parts, agent } = speech
  const line = { did, about, ...(text === undefined ? {} : { text }) }
  return parts.documents.note(sittingOf(speech), agent, () => line)
}

const sessionEnded = () =>
  new Refusal('E005', 'session_ended', 'The session ended while this was said. Say it again to start it anew.')

/** One name for one thing: `./src//a.js`, `../here/src/a.js` and the absolute path are `src/a.js`. An address stays as it is. */
function resourceOf({ ports: { folder } }: SessionParts, text = ''): string {
  const name = text.trim().normalize('NFC')
  if (name === '') throw new Refusal('E002', 'missing_resource', '<resource> is missing.')
  if (name.length > longestResource)
    throw new Refusal('E002', `max_resource_${longestResource}`, 'The name of the resource is too long.')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return name
  const path = normalize(name)
  const whole = folder === undefined ? path : resolve(folder, path)
  const within = folder !== undefined && `${whole}/`.startsWith(`${folder}/`) ? whole.slice(folder.length + 1) : path
  return within.replace(/(?<=.)\/$/, '') || '.'
}
