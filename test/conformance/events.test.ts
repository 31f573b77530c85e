import { describeEvents } from './events.ts'
import { onEveryEngine } from './every-engine.ts'

onEveryEngine('logs of events', describeEvents)
