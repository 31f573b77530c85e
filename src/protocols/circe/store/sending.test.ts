import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { circe } from '../index.ts'
import { cacheFolder } from '../layout.ts'

it('[CI-3b] no two tasks that are sent differ by case alone, claimed or not; those found are told', async () => {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
  const send = (task: string) =>
    store.sending.send({ from: 'lead', to: 'engineer', intent: 'fix_bug', task, summary: 'It leaks' })
  const waiting = async () => (await tree.list(at('NEW_MESSAGES'))).length
  await send('AUTH-1')
  const refused = { code: 'TASK_DIFFERS_BY_CASE', exit: 2, hint: expect.stringContaining('AUTH-1') }
  await expect(send('auth-1')).rejects.toMatchObject(refused)
  expect(await waiting()).toBe(1)
  await store.claiming.claim('engineer')
  for (const { name } of await tree.list(treePath(`${cacheFolder}/tasks`)))
    await tree.remove(treePath(`${cacheFolder}/tasks/${name}`))
  await expect(send('Auth-1')).rejects.toMatchObject(refused)
  await send('AUTH-1')
  await send('AUTH-10')
  expect(await waiting()).toBe(2)
  const isSame = ({ code }: { readonly code: string }) => code === 'SAME_TASK'
  expect((await store.inspect()).filter(isSame)).toEqual([])
  await tree.create(at('TASKS/auth-1.owner'), 'owner: qa\n')
  expect((await store.inspect()).filter(isSame)).toMatchObject([
    { severity: 'warning', path: at('TASKS/auth-1.status') },
  ])
})
