/**
 * Eight processes drain a mission with dependencies while they are killed one after another and supervision gives
 * their work back. `checkDrained` reads the files with nothing of the library.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openBox } from '../support/acmq.ts'
import { type Child, isShort, runtime, spawnChild } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import { checkDrained } from './acmq-checker.ts'
import { randomFrom } from './field.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
// `npm run soak` drains 20,000 on both. Node takes four times as long to start a worker, so it drains fewer otherwise.
const isLong = runtime === 'bun' && !isShort
const total = isLong ? Math.max(10_000, 4_000 * scale) : 4_000 * scale
// As many deaths however long it takes: each costs whoever comes next a look at everything that waits.
// Node takes so long to start that fifty are left to the full proof there.
const wantedKills = isLong || scale > 1 ? 50 : 20
const chains = 200

it(
  `[AC-4.2b] 8 processes on ${runtime} drain ${total} messages: each once, none early, none lost, ${wantedKills} killed`,
  async () => {
    const startedAt = performance.now()
    const base = quickTempDir()
    const [root, journals, namesPath] = [join(base, 'root'), join(base, 'journals'), join(base, 'names.json')]
    mkdirSync(journals)
    const box = await openBox(root)
    const names: [string, string][] = []
    for (let i = 0; i < total; i++) {
      const before = [i - chains, i % 7 === 0 ? i - chains + 1 : -1].flatMap((n) =>
        n >= 0 ? [`msg:${names[n]![0]}`] : [],
      )
      const { message } = await box.mission.sending.send({
        from: 'claude',
        to: i % 10 === 0 ? 'all' : 'gemini',
        body: `Task ${i}\n`,
        dependencies: before,
        timeoutSeconds: 2,
      })
      names.push([message.id, message.name])
    }
    writeFileSync(namesPath, JSON.stringify(names))

    const random = randomFrom(20261116)
    const queue = (name: string) => join(root, 'llm/missions/alpha/queue', name)
    let started = 0
    let kills = 0
    let completed = 0
    let isOver = false
    const children = new Set<Child>()
    const lane = async (): Promise<void> => {
      while (!isOver) {
        const child = spawnChild('acmq-worker', [root, join(journals, `${++started}`), 'gemini', namesPath])
        children.add(child)
        let killed = false
        for await (const line of child.lines()) {
          completed += Number(line)
          if (!killed && kills < wantedKills && completed > (kills / wantedKills) * total * 0.95 && random() < 0.7) {
            killed = child.kill()
            if (killed) kills++
          }
          if (isOver) child.say('stop')
        }
        children.delete(child)
        const { code } = await child.exited
        if (!killed) {
          expect(child.stderr()).toBe('')
          expect(code).toBe(0)
          return
        }
      }
    }
    const workers = Promise.all(Array.from({ length: 8 }, lane))
    // Supervision, as a person would run it: what stalled fails, and is given out again.
    let watched: () => void = () => {}
    const watching = box.tree.watch(`llm/missions/alpha/queue/completed` as never, () => watched())
    let supervisedAt = 0
    let passes = 0
    // Looking costs more than a message does, so it looks when the workers have told of most.
    const isDrained = () => completed > total * 0.8 && readdirSync(queue('completed')).length >= total
    while (!isDrained()) {
      if (performance.now() - supervisedAt > 2000) {
        passes++
        const { stalled } = await (await box.mission.upkeep()).supervise()
        for (const { message } of stalled) await box.mission.settling.retry(message.id)
        supervisedAt = performance.now()
      }
      await new Promise<void>((resolve) => {
        watched = resolve
      })
    }
    watching.close()
    isOver = true
    for (const child of children) child.say('stop')
    await workers
    await box.close()

    const { acknowledged, lostClaims, ...wrong } = checkDrained(
      join(root, 'llm/missions/alpha'),
      journals,
      names.map(([id]) => id),
    )
    expect(wrong).toEqual({
      lost: [],
      twice: [],
      disagreeing: [],
      leftInProcessing: [],
      early: [],
      acknowledgedTwice: [],
    })
    expect(kills).toBeGreaterThanOrEqual(wantedKills)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(
      `Drain on ${runtime}: ${total} messages, ${kills} kills, ${acknowledged} acknowledged completions, ` +
        `${lostClaims} claims lost, ${passes} passes of supervision, ${seconds} s`,
    )
  },
  600_000 * scale,
)
