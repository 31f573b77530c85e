/** Reports on mission `m`, kept at a place or printed, and says how long it is. `report ROOT [OUT]` */
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'

const [root = '', out] = process.argv.slice(2)
const tree = await openFileTree({ root })
const mission = await (await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })).open('m')
const { document, parts, isShortened } = await (await mission.memory()).report({
  mode: 'bottom-up',
  ...(out === undefined ? {} : { out }),
})
console.log(JSON.stringify({ length: document.length, parts, isShortened }))
await tree.close()
