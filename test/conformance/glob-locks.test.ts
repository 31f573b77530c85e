import { onEveryEngine } from './every-engine.ts'
import { describeGlobLocks } from './glob-locks.ts'

onEveryEngine('glob locks', describeGlobLocks)
