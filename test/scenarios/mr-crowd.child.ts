/** One agent of the crowd, as in the benchmark. */
import { runAgent } from '../../bench/mr/agent.ts'

const [root = '', bare = '', me, steps, pauseMs] = process.argv.slice(2)
const work = { root, bare, me: Number(me), steps: Number(steps), pauseMs: Number(pauseMs) }
console.log(JSON.stringify(await runAgent(work)))
