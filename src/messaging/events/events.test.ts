import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { jsonLines } from '../../formats/json-lines.ts'
import { treePath } from '../../kernel/tree-path.ts'
import { EventLog } from './events.ts'

const path = treePath('governance/log.jsonl')

describe('a log of events', () => {
  it('is empty before the first, and keeps the order of appending', async () => {
    const log = new EventLog(openMemoryTree(), path, jsonLines)
    expect(await log.find()).toEqual({ events: [], matching: 0, unreadable: 0 })
    expect(await log.append({ event: 'opened', by: 'ada\nbob' })).toBe('process')
    await log.append({ event: 'closed' })
    expect((await log.find()).events).toEqual([{ event: 'opened', by: 'ada\nbob' }, { event: 'closed' }])
  })

  it('finds by fields, time and number, the last ones first to stay', async () => {
    const log = new EventLog(openMemoryTree(), path, jsonLines)
    for (let n = 0; n < 10; n++) {
      await log.append({ n, kind: n % 2 ? 'odd' : 'even', at: new Date(n * 1000).toISOString(), ms: n * 1000 })
    }
    const numbers = async (query: Parameters<typeof log.find>[0]) => (await log.find(query)).events.map(({ n }) => n)
    expect(await numbers({ where: { kind: 'odd' } })).toEqual([1, 3, 5, 7, 9])
    expect(await numbers({ where: { kind: 'odd', n: 3 } })).toEqual([3])
    expect(await numbers({ where: { toString: 'odd' } })).toEqual([])
    expect(await numbers({ since: 7000 })).toEqual([7, 8, 9])
    expect(await numbers({ since: 8000, timeField: 'ms' })).toEqual([8, 9])
    expect(await numbers({ since: 0, timeField: 'kind' })).toEqual([])
    expect(await log.find({ where: { kind: 'even' }, limit: 2 })).toMatchObject({
      events: [{ n: 6 }, { n: 8 }],
      matching: 5,
    })
    expect(await numbers({ limit: 0 })).toEqual([])
  })

  it('reads on behind lines that cannot be read, and counts them', async () => {
    const tree = openMemoryTree()
    await tree.create(path, '{"n":1}\n{"n":\n\n[1]\nnull\n\u0000\n{"n":2}\n{"n":3')
    const log = new EventLog(tree, path, jsonLines)
    expect(await log.find()).toEqual({ events: [{ n: 1 }, { n: 2 }], matching: 2, unreadable: 5 })
    await log.append({ n: 4 })
    expect((await log.find()).events).toEqual([{ n: 1 }, { n: 2 }, { n: 4 }])
  })
})
