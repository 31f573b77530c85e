import { onEveryEngine } from './every-engine.ts'
import { describeQuarantine } from './quarantine.ts'

onEveryEngine('the quarantine', describeQuarantine)
