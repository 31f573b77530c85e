/** Real processes that want the same thing of CIRCE in the same moment, one of them a stranger with nothing but `mv`. */
import fs from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type Child, runtime, spawnChild } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { randomFrom } from './field.ts'

const rounds = 8 * Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const root = tempDir()
const random = randomFrom(20251121)
let racers: Child[]

beforeAll(async () => {
  racers = Array.from({ length: 8 }, () => spawnChild('circe-racer', [root]))
  for (const racer of racers) expect(await racer.nextLine(), racer.stderr()).toBe('ready')
}, 60_000)

type Answer = { outcome: string; file?: string; code?: string }

async function ask(racer: Child, ...words: unknown[]): Promise<Answer> {
  racer.say(JSON.stringify(words))
  const line = await racer.nextLine()
  if (line === undefined) throw new Error(racer.stderr())
  return JSON.parse(line)
}

const place = (...path: string[]) => join(root, 'AI_MANAGER', ...path)
const names = (...path: string[]) => {
  try {
    return fs.readdirSync(place(...path)).filter((name) => name.endsWith('.md'))
  } catch {
    return [] // Not made yet.
  }
}
const agentsOf = () => fs.readdirSync(place('AGENTS'))
const ownerOf = (task: string) => /^owner: (\S+)$/m.exec(fs.readFileSync(place('TASKS', `${task}.owner`), 'utf8'))?.[1]
const linesOf = (task: string) =>
  fs
    .readFileSync(place('LOGS/events.log'), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((columns) => columns[3] === task)

/** Everywhere a message lies that is not logged. */
const lying = (task: string) =>
  ['NEW_MESSAGES', ...agentsOf().flatMap((agent) => [`AGENTS/${agent}/INBOX`, `AGENTS/${agent}/WORKSPACE`])].flatMap(
    (folder) => names(folder).flatMap((name) => (name.endsWith(`_${task}.md`) ? [`${folder}/${name}`] : [])),
  )

const work = (task: string) => ({ from: 'lead', to: 'all', intent: 'implement_feature', task, summary: 'Build it' })

it(`[CI-4][CI-5c] of 8 claimers on ${runtime}, one of them a stranger that only moves the file, one wins`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const task = `RACE-${round}`
    const { file } = await ask(racers[0]!, 'sending.send', work(task))
    const claims = racers.map((racer, n) => ask(racer, 'claiming.claim', `agent-${n}`, { task }))
    const stranger = new Promise<boolean>((resolve) =>
      setTimeout(() => {
        fs.mkdirSync(place('AGENTS/stranger/INBOX'), { recursive: true })
        try {
          fs.renameSync(place('NEW_MESSAGES', file!), place('AGENTS/stranger/INBOX', file!))
          resolve(true)
        } catch {
          resolve(false) // Somebody else was first.
        }
      }, random() * 8),
    )
    const answers = await Promise.all(claims)
    const winners = answers.flatMap(({ outcome }, n) => (outcome === 'claimed' ? [`agent-${n}`] : []))
    if (await stranger) winners.push('stranger')
    expect(winners, `round ${round}`).toHaveLength(1)
    expect(answers.filter(({ outcome }) => outcome === 'error')).toEqual([])
    expect((await ask(racers[0]!, 'tasks.status', task, 'blocked', winners[0])).outcome).toBe('changed')
    expect(ownerOf(task)).toBe(winners[0])
    expect(lying(task)).toEqual([`AGENTS/${winners[0]}/INBOX/${file}`])
    expect(linesOf(task).filter(([, event]) => event === 'claimed')).toHaveLength(1)
  }
}, 120_000)

it(`[CI-5d] claims against a release on ${runtime}: the work is in one place, and one owns it or nobody`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const task = `GIVE-${round}`
    await ask(racers[0]!, 'sending.send', work(task))
    expect((await ask(racers[0]!, 'claiming.claim', 'agent-0', { task })).outcome).toBe('claimed')
    const [released, ...claims] = await Promise.all([
      ask(racers[0]!, 'tasks.release', 'agent-0', task),
      ...racers.slice(1).map((racer, n) => ask(racer, 'claiming.claim', `agent-${n + 1}`, { task })),
    ])
    expect(released!.outcome).toBe('changed')
    const winners = claims.flatMap(({ outcome }, n) => (outcome === 'claimed' ? [`agent-${n + 1}`] : []))
    expect(winners.length).toBeLessThanOrEqual(1)
    expect(lying(task)).toHaveLength(1)
    if (winners[0]) expect([ownerOf(task), lying(task)[0]!.split('/')[1]]).toEqual([winners[0], winners[0]])
    else expect(fs.existsSync(place('TASKS', `${task}.owner`))).toBe(false)
  }
}, 120_000)

it(`[CI-4c][CI-8] two who complete a task at once on ${runtime}: once, and everything is in the log once`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const task = `DONE-${round}`
    const { file } = await ask(racers[0]!, 'sending.send', work(task))
    await ask(racers[0]!, 'claiming.claim', 'agent-0', { task })
    const tested = { from: 'qa', to: 'agent-0', intent: 'test_results', task, status: 'completed', summary: 'Green' }
    const results = await ask(racers[1]!, 'sending.send', tested)
    const answers = await Promise.all([
      ask(racers[0]!, 'tasks.status', task, 'completed', 'agent-0'),
      ask(racers[1]!, 'tasks.status', task, 'completed', 'lead'),
      ask(racers[2]!, 'settling.ack', 'agent-0', file),
    ])
    expect(
      answers
        .map(({ outcome }) => outcome)
        .slice(0, 2)
        .sort(),
    ).toEqual(['changed', 'unchanged'])
    expect(lying(task)).toEqual([])
    expect(
      names('LOGS')
        .filter((name) => name.includes(`_${task}.`))
        .sort(),
    ).toEqual([file, results.file].sort())
    expect(linesOf(task).filter(([, event]) => event === 'completed')).toHaveLength(1)
  }
}, 120_000)

it(`[CI-6b] answers against answers on ${runtime}: one counts, the others are told`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const task = `ASK-${round}`
    const question = { from: 'agent-0', to: 'ROOSTER', intent: 'question', task, summary: 'Which?' }
    const { file } = await ask(racers[0]!, 'sending.send', question)
    const answers = await Promise.all(
      racers.map((racer, n) => ask(racer, 'people.answer', file, { text: `Way ${n % 4}` })),
    )
    expect(answers.filter(({ outcome }) => outcome === 'answered')).toHaveLength(1)
    // Of each of the four ways there were two: the other one of the winner said the same.
    expect(answers.filter(({ outcome }) => outcome === 'unchanged')).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'ALREADY_ANSWERED')).toHaveLength(6)
    expect(lying(task).filter((path) => path.includes('_rooster-agent-0_answer_'))).toHaveLength(1)
    expect(names('LOGS')).toContain(file)
  }
}, 120_000)

it(`[CI-3][CI-3b] 8 who send the same on ${runtime} in one moment get 8 names`, async () => {
  const given = new Set<string>()
  for (let round = 1; round <= rounds; round++) {
    const same = { from: 'lead', to: 'agent-0', intent: 'inform', summary: `Round ${round}` }
    const sent = await Promise.all([...racers.map((racer) => ask(racer, 'sending.send', same))])
    // Some are taken away at once: their names are not free for it.
    await ask(racers[0]!, 'claiming.claim', 'agent-0')
    for (const { outcome, file } of sent) {
      expect(outcome).toBe('sent')
      given.add(file!)
    }
  }
  expect(given.size).toBe(8 * rounds)
}, 120_000)
