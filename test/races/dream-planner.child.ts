/** Answers plans, finishes tasks and writes into the logs as fast as it can: `dream-planner ROOT NAME COUNT`. */
import { openDreamFiles } from '../support/dream-files.ts'

const [root = '', name = '', count = '0'] = process.argv.slice(2)
const { dream, close } = await openDreamFiles(root)
for (let n = 0; n < Number(count); n++) {
  const id = `${name}-${n}`
  const task = {
    task_id: id,
    action: 'RUN',
    params: {},
    target_agent: name,
    status: 'PENDING',
    priority: n,
    depends_on: [],
  }
  await dream.planning.answer({ plan: `plan-${id}`, planner: name, results: [task] })
  await dream.logs.add('NOTED', name, { n, text: 'x'.repeat(500) })
  await dream.tasks.dispatch('Supervisor')
  await dream.settling.done(name, `task_${id}.json`, { output: { n } })
}
await close()
