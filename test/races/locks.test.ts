/** Real processes contend for one lock, some of them killed while they hold it or wait for it. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isShort, runtime, spawnChild } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { randomFrom } from './field.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const contenders = 8
const ttl = 1500

/** What the marks say, with nothing of the library: who was inside, one after the other. */
function witness(marks: string) {
  const lines = fs
    .readFileSync(marks, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
  const faults: string[] = []
  let inside: readonly [owner: string, fence: number] | undefined
  let highest = 0
  let entered = 0
  const killed = new Set<string>()
  for (const [what = '', owner = '', written = ''] of lines) {
    const fence = Number(written)
    if (what === 'E') {
      entered++
      if (fence <= highest) faults.push(`${owner} entered with ${fence} after ${highest}`)
      // Whoever did not leave must have been killed: it never says anything again.
      if (inside) killed.add(inside[0])
      if (killed.has(owner)) faults.push(`${owner} entered and had not left`)
      highest = Math.max(highest, fence)
      inside = [owner, fence]
    } else if (inside?.[0] === owner && inside[1] === fence) inside = undefined
    else faults.push(`${owner} left ${fence} and was not inside`)
  }
  if (inside) killed.add(inside[0])
  return { faults, entered, killed: [...killed] }
}

const isSoak = scale >= 5
/** In `npm run soak` 10,000 times in all. */
const each = Math.round(isSoak ? 10_000 / contenders : (runtime === 'bun' && !isShort ? 100 : 60) * scale)
const lives = isSoak ? 20 : 1

it(`[SA-12a][SA-12e] ${contenders} processes on ${runtime} contend for a lock: one holder at a time, fences grow, nobody is forgotten`, async () => {
  const root = tempDir()
  const marks = join(tempDir(), 'marks')
  const random = randomFrom(7)
  const start = (name: string, count: number, end = '') =>
    spawnChild('locker', [root, marks, name, `${count}`, `${ttl}`, end])
  const lasting = Array.from({ length: contenders - 2 }, (_, n) => start(`steady-${n}`, each))
  const dead: string[] = []
  // Two places are taken again and again by processes that are killed, half of them while they hold it.
  const mortal = [0, 1].map(async (place) => {
    for (let life = 0; life < lives; life++) {
      const name = `mortal-${place}-${life}`
      const child = start(
        name,
        1 + Math.floor((random() * each * 2) / lives),
        (life + place) % 2 ? 'holding' : 'waiting',
      )
      expect(await child.exited, child.stderr()).toEqual({ code: null, signal: 'SIGKILL' })
      dead.push(name)
    }
  })
  await Promise.all(mortal)
  for (const child of lasting) expect(await child.exited, child.stderr()).toEqual({ code: 0, signal: null })
  const { faults, entered, killed } = witness(marks)
  expect(faults).toEqual([])
  expect(killed.filter((name) => !dead.includes(name))).toEqual([])
  // Those who were to be killed inside were.
  expect(killed.length).toBeGreaterThanOrEqual(lives)
  expect(entered).toBeGreaterThan(contenders * each * 0.7)
}, 1_500_000)
