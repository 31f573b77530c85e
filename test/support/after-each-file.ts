/** For test files that share a process: what one of them leaves is gone before the next. See `vitest.config.ts`. */
import { afterAll } from 'vitest'
import { killAllChildren } from './child.ts'
import { removeTempDirs } from './temp.ts'

afterAll(() => {
  killAllChildren()
  removeTempDirs()
})
