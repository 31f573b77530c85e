import { onEveryEngine } from './every-engine.ts'
import { describeSessions } from './session.ts'

onEveryEngine('sessions', describeSessions)
