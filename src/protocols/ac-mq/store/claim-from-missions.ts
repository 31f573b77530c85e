/** One claim on several missions, from the first that has a message for the agent. AC-MQ §4.2, §7.2. */
import { call } from '../../../kernel/call.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { ClaimOptions } from './claiming.ts'
import type { Mission } from './mission.ts'
import type { Blocked, Claimed } from './outcomes.ts'

/** Milliseconds between looks for new missions, whose folders are not watched yet. */
const lookAgainAfter = 2000

export async function claimFromMissions(
  tree: Tree,
  findMissions: () => Promise<readonly Mission[]>,
  options: ClaimOptions,
): Promise<Claimed> {
  const { id, waitMs = 0, ...rest } = options
  const { signal } = options
  if (id !== undefined) return (await theOneWith(id, await findMissions())).claims.next(options)
  const deadline = performance.now() + waitMs
  for (;;) {
    const missions = await findMissions()
    let blocked: Blocked[] = []
    const attempt = async (): Promise<Claimed | 'again' | undefined> => {
      blocked = []
      for (const mission of missions) {
        const claimed = await mission.claims.next(rest)
        if (claimed.outcome === 'claimed') return claimed
        blocked.push(...claimed.blocked)
      }
      // When a mission was made or removed, other folders have to be watched.
      return (await findMissions()).length === missions.length ? undefined : 'again'
    }
    const left = deadline - performance.now()
    const folders = missions.flatMap((mission) => [...mission.supervised, mission.inside])
    const found =
      left > 0
        ? await waitFor(tree, folders, attempt, { waitMs: Math.min(left, lookAgainAfter), signal })
        : await attempt()
    if (found && found !== 'again') return found
    const isOver = found !== 'again' && performance.now() >= deadline
    if (isOver || signal?.aborted) return { outcome: 'nothing', blocked }
  }
}

async function theOneWith(id: string, missions: readonly Mission[]): Promise<Mission> {
  const found: Mission[] = []
  for (const mission of missions) {
    for await (const _ of (await mission.overview()).meant(id)) {
      found.push(mission)
      break
    }
  }
  const [only, another] = found
  if (!only) {
    throw notFound('NO_SUCH_MESSAGE', `None of these missions has a message ${id}.`, {
      hint: `See what there is: ${call('acmq list', { mission: 'MISSION' })}`,
      details: { id, missions: missions.length },
    })
  }
  if (!another) return only
  const addresses = found.map(({ address }) => address)
  throw conflict('AMBIGUOUS_ID', `More than one mission has a message ${id}: ${addresses.join(', ')}.`, {
    hint: 'Name the one mission.',
    details: { id, missions: addresses },
  })
}
