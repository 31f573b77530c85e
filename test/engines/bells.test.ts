/** Bells that ring so soon after each other that a system, or a runtime, makes one event of them. */
import { expect } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { listen, ring } from '../../src/messaging/waiting/waiting.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

verifies('SA-12e', 'whoever has heard a bell hears it again when it rings at once once more', async () => {
  const root = quickTempDir()
  const [one, other] = [await openFileTree({ root }), await openFileTree({ root })]
  const folder = treePath('bells')
  await ring(one, folder)
  const listening = await listen(one, folder)
  const heard: string[] = []
  for (let n = 0; n < 20; n++) {
    await ring(other, folder)
    heard.push(await listening.next(2000))
    await ring(other, folder)
    heard.push(await listening.next(2000))
    // What still comes of these two is not taken for the next.
    while ((await listening.next(20)) === 'rung');
  }
  expect(heard).toEqual(heard.map(() => 'rung'))
  listening.close()
  await Promise.all([one.close(), other.close()])
})
