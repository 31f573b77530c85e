import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import { verifies } from '../../../test/support/verifies.ts'
import { LargeBodies, timeIn } from './large-bodies.ts'

const day = 24 * 60 * 60 * 1000
const RealDate = Date
let directory: string
beforeEach(() => {
  directory = tempDir()
})
afterEach(() => {
  globalThis.Date = RealDate
})

function setClockOffBy(by: number): void {
  globalThis.Date = class extends RealDate {
    constructor(...parts: [number?]) {
      super(parts[0] ?? RealDate.now() + by)
    }
    static override now = () => RealDate.now() + by
  } as DateConstructor
}

describe('bodies in a directory that machines with other clocks share', () => {
  for (const by of [2 * day, -2 * day]) {
    verifies('X-clock', `are made young by the time of that directory, with a clock ${by} ms off`, () => {
      const bodies = new LargeBodies(directory, 'team')
      const { name } = bodies.put(Buffer.alloc(1_100_000, 'a'))!
      const file = join(directory, 'team', name)
      utimesSync(file, 1000, 1000)
      setClockOffBy(by)
      bodies.put(Buffer.alloc(1_100_000, 'a'))
      expect(Math.abs(statSync(file).mtimeMs - RealDate.now())).toBeLessThan(60_000)
      expect(Math.abs(timeIn(join(directory, 'team')) - RealDate.now())).toBeLessThan(60_000)
      expect(readdirSync(join(directory, 'team'))).toEqual([name])
    })
  }

  verifies('X-clock', 'have the time of this machine where nothing can be written', () => {
    setClockOffBy(2 * day)
    expect(Math.abs(timeIn(join(directory, 'missing')) - RealDate.now() - 2 * day)).toBeLessThan(60_000)
  })
})
