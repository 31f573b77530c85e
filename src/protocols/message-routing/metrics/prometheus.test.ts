import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/support/verifies.ts'
import { latenciesOf, printPrometheus } from './metrics.ts'
import { addLatency, emptySnapshot } from './snapshot.ts'

/** The exposition format, read strictly: one family after the other, HELP and TYPE first, every sample of its family. */
function parseExposition(text: string) {
  if (!text.endsWith('\n')) throw new Error('the last line must end')
  const families = new Map<string, { type: string; samples: Map<string, number> }>()
  let current = ''
  let expecting: 'TYPE' | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line)
    if (comment) {
      const [, word, name = '', rest = ''] = comment
      if (word === 'HELP') {
        if (families.has(name)) throw new Error(`${name} comes twice`)
        current = name
        expecting = 'TYPE'
      } else {
        if (name !== current || expecting !== 'TYPE') throw new Error(`TYPE of ${name} is out of place`)
        if (!/^(counter|gauge|histogram)$/.test(rest)) throw new Error(`no such type: ${rest}`)
        families.set(name, { type: rest, samples: new Map() })
        expecting = undefined
      }
      continue
    }
    const sample =
      /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\+Inf|-Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(
        line,
      )
    const family = families.get(current)
    if (!sample || !family || expecting) throw new Error(`not a sample: ${line}`)
    const [, name = '', labels = '', value] = sample
    const suffix = name.slice(current.length)
    const allowed = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    if (!name.startsWith(current) || !allowed.includes(suffix)) throw new Error(`${name} is not of ${current}`)
    if (family.samples.has(suffix + labels)) throw new Error(`${name}${labels} comes twice`)
    family.samples.set(suffix + labels, Number(value))
  }
  return families
}

const metrics = {
  latencies: [0.05, 3, 3, 120].reduce(
    (snapshot, value) => addLatency(snapshot, 'message_write_latency_ms', value, 1),
    emptySnapshot,
  ),
  depths: new Map([
    ['coder-1', 3],
    ['coordinator-main', 0],
  ]),
  evictions: 7,
}

describe('Prometheus text', () => {
  verifies('MR-8b', 'has the four metrics under the names of the specification', () => {
    const families = parseExposition(printPrometheus(metrics))
    expect([...families].map(([name, { type }]) => [name, type])).toEqual([
      ['message_write_latency_ms', 'histogram'],
      ['message_read_latency_ms', 'histogram'],
      ['inbox_depth', 'gauge'],
      ['eviction_count', 'counter'],
    ])
    expect(families.get('inbox_depth')?.samples.get('{agent="coder-1"}')).toBe(3)
    expect(families.get('eviction_count')?.samples.get('')).toBe(7)
  })

  it('counts buckets up to and including their bound, and all of them in +Inf', () => {
    const write = parseExposition(printPrometheus(metrics)).get('message_write_latency_ms')!.samples
    const buckets = [...write].filter(([name]) => name.startsWith('_bucket'))
    expect(buckets.map(([, count]) => count)).toEqual([1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4])
    expect(buckets[0]?.[0]).toBe('_bucket{le="0.1"}')
    expect(buckets.at(-1)?.[0]).toBe('_bucket{le="+Inf"}')
    expect([write.get('_sum'), write.get('_count')]).toEqual([126.05, 4])
  })

  it('is printed exactly so', () => {
    const lines = printPrometheus({ ...metrics, latencies: emptySnapshot }).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      '# HELP message_write_latency_ms Milliseconds from the call to send until the file is in the inbox.',
      '# TYPE message_write_latency_ms histogram',
      'message_write_latency_ms_bucket{le="0.1"} 0',
    ])
    expect(lines.slice(-10)).toEqual([
      'message_read_latency_ms_sum 0',
      'message_read_latency_ms_count 0',
      '# HELP inbox_depth Messages waiting in the inbox of an agent.',
      '# TYPE inbox_depth gauge',
      'inbox_depth{agent="coder-1"} 3',
      'inbox_depth{agent="coordinator-main"} 0',
      '# HELP eviction_count Messages evicted because an inbox was full.',
      '# TYPE eviction_count counter',
      'eviction_count 7',
      '',
    ])
  })
})

describe('the table', () => {
  it('has percentiles in milliseconds, and none of nothing', () => {
    const { message_write_latency_ms: write, message_read_latency_ms: read } = metrics.latencies
    expect(latenciesOf(write)).toEqual({ count: 4, p50: 3.5, p90: 112, p99: 119.2, max: 120, mean: 31.513 })
    expect(latenciesOf(read)).toEqual({ count: 0 })
  })
})
