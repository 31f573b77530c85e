/** The protocols that the explorer plays. The next one adds a line here. */
import { AcmqActor } from './acmq-actor.ts'
import { checkAcmq } from './acmq-checks.ts'
import { acmqWorlds } from './acmq-stories.ts'
import type { Actor, Protocol } from './story.ts'

const acmq: Protocol<AcmqActor> = {
  name: 'acmq',
  worlds: acmqWorlds,
  open: async (company) => new AcmqActor(company),
  check: checkAcmq,
}

export const protocols = { acmq } as unknown as Readonly<Record<'acmq', Protocol<Actor>>>
