/**
 * An agent that starts anew for every message: opens the tree, claims, says what it got, closes. It ends when there is
 * nothing left. `cold-claimer ROOT AGENT`.
 */
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'

const [root = '', agent = ''] = process.argv.slice(2)
for (;;) {
  const tree = await openFileTree({ root })
  const missions = await acmq.open({ tree, clock: systemClock, settings: { ...acmq.defaults, rememberFrom: 1 } })
  const claimed = await (await missions.open('alpha')).claims.next({ agent })
  await tree.close()
  if (claimed.outcome === 'nothing') break
  const { id, priority, createdAt } = claimed.message
  console.log(`${priority} ${createdAt} ${id}`)
}
