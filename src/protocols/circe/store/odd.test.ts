/** Links, pipes and folders in the place of messages and task files, and what is far too large: told, and nothing hangs. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock, systemClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { circe } from '../index.ts'

const message = (from: string, to: string, intent: string, task: string) =>
  `# MESSAGE\nfrom: ${from}\nto: ${to}\nintent: ${intent}\ntask_id: ${task}\nstatus: new\ncreated_at: 2025-11-21T17:00:00Z\n`

describe('in the place of files', () => {
  it('[CI-4d] links, pipes and folders named like messages are told and stop nothing', async () => {
    const root = tempDir()
    const tree = await openFileTree({ root, clock: systemClock })
    const store = await circe.open({ tree, clock: systemClock, settings: circe.defaults })
    await store.agents.init('qa')
    const at = (...names: string[]) => join(root, circe.defaults.root, ...names)
    const outside = join(tempDir(), 'outside.md')
    writeFileSync(outside, message('a', 'qa', 'inform', 'T-1'))
    for (const folder of [['NEW_MESSAGES'], ['AGENTS', 'qa', 'INBOX'], ['AGENTS', 'qa', 'WORKSPACE'], ['LOGS']]) {
      symlinkSync(outside, at(...folder, 'link.md'))
      mkdirSync(at(...folder, 'folder.md'))
      execFileSync('mkfifo', [at(...folder, 'pipe.md')])
    }
    execFileSync('mkfifo', [at('TASKS', 'T-2.status')])
    symlinkSync(outside, at('TASKS', 'T-2.owner'))
    mkdirSync(at('TASKS', 'T-2.checks'))
    writeFileSync(at('NEW_MESSAGES', `${'long'.repeat(45)}.md`), message('a', 'qa', 'inform', 'T-1'))
    writeFileSync(at('NEW_MESSAGES', 'good.md'), message('a', 'qa', 'inform', 'T-1'))
    expect(await store.claiming.claim('qa')).toMatchObject({ outcome: 'claimed', message: { file: 'good.md' } })
    expect(await store.settling.start('qa', 'good.md')).toMatchObject({ outcome: 'started' })
    expect(await store.claiming.claim('qa')).toMatchObject({ outcome: 'nothing' })
    expect((await store.overview.tasks()).map(({ id }) => id)).toEqual(['T-1'])
    const findings = await store.inspect()
    expect(findings.filter(({ code }) => code === 'BAD_FILE_NAME').map(({ path }) => path)).toEqual([
      `${circe.defaults.root}/NEW_MESSAGES`,
    ])
    const told = findings.map(({ path }) => path)
    for (const folder of ['NEW_MESSAGES', 'AGENTS/qa/INBOX', 'LOGS'])
      for (const name of ['link.md', 'folder.md', 'pipe.md'])
        expect(told).toContain(`${circe.defaults.root}/${folder}/${name}`)
    for (const file of ['status', 'owner', 'checks']) expect(told).toContain(`${circe.defaults.root}/TASKS/T-2.${file}`)
    await store.sending
      .send({ from: 'qa', to: 'a', intent: 'status_update', status: 'completed', task: 'T-1', summary: 'x' })
      .catch(({ exit }) => expect(exit).toBe(6))
    expect(readFileSync(outside, 'utf8')).toBe(message('a', 'qa', 'inform', 'T-1'))
    await tree.close()
  })

  it('[CI-4d] 50 MB are refused without being read, and the task files of strangers too', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    const store = await circe.open({ tree, clock, settings: circe.defaults })
    const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
    const huge = Buffer.alloc(50 << 20, 'x\n')
    huge.write(`${message('a', 'qa', 'inform', 'T-1')}\n`)
    await tree.create(at('NEW_MESSAGES/huge.md'), huge)
    await tree.create(at('TASKS/T-1.status'), huge)
    await tree.create(at('NEW_MESSAGES/good.md'), message('a', 'qa', 'inform', 'T-2'))
    clock.advance(5000)
    const inbox = await store.overview.inbox('qa')
    expect(inbox.messages.map(({ file }) => file)).toEqual(['good.md'])
    expect(inbox.rejected).toMatchObject([{ file: 'huge.md', code: 'TOO_LARGE' }])
    expect((await store.overview.tasks('T-1'))[0]!.notices).toEqual([expect.stringMatching(/^T-1\.status: .*52428800/)])
    await expect(store.sending.sendWhole(huge.toString())).rejects.toMatchObject({ exit: 2 })
    expect((await tree.list(at('NEW_MESSAGES'))).map(({ name }) => name)).toEqual(['good.md'])
  })
})
