/**
 * Eight real processes on the same names, some of them killed at any moment, and one contender that is not ours.
 * The checker reads the files by itself, with nothing of the engine but its recovery.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { type Child, childProgram, mayLeaveToBun, runtime, spawnChild, spawnProgram } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { counterPath, folderNames, names, randomFrom } from './field.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const processes = 8
const seed = Number(process.env.SIGNALBOX_TEST_SEED ?? 20261115)

/** On Bun half of the processes run on Node: both must keep the peace with each other. */
const nodeProgram = runtime === 'bun' ? findNode() : undefined
function findNode(): string | undefined {
  try {
    return execFileSync('node', ['-p', 'process.execPath'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined // No Node beside Bun: then all eight run on Bun.
  }
}

interface Race {
  readonly root: string
  readonly journals: string
  readonly kills: number
  readonly steps: number
}

/** Keeps eight racers going until they have made `goal` steps, killing one at a time and starting another. */
async function race(
  mode: 'move' | 'replace',
  { goal, kills: wantedKills, slow = false }: { goal: number; kills: number; slow?: boolean },
  contend: (root: string, isOver: () => boolean) => Promise<void> = async () => undefined,
): Promise<Race> {
  const base = quickTempDir()
  const [root, journals] = [join(base, 'root'), join(base, 'journals')]
  mkdirSync(journals)
  const tree = await openFileTree({ root })
  if (mode === 'replace') await tree.create(counterPath, Buffer.from('0'))
  await tree.close()
  const random = randomFrom(seed)
  let started = 0
  let kills = 0
  let steps = 0
  const start = (): Child => {
    const number = ++started
    const pace = slow && number % 4 < 2 ? 'slow' : ''
    const args = [root, join(journals, `${number}`), `${seed % 1000}${number}`, mode, pace]
    return nodeProgram && number % 2 === 0
      ? spawnProgram([nodeProgram, childProgram('racer'), ...args])
      : spawnChild('racer', args)
  }
  const lane = async (): Promise<void> => {
    for (;;) {
      const child = start()
      let killed = false
      for await (const line of child.lines()) {
        steps += Number(line)
        const due = (kills / wantedKills) * goal
        if (!killed && kills < wantedKills && steps > due && random() < 0.2) {
          killed = child.kill()
          if (killed) kills++
        } else if (steps >= goal && kills >= wantedKills) child.say('stop')
      }
      const { code } = await child.exited
      if (!killed) {
        expect(child.stderr()).toBe('')
        expect(code).toBe(0)
        return
      }
    }
  }
  let over = false
  const contender = contend(root, () => over)
  await Promise.all(Array.from({ length: processes }, lane))
  over = true
  await contender
  return { root, journals, kills, steps }
}

/** The contender that is not ours: plain `mv`, between the same folders and names. 1 when it moved something. */
async function moveByMv(root: string, turn: number): Promise<number> {
  const name = names[(turn * 7) % names.length]!
  const [from, to] = [turn % folderNames.length, (turn * 5 + 1) % folderNames.length]
  const mover = spawnProgram(['mv', '-n', join(root, folderNames[from]!, name), join(root, folderNames[to]!, name)])
  return (await mover.exited).code === 0 ? 1 : 0
}

/** Counts what was noted as acknowledged, over all journals. */
function acknowledged({ journals }: Race) {
  const lines = readdirSync(journals).flatMap((name) => readFileSync(join(journals, name), 'utf8').split('\n'))
  const ids = (word: string) =>
    new Set(lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [])))
  const count = (word: string) => lines.filter((line) => line === word).length
  return { created: ids('created'), tried: ids('trying'), grown: count('grown'), added: count('added') }
}

function messagesIn(root: string, folders: readonly string[]) {
  return folders.flatMap((folder) =>
    (unlessMissing(() => readdirSync(join(root, folder))) ?? []).map((name) => ({
      place: `${folder}/${name}`,
      text: readFileSync(join(root, folder, name), 'utf8'),
    })),
  )
}

function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined // Nobody ever moved anything there.
  }
}

/** Moves that are raced for, with one contender that is not ours, and what is true at their end. */
async function raceOfMoves(pace: { goal: number; kills: number; slow?: boolean }): Promise<void> {
  let byMv = 0
  const result = await race('move', pace, async (root, isOver) => {
    for (let i = 0; !isOver(); i++) byMv += await moveByMv(root, i)
  })
  const tree = await openFileTree({ root: result.root })
  for (const folder of folderNames) await tree.list(folder as never)
  const findings = await tree.inspect({ repair: true, within: folderNames as never[] })
  await tree.close()
  expect(findings.filter(({ severity, repaired }) => severity === 'error' && !repaired)).toEqual([])

  const { created, tried, grown } = acknowledged(result)
  const messages = messagesIn(result.root, folderNames)
  const ids = messages.map(({ text }) => /^id: (.*?)\+*$/m.exec(text)?.[1] ?? `unreadable: ${text}`)
  const seen = new Set(ids)
  expect(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    'twice',
  ).toEqual([])
  expect(
    [...created].filter((id) => !seen.has(id)),
    'lost',
  ).toEqual([])
  expect(
    ids.filter((id) => !tried.has(id)),
    'unknown',
  ).toEqual([])
  expect(
    messages.filter(({ place }) => place.includes('/.')),
    'left private',
  ).toEqual([])
  // Every edit that was acknowledged is in the files; each kill can have cut off one acknowledgement at most.
  const marks = messages.reduce((sum, { text }) => sum + (text.split('+').length - 1), 0)
  expect(marks).toBeGreaterThanOrEqual(grown)
  expect(marks).toBeLessThanOrEqual(grown + result.kills)
  console.log(
    `Races on ${runtime}: ${result.steps} moves, ${result.kills} kills, ${created.size} messages, ${grown} rewrites, ` +
      `${byMv} moves by mv: none lost, none twice`,
  )
}

describe(`races of ${processes} processes on ${runtime}${nodeProgram ? ' and node' : ''}`, () => {
  // A tenth of a million on both runtimes together; `npm run soak` goes five times as far.
  it(
    '[X-crash] moves have one winner each, lose nothing and replace nothing',
    () => raceOfMoves({ goal: 50_000 * scale, kills: 40 * scale }),
    600_000 * scale,
  )

  verifies.unless(
    mayLeaveToBun ? 'left to Bun, which starts a process in a fifth of the time' : undefined,
    'X-crash',
    'the same, with movers that need two steps, dawdle between them and are often killed there',
    () => raceOfMoves({ goal: 6_000 * scale, kills: 100 * scale, slow: true }),
    600_000 * scale,
  )

  it(
    '[X-crash] compare-and-replace loses no update',
    async () => {
      const result = await race('replace', { goal: 4_000 * scale, kills: 20 * scale })
      const counter = Number(readFileSync(join(result.root, counterPath), 'utf8'))
      const { added } = acknowledged(result)
      expect(added).toBeGreaterThan(0)
      expect(counter).toBeGreaterThanOrEqual(added)
      expect(counter).toBeLessThanOrEqual(added + result.kills)
      console.log(`Compare-and-replace on ${runtime}: ${added} updates, ${result.kills} kills, counter ${counter}`)
    },
    600_000 * scale,
  )
})
