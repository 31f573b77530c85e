import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Quarantined } from '../../contract.ts'
import { circe } from '../index.ts'

it('[X-human][CI-3b] what is put back gets a name that no other message has, and its reason goes', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const neutral = await store.neutral()
  const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
  const message = `# MESSAGE\nfrom: lead\nto: qa\nintent: inform\nstatus: new\ncreated_at: 2026-01-01T12:00:00Z\n\nHello\n`
  for (const name of ['LOGS/hello.md', 'LOGS/rejected/hello.md']) await tree.create(at(name), message)
  // The second file of this name that was set aside.
  await tree.create(at('LOGS/rejected/hello~2.md'), message)
  for (const name of ['hello.md', 'hello~2.md']) await tree.create(at(`LOGS/rejected/${name}.reason`), 'It was none.\n')
  const files: Quarantined[] = []
  for await (const file of neutral.quarantined!()) files.push(file)
  expect(files.map(({ id, reason }) => [id, reason])).toEqual([
    ['hello.md', 'It is a message by now, and waits to be put back.'],
    ['hello~2.md', 'It is a message by now, and waits to be put back.'],
  ])
  const back = await Promise.all(files.map((file) => neutral.putBack!(file)))
  expect(back.map(({ id, state }) => [id, state]).sort()).toEqual([
    ['hello~2', 'new'],
    ['hello~3', 'new'],
  ])
  expect(await tree.list(at('LOGS/rejected'))).toEqual([])
  await expect(neutral.putBack!(files[0]!)).rejects.toMatchObject({ code: 'NO_SUCH_MESSAGE', exit: 3 })
  expect(await store.claiming.claim('qa')).toMatchObject({ outcome: 'claimed', message: { body: 'Hello\n' } })
})
