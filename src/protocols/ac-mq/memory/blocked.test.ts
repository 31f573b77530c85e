import { describe, expect, it } from 'vitest'
import { blockedForGood } from './blocked.ts'

const one = (id: string, status: string, ...dependencies: string[]) => ({ id, status, dependencies })
const blockedIn = (...messages: Parameters<typeof blockedForGood>[0][number][]) =>
  Object.fromEntries([...blockedForGood(messages)].map(([{ id }, { on, by }]) => [id, `${by} ${on}`]))

describe('[AC-7.1a] blocked for good', () => {
  it('is what depends on something failed, however far', () => {
    expect(
      blockedIn(
        one('failed00', 'failed'),
        one('second00', 'pending', 'msg:failed00'),
        one('third000', 'pending', 'msg:second00', 'msg:done0000'),
        one('done0000', 'completed'),
        one('free0000', 'pending', 'msg:done0000', 'msg:works000'),
        one('later000', 'pending', 'msg:free0000'),
        one('works000', 'processing'),
      ),
    ).toEqual({ second00: 'failed failed00', third000: 'blocked second00' })
  })

  it('is what nobody knows, what means several, and what waits for itself; a file may still come', () => {
    expect(
      blockedIn(
        one('lost0000', 'pending', 'msg:nowhere0'),
        one('file0000', 'pending', 'context/later.md', 'path:artifacts/x.md'),
        one('out00000', 'pending', 'path:../../x'),
        one('same0000-1', 'completed'),
        one('same0000-2', 'completed'),
        one('which000', 'pending', 'msg:same0000'),
        one('circle01', 'pending', 'msg:circle02'),
        one('circle02', 'pending', 'msg:circle01'),
        one('behind00', 'pending', 'msg:circle01'),
      ),
    ).toEqual({
      lost0000: 'unknown nowhere0',
      out00000: 'outside ../../x',
      which000: 'ambiguous same0000',
      circle01: 'itself circle02',
      circle02: 'itself circle01',
      behind00: 'blocked circle01',
    })
  })

  it('sees other missions where they are given, and judges nothing where they are not', () => {
    const inner = { ...one('aaaaaaaa', 'failed'), mission: 'shop/checkout' }
    const outer = { ...one('bbbbbbbb', 'pending', 'msg:checkout/aaaaaaaa'), mission: 'shop' }
    expect(blockedIn(inner, outer)).toEqual({ bbbbbbbb: 'failed checkout/aaaaaaaa' })
    expect(blockedIn(outer)).toEqual({})
  })

  it('is found in long chains and wide ones as quickly', () => {
    const idOf = (letter: string, n: number) => `${letter}${String(n).padStart(7, '0')}`
    const chain = Array.from({ length: 20_000 }, (_, n) =>
      n === 0 ? one(idOf('n', 0), 'failed') : one(idOf('n', n), 'pending', `msg:${idOf('n', n - 1)}`),
    )
    const wide = Array.from({ length: 20_000 }, (_, n) => one(idOf('w', n), 'pending', `msg:${chain[1]!.id}`))
    expect(blockedForGood([...chain, ...wide]).size).toBe(39_999)
  })
})
