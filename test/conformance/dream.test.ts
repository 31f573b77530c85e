import { describeDream } from './dream.ts'
import { onEveryEngine } from './every-engine.ts'

onEveryEngine('Dream.OS', describeDream)
