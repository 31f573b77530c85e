/** The protocols that the explorer plays. The next one adds a line here. */
import { AcmqActor } from './acmq-actor.ts'
import { checkAcmq } from './acmq-checks.ts'
import { acmqWorlds } from './acmq-stories.ts'
import { MrActor } from './mr-actor.ts'
import { checkMr } from './mr-checks.ts'
import { mrWorlds } from './mr-stories.ts'
import type { Actor, Protocol } from './story.ts'

const acmq: Protocol<AcmqActor> = {
  name: 'acmq',
  worlds: acmqWorlds,
  open: async (company) => new AcmqActor(company),
  recovery: 'supervise',
  check: checkAcmq,
}

const mr: Protocol<MrActor> = {
  name: 'mr',
  worlds: mrWorlds,
  open: async (company) => new MrActor(company),
  recovery: 'doctor',
  check: checkMr,
}

export const protocols = { acmq, mr } as unknown as Readonly<Record<'acmq' | 'mr', Protocol<Actor>>>
