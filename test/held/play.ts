/** One actor plays one story. */
import type { Clock } from '../../src/kernel/clock.ts'
import type { Actor, Company, Protocol, Who } from './story.ts'

/** Worlds are set up at this time, and stories play two hours later, when every claim has run out. */
export const startedAt = Date.now()
const later = 2 * 60 * 60 * 1000

/** A clock that stands still, a second apart for each actor, so that two never send at the same time. */
export function timeOf(who: Who, start = startedAt): Clock {
  const at = start + { before: 0, first: later, second: later + 1000, third: later + 2000 }[who]
  return { now: () => at }
}

/** Without a `story` it sets the world up. */
export async function play(
  protocol: Protocol<Actor>,
  worldName: string,
  storyName: string,
  company: Company,
  onBegin: (actor: Actor) => void = () => {},
): Promise<Actor> {
  const world = protocol.worlds[worldName]!
  const story = storyName === '' ? { act: world.setUp } : world.stories[storyName]
  if (!story) throw new Error(`There is no story ${storyName} in ${worldName}.`)
  const actor = await protocol.open(company)
  await story.begin?.(actor)
  onBegin(actor)
  await story.act(actor)
  return actor
}
