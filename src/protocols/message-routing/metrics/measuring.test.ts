import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import type { Tree } from '../../../tree/tree.ts'
import { defaultSettings as settings } from '../settings.ts'
import { countOf } from './histogram.ts'
import { MetricsJournal, metricsHome } from './journal.ts'
import { Measuring } from './measuring.ts'

let root: string
let tree: Tree
beforeEach(async () => {
  root = tempDir()
  tree = await openFileTree({ root, clock })
})

const clock = heldClock(Date.now())
const measuring = (on = tree) => new Measuring({ tree: on, clock, settings })
const file = (name: string) => join(root, metricsHome, name)
const lines = () => readFileSync(file('journal.jsonl'), 'utf8').split('\n').length - 1
const writesSeen = async () => countOf((await new MetricsJournal(tree).read()).message_write_latency_ms)

describe('measuring', () => {
  it('writes one line when a process is done, and none when it measured nothing', async () => {
    await measuring().close()
    expect(readdirSync(root)).not.toContain('.signalbox/state')
    const one = measuring()
    one.observe('message_write_latency_ms', 5, 'a')
    one.observe('message_read_latency_ms', 7, 'a')
    await one.close()
    await one.close()
    expect(lines()).toBe(1)
  })

  it('adds up what all processes measured', async () => {
    const all = Array.from({ length: 4 }, () => measuring())
    for (const one of all) for (let i = 0; i < 30; i++) one.observe('message_write_latency_ms', i, 'a')
    await Promise.all(all.map((one) => one.close()))
    expect([await writesSeen(), lines()]).toEqual([120, 4])
  })

  it('writes every hundred measurements and every second, without being told that it is done', async () => {
    const one = measuring()
    const measure = async (times: number) => {
      for (let i = 0; i < times; i++) one.observe('message_write_latency_ms', 1, 'a')
      await new Promise(setImmediate)
      return writesSeen()
    }
    expect([await measure(99), await measure(1), await measure(50)]).toEqual([0, 100, 100])
    clock.advance(1000)
    expect([await measure(1), lines()]).toEqual([151, 2])
  })

  it('raises alerts on the spot', () => {
    const one = measuring()
    for (const [metric, value] of [
      ['message_write_latency_ms', 100],
      ['message_write_latency_ms', 101],
      ['inbox_depth', 81],
      ['eviction_count', 1],
    ] as const)
      one.observe(metric, value, 'a')
    expect(one.takeAlerts().map(({ metric }) => metric)).toEqual(['message_write_latency_ms', 'inbox_depth'])
    expect(one.takeAlerts()).toEqual([])
  })

  it('fails nobody when it cannot write, and writes it the next time', async () => {
    let isBroken = true
    const breaking = new Proxy(tree, {
      get: (target, key: keyof Tree) =>
        key === 'append' && isBroken
          ? () => Promise.reject(new Error('no space'))
          : (target[key] as (...values: unknown[]) => unknown).bind?.(target),
    })
    const one = measuring(breaking)
    one.observe('message_write_latency_ms', 1, 'a')
    await one.close()
    expect(await writesSeen()).toBe(0)
    isBroken = false
    await one.close()
    expect(await writesSeen()).toBe(1)
  })
})

describe('the journal', () => {
  const measure = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const one = measuring()
      one.observe('message_write_latency_ms', 5, 'a')
      await one.close()
    }
  }
  it('is put aside when it has grown, and counted once all the same', async () => {
    await measure(5)
    appendFileSync(file('journal.jsonl'), `${'x'.repeat(70_000)}\n`)
    await measure(1)
    expect(readdirSync(join(root, metricsHome)).some((name) => name.startsWith('full-'))).toBe(true)
    expect(await writesSeen()).toBe(6)
    // Nobody can still be writing to what was put aside a minute ago.
    clock.advance(60_000)
    appendFileSync(file('journal.jsonl'), `${'x'.repeat(70_000)}\n`)
    await measure(1)
    expect(await writesSeen()).toBe(7)
    expect(readdirSync(join(root, metricsHome)).sort()).toEqual(['journal.jsonl', 'totals.json'])
  })

  it('is not counted twice when a crash kept it from being removed', async () => {
    await measure(3)
    const totals = { snapshot: await new MetricsJournal(tree).read(), folded: ['full-a.jsonl'] }
    const text = readFileSync(file('journal.jsonl'), 'utf8')
    appendFileSync(file('full-a.jsonl'), text)
    appendFileSync(file('totals.json'), `${JSON.stringify(totals)}\n`)
    expect(await writesSeen()).toBe(6)
  })

  it('leaves out what a crash cut off', async () => {
    await measure(1)
    appendFileSync(file('journal.jsonl'), '{"message_write_latency_ms":{"counts":[1,0')
    await measure(1)
    expect(await writesSeen()).toBe(2)
  })
})
