/** A bottom-up report of a large mission: made by a process that may not hold a fraction of what the messages say. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { childProgram, spawnProgram } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const count = 2000 * scale
/** In bytes: what all of them say together is more than the process may hold. */
const length = 16 * 1024

const idOf = (n: number) => `m${1_000_000 + n}`
const timeOf = (n: number) => new Date(Date.parse('2026-11-17T10:00:00Z') + n * 1000).toISOString()

function fill(root: string): void {
  const queue = join(root, 'llm/missions/m/queue/completed')
  mkdirSync(queue, { recursive: true })
  const line = 'What one agent wrote to another, at some length.\n'
  const body = line.repeat(Math.ceil(length / line.length))
  for (let n = 0; n < count; n++) {
    const name = `${timeOf(n).replace(/\D/g, '').slice(0, 14)}-${idOf(n)}-from-a-to-b.md`
    const header = `id: ${idOf(n)}\nmission_id: m\ntimestamp: "${timeOf(n)}"\nfrom: a\nto: b\nstatus: completed\ndependencies: []\nsummary: Number ${n}`
    writeFileSync(join(queue, name), `---\n${header}\n---\n${body}`)
  }
}

async function reported(root: string, heapMegabytes: number, ...out: readonly string[]) {
  const flags = [`--max-old-space-size=${heapMegabytes}`]
  const child = spawnProgram([process.execPath, ...flags, childProgram('report'), root, ...out])
  const { code } = await child.exited
  if (code !== 0) throw new Error(child.stderr())
  return JSON.parse(child.stdout[0]!) as { length: number; parts?: number; isShortened: boolean }
}

verifies(
  ['AC-16.1', 'AC-16.3b', 'X-memory'],
  `a bottom-up report of ${count} messages takes little memory, kept or printed, and has each of them once`,
  async () => {
    const root = quickTempDir()
    fill(root)
    // 32 MB of text at least, which a heap of 20 MB and 3 for each thousand messages could not hold.
    const kept = await reported(root, 20 + (3 * count) / 1000, 'findings/log.md')
    expect(kept.parts).toBeGreaterThan(25)
    const found = new Map<string, number>()
    const folder = join(root, 'llm/missions/m/findings')
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8')
      expect(text.length).toBeLessThan(1.2 * 1024 * 1024)
      for (const [, id = ''] of text.matchAll(/^\*\*File:\*\* `\d{14}-(m\d+)-/gm))
        found.set(id, (found.get(id) ?? 0) + 1)
    }
    expect(found.size).toBe(count)
    expect([...found.values()].every((times) => times === 1)).toBe(true)
    const printed = await reported(root, 80 + (3 * count) / 1000)
    expect(printed.isShortened).toBe(true)
    expect(printed.length).toBeLessThan(20 * 1024 * 1024 + count * 500)
  },
  300_000 * scale,
)
