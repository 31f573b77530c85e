import { describeAcmq } from './acmq.ts'
import { onEveryEngine } from './every-engine.ts'

// Whoever settles a claim that another process has just made or ended may be told a moment too early that there is none.
onEveryEngine('AC-MQ', describeAcmq, { apart: false })
