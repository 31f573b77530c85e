import { describe, expect, it } from 'vitest'
import { corrupt, unavailable } from '../kernel/errors.ts'
import { leavingAlone } from './leave-alone.ts'

function asking(error: Error) {
  let time = 0
  let asked = 0
  const ask = leavingAlone({ now: () => time })
  const fail = () =>
    ask(async () => {
      asked++
      throw error
    })
  const wait = (ms: number) => {
    time += ms
  }
  return { ask, fail, wait, asked: () => asked }
}

describe('[X-model] somebody who did not answer', () => {
  it('is left alone for five minutes, then asked again', async () => {
    const silent = unavailable('MODEL_UNAVAILABLE', 'It did not answer in time.')
    const { ask, fail, wait, asked } = asking(silent)
    for (let i = 0; i < 3; i++) await expect(fail()).rejects.toBe(silent)
    await expect(ask(async () => 'never asked')).rejects.toBe(silent)
    expect(asked()).toBe(1)
    wait(5 * 60_000)
    expect(await ask(async () => 'there again')).toBe('there again')
    await expect(fail()).rejects.toBe(silent)
    expect(asked()).toBe(2)
  })

  it.each([
    ['refused one question', unavailable('MODEL_UNAVAILABLE', 'It answered 400.', { details: { refused: true } })],
    ['answered nonsense', corrupt('BAD_MODEL_ANSWER', 'Nothing that can be used.')],
  ])('is no one who %s', async (_, error) => {
    const { fail, asked } = asking(error)
    for (let i = 0; i < 2; i++) await expect(fail()).rejects.toBe(error)
    expect(asked()).toBe(2)
  })
})
