import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Encoder } from './index.ts'

const inRoot = (path: string) => new URL(`../../${path}`, import.meta.url)
const kernel = inRoot('dist/minilm.wasm')
const pack = () => readFileSync(inRoot('packages/minilm/minilm.bin'))

let encoder: Encoder
beforeAll(() => {
  expect(existsSync(kernel), 'run npm run build').toBe(true)
  encoder = new Encoder(pack(), readFileSync(kernel))
})

const cosine = (a: string, b: string): number => {
  const [one, other] = [encoder.encode(a), encoder.encode(b)]
  return one.reduce((sum, number, i) => sum + number * other[i]!, 0)
}

describe('vectors of texts', () => {
  it('point in the same direction when the texts mean the same, in other words', () => {
    const related = cosine('The database query is slow', 'An index is missing, so reading takes long')
    const unrelated = cosine('The database query is slow', 'Translate the greeting on the first page')
    expect(related).toBeGreaterThan(0.35)
    expect(unrelated).toBeLessThan(0.15)
    // What the weights give as they were published, before they were packed.
    expect(cosine('The nightly backup failed: disk full', 'No space left on the device')).toBeCloseTo(0.415, 1)
  })

  const hostile: Record<string, string> = {
    nothing: '',
    'white space': ' \n\t ',
    'a megabyte': 'database '.repeat(120_000),
    'one long word': 'a'.repeat(1_000_000),
    'NUL and control characters': 'a\u0000b\u0007\u009f\ufffd',
    'halves of surrogate pairs': '\ud800 x \udfff \udc00\ud800',
    emoji: '🚀🔥👩‍👩‍👧 deploy',
    Chinese: '好的，收到。数据库很慢',
    Japanese: 'データベースのインデックスが足りない',
    Arabic: 'قاعدة البيانات بطيئة',
    accents: `e${'\u0301'.repeat(3000)}`,
    code: 'const x = () => { return a?.b ?? [1, 2, 3] } // `~$^',
  }
  it.each(Object.entries(hostile))('are finite and of length 1 for %s', (_, text) => {
    const vector = encoder.encode(text)
    expect(vector).toHaveLength(384)
    expect(vector.every(Number.isFinite)).toBe(true)
    expect(vector.reduce((sum, number) => sum + number * number, 0)).toBeCloseTo(1, 5)
  })

  it('are the same bits on every runtime, whatever was asked before', () => {
    const texts = [...Object.values(hostile), 'The nightly backup failed: disk full', 'x']
    const hashOf = (some: readonly string[]) => {
      const hash = createHash('sha256')
      for (const vector of some.map((text) => encoder.encode(text))) hash.update(new Uint8Array(vector.buffer))
      return hash.digest('hex').slice(0, 16)
    }
    expect(hashOf(texts)).toBe('95e1136deb56d3be')
    expect(hashOf([texts.at(-2)!])).toBe(hashOf([texts.at(-2)!]))
    expect(hashOf(texts)).toBe('95e1136deb56d3be')
  })

  it('are made of pieces of words that can be had one by one', () => {
    expect(encoder.vectorOf('database')).toHaveLength(384)
    expect(encoder.vectorOf('##s')).toHaveLength(384)
    expect(encoder.vectorOf('no such piece')).toBeUndefined()
  })
})

describe('the weights', () => {
  it('are those that the script makes', () => {
    expect(createHash('sha256').update(pack()).digest('hex')).toBe(
      '524549c333666d35bcf5900875652719dda7e4a9b7ec6eb421886f733380ff04',
    )
  })

  it('are refused when they are damaged', () => {
    const damaged = pack()
    damaged[9_000_000]! ^= 1
    const open = (bytes: Uint8Array) => () => new Encoder(bytes, readFileSync(kernel))
    expect(open(damaged)).toThrow('its bytes have changed')
    expect(open(pack().subarray(0, 1_000_000))).toThrow('it has 1000000 bytes')
    expect(open(new Uint8Array(0))).toThrow('it does not begin as one')
    expect(open(Buffer.from('MINILM1\n{}\n'))).toThrow()
  })
})
