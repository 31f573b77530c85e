import { describeCirce } from './circe.ts'
import { onEveryEngine } from './every-engine.ts'

// Rules that need no agreement are the same on one node and on three; `npm run soak` tries them on both.
const isQuick = process.env.SIGNALBOX_TEST_SCALE === undefined
onEveryEngine('CIRCE', (title, prepare, nodes) => describeCirce(title, prepare, { brief: nodes > 1 && isQuick }))
