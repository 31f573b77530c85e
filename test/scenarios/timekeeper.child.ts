/** Says what a tree and its leaves say about time, by whatever clock this process has. `timekeeper PLACE` */
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'

const [place = ''] = process.argv.slice(2)
const tree = place.startsWith('etcd://') ? await openEtcdTree({ address: place }) : await openFileTree({ root: place })
const path = treePath(`times/${process.pid}`)
// First of all a write: nothing has been asked before it that could have told the time.
await tree.create(path, 'made')
const made = (await tree.look(path))?.modifiedAt
await tree.touch(path)
const touched = (await tree.look(path))?.modifiedAt
const { outcome, lease } = await tree.lease('turn', 'timekeeper', 15_000)
console.log(JSON.stringify({ own: Date.now(), now: await tree.now(), made, touched, outcome, until: lease.until }))
await tree.close()
