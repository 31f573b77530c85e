import { onEveryEngine } from './every-engine.ts'
import { describeLocks } from './locks.ts'

onEveryEngine('locks', describeLocks)
