/** `mr-agent ROOT BARE N STEPS PAUSE` is one agent in a process of its own; it prints its samples as JSON. */
import { runAgent } from './agent.ts'

const [root = '', bare = '', me, steps, pauseMs] = process.argv.slice(2)
const work = { root, bare, me: Number(me), steps: Number(steps), pauseMs: Number(pauseMs) }
console.log(JSON.stringify(await runAgent(work)))
