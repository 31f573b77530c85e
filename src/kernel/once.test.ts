import { describe, expect, it } from 'vitest'
import { once } from './once.ts'

describe('made once', () => {
  it('is made at the first call and shared by those that come meanwhile', async () => {
    let calls = 0
    const get = once(async () => ++calls)
    expect([get.made(), calls]).toEqual([undefined, 0])
    expect(await Promise.all([get(), get(), get.made()])).toEqual([1, 1, 1])
    expect(await get()).toBe(1)
  })

  it('is tried again after a failure', async () => {
    let calls = 0
    const get = once(async () => {
      calls++
      if (calls === 1) throw new Error('not yet')
      return calls
    })
    const both = await Promise.allSettled([get(), get()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect([get.made(), await get(), calls]).toEqual([undefined, 2, 2])
  })
})
