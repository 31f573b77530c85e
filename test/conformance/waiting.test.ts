import { onEveryEngine } from './every-engine.ts'
import { describeWaiting } from './waiting.ts'

onEveryEngine('waiting', describeWaiting)
