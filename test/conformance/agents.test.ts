import { describeAgents } from './agents.ts'
import { onEveryEngine } from './every-engine.ts'

onEveryEngine('the directory of agents', describeAgents)
