/** Real processes that send as one agent, and real processes that read as one agent, some of them killed on the way. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Child, isShort, runtime, spawnChild } from '../support/child.ts'
import { AgentFolder, heartbeat, openMr } from '../support/message-routing.ts'
import { quickTempDir } from '../support/temp.ts'
import { randomFrom } from './field.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)

/** Looks into an inbox whenever something changes there, with nothing of the library. */
function watchDepth(inbox: string) {
  fs.mkdirSync(inbox, { recursive: true })
  const seen = { most: 0, looks: 0 }
  const look = () => {
    seen.looks++
    seen.most = Math.max(seen.most, fs.readdirSync(inbox).filter((name) => name.endsWith('.json')).length)
  }
  const watcher = fs.watch(inbox, look)
  return { seen, close: () => watcher.close() }
}

const journalOf = (folder: string) =>
  fs
    .readdirSync(folder)
    .flatMap((name) => fs.readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').filter(Boolean))

function numbersIn(agent: AgentFolder): number[] {
  const files = ['inbox', 'evicted'].flatMap((folder) => agent.names(folder).map((name) => `${folder}/${name}`))
  return files.map((file) => JSON.parse(agent.read(file)).sequence).sort((a, b) => a - b)
}

it(`[MR-2a][MR-7a] 8 senders of one name on ${runtime} issue each number once, and the inbox never holds more than 100`, async () => {
  // 4,000 in all; a fourth of that where each process takes four times as long.
  const each = (runtime === 'bun' && !isShort ? 500 : 125) * scale
  const root = quickTempDir()
  const journals = quickTempDir()
  const recipient = new AgentFolder(root, 'coordinator-main')
  const depth = watchDepth(join(recipient.path, 'inbox'))
  const senders = Array.from({ length: 8 }, (_, i) =>
    spawnChild('mr-sender', [root, join(journals, `${i}`), 'coder-1', 'coordinator-main', `${each}`]),
  )
  for (const sender of senders) expect(await sender.exited, sender.stderr()).toEqual({ code: 0, signal: null })
  depth.close()
  const total = 8 * each
  expect(numbersIn(recipient)).toEqual(Array.from({ length: total }, (_, i) => i + 1))
  const told = journalOf(journals).map((line) => line.split(' ').map(Number))
  expect(new Set(told.map(([number]) => number)).size).toBe(total)
  expect(Math.max(...told.map(([, after]) => after!))).toBe(100)
  expect(depth.seen.looks).toBeGreaterThan(50)
  expect(depth.seen.most).toBeLessThanOrEqual(100)
  expect(recipient.names('inbox').length).toBe(100)
  // Every eviction is one line, with the count that made it necessary.
  const lines = recipient.lines('evictions.log')
  expect(new Set(lines.map(({ msg_id }) => msg_id)).size).toBe(total - 100)
  expect(lines.length).toBe(total - 100)
  expect(new Set(lines.map(({ count }) => count))).toEqual(new Set([100]))
  expect(recipient.read('../coder-1/.sequences/coordinator-main')).toBe(`${total}\n`)
}, 300_000)

it(`[MR-2a][MR-2b][X-crash] senders that are killed on ${runtime} leave gaps, never a number twice`, async () => {
  const wantedKills = 12 * scale
  const root = quickTempDir()
  const journals = quickTempDir()
  const recipient = new AgentFolder(root, 'coordinator-main')
  const random = randomFrom(20251006)
  let [kills, started] = [0, 0]
  const lane = async () => {
    for (let isKilled = true; isKilled; ) {
      const child = spawnChild('mr-sender', [root, join(journals, `${++started}`), 'coder-1', 'coordinator-main', '60'])
      isKilled = false
      for await (const _ of child.lines()) {
        if (kills < wantedKills && random() < 0.5) {
          isKilled = child.kill()
          if (isKilled) kills++
          break
        }
      }
      const { code } = await child.exited
      if (!isKilled) expect([code, child.stderr()]).toEqual([0, ''])
    }
  }
  await Promise.all(Array.from({ length: 4 }, lane))
  expect(kills).toBe(wantedKills)
  const numbers = numbersIn(recipient)
  expect(new Set(numbers).size, 'no number twice').toBe(numbers.length)
  const told = journalOf(journals).map((line) => Number.parseInt(line, 10))
  expect(
    told.filter((number) => !numbers.includes(number)),
    'nothing acknowledged is lost',
  ).toEqual([])
  const { mr, close } = await openMr(root)
  const { gaps } = await mr.claiming.receive('coordinator-main')
  const missing = gaps.reduce((sum, { count }) => sum + count, 0)
  // What was evicted is missing to the reader too; beyond that, at most one number a kill.
  const evicted = recipient.names('evicted').length
  expect(missing - evicted).toBeGreaterThanOrEqual(0)
  expect(missing - evicted).toBeLessThanOrEqual(kills)
  await close()
}, 300_000)

it(`[MR-13][X-crash] readers that are killed on ${runtime} get each message at most once, and none is lost`, async () => {
  const total = 400 * scale
  const wantedKills = 12 * scale
  const root = quickTempDir()
  const journals = quickTempDir()
  const box = await openMr(root, { settings: { inboxLimit: 1e9 } })
  await box.mr.agents.init('coordinator-main')
  const sent: string[] = []
  const random = randomFrom(20251116)
  const children = new Set<Child>()
  let [kills, started, handed, isOver] = [0, 0, 0, false]
  const lane = async () => {
    while (!isOver) {
      const child = spawnChild('mr-reader', [root, join(journals, `${++started}`), 'coordinator-main'])
      children.add(child)
      let isKilled = false
      for await (const line of child.lines()) {
        handed += Number.parseInt(line, 10) || 0
        if (!isKilled && kills < wantedKills && handed > (kills / wantedKills) * total * 0.5 && random() < 0.6) {
          isKilled = child.kill()
          if (isKilled) kills++
        }
      }
      children.delete(child)
      await child.exited
      if (!isKilled) expect(child.stderr()).toBe('')
    }
  }
  const readers = Promise.all(Array.from({ length: 3 }, lane))
  const folder = new AgentFolder(root, 'coordinator-main')
  for (let i = 0; i < total; i++) sent.push((await box.mr.sending.send(heartbeat('coordinator-main'))).message.id)
  // The readers run dry, or have all been killed as often as they should and come back.
  let changed: () => void = () => {}
  const watching = box.tree.watch('state/agents/coordinator-main/inbox' as never, () => changed())
  while (folder.names('inbox').length > 0) await new Promise<void>((resolve) => (changed = resolve))
  watching.close()
  isOver = true
  for (const child of children) child.say('stop')
  await readers
  await box.close()

  expect(folder.names('taken').map((name) => name.slice(0, -5))).toEqual([...sent].sort())
  const handedOut = journalOf(journals)
  expect(new Set(handedOut).size, 'at most once').toBe(handedOut.length)
  // What a killed reader had taken and not told anybody stays in taken/, for a person to recover.
  expect(total - handedOut.length).toBeLessThanOrEqual(kills * 5)
  expect(kills).toBeGreaterThan(0)
}, 300_000)
