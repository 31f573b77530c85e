/** Dies in the middle of a rewrite, or, told `locked`, while it holds the lock of a replace. `killed-mover ROOT [locked]` */
import { type FilePlace, realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { steppingDisk } from '../support/stepping-disk.ts'

const [root = '', where = 'moving'] = process.argv.slice(2)
const disk = steppingDisk(realDisk(), (step, values, call) => {
  const target = step === 'link' ? (values[1] as FilePlace).name : ''
  // With the private file and the note in place, just before the new file gets its name.
  if (where === 'moving' && target === 'm.md') process.kill(process.pid, 'SIGKILL')
  const result = call()
  if (where === 'locked' && target.startsWith('lock.')) process.kill(process.pid, 'SIGKILL')
  return result
})
const tree = await openFileTree({ root, disk })
if (where === 'moving') {
  await tree.move(treePath('a/m.md'), treePath('b/m.md'), { change: () => Buffer.from('longer than before') })
} else {
  const path = treePath('counter')
  await tree.replace(path, Buffer.from('x'), (await tree.read(path))!.revision)
}
