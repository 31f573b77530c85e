/** One actor plays one story. */
import type { Clock } from '../../src/kernel/clock.ts'
import type { Actor, Company, Protocol, Who } from './story.ts'

/** The worlds are set up now, and the stories happen two hours later: every claim has run out by then. */
export const startedAt = Date.now()
const later = 2 * 60 * 60 * 1000

/** Held still, and a second apart, so that two who send the same do not send it in the same instant. */
export function timeOf(who: Who, start = startedAt): Clock {
  const at = start + { before: 0, first: later, second: later + 1000, third: later + 2000 }[who]
  return { now: () => at }
}

/** `story` empty: sets the world up. */
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
