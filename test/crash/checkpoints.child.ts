/** Makes checkpoints, or rolls back to the first and the second in turn until it is killed. `checkpoints ROOT create N` */
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { openStage, treeStates } from '../support/checkpoint-stage.ts'

const [root = '', verb = '', count = '0'] = process.argv.slice(2)
const by = { session: 'main', by: 'Orchestrator' }
const tree = await openFileTree({ root })
const { checkpoints } = await openStage(root, { tree, states: treeStates(tree) })
console.log('ready')
if (verb === 'create')
  for (let n = 0; n < Number(count); n++)
    console.log((await checkpoints.create({ ...by, type: 'manual', name: `n${n}` })).id)
else
  for (let n = 0; ; n++) {
    await checkpoints.rollback({ ...by, which: n % 2 === 0 ? 'second' : 'first' })
    console.log('done')
  }
await tree.close()
