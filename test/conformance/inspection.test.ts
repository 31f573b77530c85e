import { onEveryEngine } from './every-engine.ts'
import { describeInspection } from './inspection.ts'

onEveryEngine('inspection', describeInspection)
