/** Real processes that write to one mailbox, beside a reader, a Python program that keeps the lock, and one that does not. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runtime, spawnChild, spawnProgram } from '../support/child.ts'
import { DreamFolder, openDreamFiles } from '../support/dream-files.ts'
import { quickTempDir, tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { randomFrom } from './field.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
// 4,000 in all in `npm run soak`.
const each = Math.min(500, Math.round((runtime === 'bun' ? 25 : 10) * (scale > 1 ? 50 : 1)))
const program = new URL('../support/dream_agent.py', import.meta.url).pathname
const python = (...words: string[]) => spawnProgram(['python3', program, ...words])
const noPython = spawnSync('python3', ['-c', '1']).status === 0 ? undefined : 'python3 is not installed'

const journalOf = (folder: string, beginning = '') =>
  fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(beginning))
    .flatMap((name) => fs.readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean))

async function prepared() {
  const [root, journals] = [quickTempDir(), tempDir()]
  const { dream, close } = await openDreamFiles(root)
  await dream.mailboxes.init(1)
  await dream.mailboxes.claim('Worker')
  await close()
  return { root, journals, folder: new DreamFolder(root) }
}

verifies.unless(
  noPython,
  ['DO-5b', 'DO-5c'],
  `8 senders on ${runtime}, a reader that marks and a Python program lose nothing, and nothing is given twice`,
  async () => {
    const { root, journals, folder } = await prepared()
    const fromPython = Math.max(10, Math.round(each / 4))
    const foreign = python('send', root, 'PyAgent', `${fromPython}`)
    const reader = spawnChild('dream-reader', [root, join(journals, 'reader')])
    const senders = Array.from({ length: 8 }, (_, i) =>
      spawnChild('dream-sender', [root, join(journals, `sender-${i}`), `Agent_${i}`, `${each}`]),
    )
    for (const one of [...senders, foreign]) expect(await one.exited, one.stderr()).toEqual({ code: 0, signal: null })
    reader.say('stop')
    expect(await reader.exited, reader.stderr()).toEqual({ code: 0, signal: null })
    const sent = [...journalOf(journals, 'sender'), ...foreign.stdout]
    expect(sent).toHaveLength(8 * each + fromPython)
    const { messages, processed_message_ids: processed } = folder.mailbox()
    const ids = messages.map(({ message_id }: { message_id: string }) => message_id)
    expect(ids.toSorted()).toEqual(sent.toSorted())
    expect(processed.toSorted()).toEqual(sent.toSorted())
    const given = journalOf(journals, 'reader').filter((line) => line.startsWith('given'))
    expect(given.toSorted()).toEqual(sent.map((id) => `given ${id} 1`).toSorted())
    expect(
      folder
        .completed()
        .map(({ message_id }) => message_id)
        .toSorted(),
    ).toEqual(sent.toSorted())
    expect(folder.isLocked()).toBe(false)
    expect(folder.governance('LOCK_BROKEN')).toEqual([])
  },
  // Three minutes for 4,000 on two cores that are free; one process writes at a time, so it takes as long as it is let.
  scale > 1 ? 1_800_000 : 600_000,
)

it(`[DO-5b][X-crash] senders and readers that are killed on ${runtime} lose no message that was acknowledged, and record no outcome twice`, async () => {
  const { root, journals, folder } = await prepared()
  const wantedKills = 6 * scale
  const random = randomFrom(20251117)
  let [kills, started] = [0, 0]
  const lane = async (name: 'dream-sender' | 'dream-reader') => {
    while (kills < wantedKills) {
      const number = started++
      const words =
        name === 'dream-sender'
          ? [root, join(journals, `sender-${number}`), `Agent_${number}`, '1000']
          : [root, join(journals, `reader-${number}`)]
      const child = spawnChild(name, words)
      for (let lines = 1 + Math.floor(random() * 3); lines > 0 && name === 'dream-sender'; lines--)
        await child.nextLine()
      if (name === 'dream-reader') await new Promise((resolve) => setTimeout(resolve, 300 + random() * 300))
      child.kill()
      await child.exited
      kills++
    }
  }
  await Promise.all([lane('dream-sender'), lane('dream-sender'), lane('dream-reader')])
  const { dream, close } = await openDreamFiles(root)
  await dream.router.route('Supervisor')
  await dream.inspect({ repair: true })
  await close()
  const acknowledged = journalOf(journals, 'sender')
  const ids = folder.mailbox().messages.map(({ message_id }: { message_id: string }) => message_id)
  expect(ids.filter((id: string, at: number) => ids.indexOf(id) !== at)).toEqual([])
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([])
  const recorded = folder.completed().map(({ message_id }) => message_id)
  expect(recorded.filter((id, at) => recorded.indexOf(id) !== at)).toEqual([])
  const finished = journalOf(journals, 'reader').flatMap((line) => (line.startsWith('done ') ? [line.slice(5)] : []))
  for (const id of finished) expect(recorded).toContain(id)
  expect(folder.mailbox().processed_message_ids.toSorted()).toEqual(recorded.toSorted())
  expect(folder.isLocked()).toBe(false)
}, 300_000)

verifies.unless(
  noPython,
  'DO-5f',
  `a program on Python that writes its old copy back loses no message, on ${runtime}`,
  async () => {
    const { root, folder } = await prepared()
    const careless = python('careless', root)
    await careless.nextLine()
    const { dream, close } = await openDreamFiles(root)
    const sent: string[] = []
    // Until it has overwritten something, which is a matter of luck.
    const wasOverwritten = () => folder.governance('MESSAGE_RESENT').length > 0
    for (let n = 0; n < 15 * Math.min(4, scale) || (n < 1000 && !wasOverwritten()); n++) {
      sent.push(
        (await dream.messages.send({ mailbox: 1, from: 'Agent_0', command: 'count', params: { n } })).message
          .message_id,
      )
    }
    careless.say('stop')
    expect((await careless.exited).code, careless.stderr()).toBe(0)
    // The sender looks once more when it ends; what it could not see is for the router.
    await close()
    const again = await openDreamFiles(root)
    await again.dream.router.route('Supervisor')
    await again.close()
    const ids = folder.mailbox().messages.map(({ message_id }: { message_id: string }) => message_id)
    expect(ids.toSorted()).toEqual(sent.toSorted())
    expect(folder.governance('MESSAGE_RESENT').length).toBeGreaterThan(0)
  },
  120_000,
)

it(`[DO-4][DO-4d][DO-6][DO-7] 8 processes on ${runtime} that join, dispatch and finish tasks at once lose nothing, and no lines mix`, async () => {
  const root = quickTempDir()
  const count = 4 * scale
  const planners = Array.from({ length: 8 }, (_, i) => spawnChild('dream-planner', [root, `Planner${i}`, `${count}`]))
  for (const one of planners) expect(await one.exited, one.stderr()).toEqual({ code: 0, signal: null })
  const folder = new DreamFolder(root)
  const wanted = planners.flatMap((_, i) => Array.from({ length: count }, (_one, n) => `Planner${i}-${n}`)).toSorted()
  const list: { task_id: string; status: string }[] = folder.json('runtime/task_list.json')
  expect(list.map(({ task_id }) => task_id).toSorted()).toEqual(wanted)
  expect(new Set(list.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
  expect(
    folder
      .completed()
      .map(({ task_id }) => task_id)
      .toSorted(),
  ).toEqual(wanted)
  expect(folder.governance('NOTED')).toHaveLength(8 * count)
  expect(
    folder
      .governance('TASKS_DISPATCHED')
      .map(({ details }) => details.task_id)
      .toSorted(),
  ).toEqual(wanted)
  for (const [i] of planners.entries())
    expect(folder.names(`runtime/Planner${i}/archive/inbox`).filter((name) => name.startsWith('task_'))).toHaveLength(
      count,
    )
}, 300_000)
