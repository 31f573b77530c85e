import { onEveryEngine } from './every-engine.ts'
import { describeMr } from './mr.ts'

onEveryEngine('Message Routing', describeMr)
