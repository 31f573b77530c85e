/**
 * Takes a turn, says so, and once it is told anything tries to write, in every way there is: `etcd-turn ADDRESS SECONDS`.
 * Prints what became of each, as JSON.
 */
import { once } from 'node:events'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'

const [address = '', turnSeconds = ''] = process.argv.slice(2)
const tree = await openEtcdTree({ address, turnSeconds: Number(turnSeconds) })
const bytes = (text: string) => Buffer.from(text)

await tree.exclusively('inbox', async () => {
  await tree.create(at('held/first'), bytes('in time'))
  const { revision } = (await tree.read(at('held/first')))!
  console.log('mine')
  await once(process.stdin, 'data')
  const late: Record<string, () => Promise<unknown>> = {
    create: () => tree.create(at('held/late'), bytes('late')),
    'create in a new folder': () => tree.create(at('new/late'), bytes('late')),
    replace: () => tree.replace(at('held/first'), bytes('late'), revision),
    touch: () => tree.touch(at('held/first')),
    append: () => tree.append(at('held/log'), 'late'),
    move: () => tree.move(at('held/first'), at('moved/first')),
    remove: () => tree.remove(at('held/first')),
    makeFolder: () => tree.makeFolder(at('late')),
    lease: () => tree.lease('late', 'me', 60_000),
  }
  const said: Record<string, string> = {}
  for (const [verb, write] of Object.entries(late)) {
    said[verb] = await write().then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
  }
  console.log(JSON.stringify(said))
})
// The turn that was lost is over: this process may take another.
console.log(await tree.exclusively('inbox', async () => (await tree.create(at('held/again'), bytes('x'))).outcome))
await tree.close()
process.exit(0)
