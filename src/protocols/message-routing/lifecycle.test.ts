import { describe, expect, it } from 'vitest'
import { folders } from './layout.ts'
import { nextFolder, transitionNames } from './lifecycle.ts'

describe('the lifecycle', () => {
  it('leads from folder to folder and never out of the table', () => {
    for (const from of folders) {
      for (const transition of transitionNames) {
        const to = nextFolder(from, transition)
        if (to !== undefined) expect(folders).toContain(to)
      }
    }
  })
  it('[MR-13] has no way back to the inbox but by a person', () => {
    const back = folders.flatMap((from) => transitionNames.filter((one) => nextFolder(from, one) === 'inbox'))
    expect(new Set(back)).toEqual(new Set(['recover']))
  })
})
