/** The protocols that the explorer plays. The next one adds a line here. */
import { AcmqActor } from './acmq-actor.ts'
import { checkAcmq } from './acmq-checks.ts'
import { acmqWorlds } from './acmq-stories.ts'
import { CirceActor } from './circe-actor.ts'
import { checkCirce } from './circe-checks.ts'
import { circeWorlds } from './circe-stories.ts'
import { DreamActor } from './dream-actor.ts'
import { checkDream } from './dream-checks.ts'
import { dreamWorlds } from './dream-stories.ts'
import { MrActor } from './mr-actor.ts'
import { checkMr } from './mr-checks.ts'
import { mrWorlds } from './mr-stories.ts'
import { NeutralActor } from './neutral-actor.ts'
import { checkNeutral } from './neutral-checks.ts'
import { neutralWorlds } from './neutral-stories.ts'
import { SessionActor } from './session-actor.ts'
import { checkSessions } from './session-checks.ts'
import { sessionWorlds } from './session-stories.ts'
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

const circe: Protocol<CirceActor> = {
  name: 'circe',
  worlds: circeWorlds,
  open: async (company) => new CirceActor(company),
  recovery: 'tasks',
  check: checkCirce,
}

const dream: Protocol<DreamActor> = {
  name: 'dream',
  worlds: dreamWorlds,
  open: async (company) => new DreamActor(company),
  recovery: 'doctor',
  check: checkDream,
}

const session: Protocol<SessionActor> = {
  name: 'session',
  worlds: sessionWorlds,
  open: async (company) => new SessionActor(company),
  recovery: 'doctor',
  check: checkSessions,
}

/** The verbs for every agent, which are of no protocol. */
const neutral: Protocol<NeutralActor> = {
  name: 'neutral',
  worlds: neutralWorlds,
  open: async (company) => new NeutralActor(company),
  recovery: 'doctor',
  check: checkNeutral,
}

export type ProtocolName = 'acmq' | 'mr' | 'circe' | 'dream' | 'session' | 'neutral'

export const protocols = { acmq, mr, circe, dream, session, neutral } as unknown as Readonly<
  Record<ProtocolName, Protocol<Actor>>
>
