import { describe, expect, it } from 'vitest'
import { folders } from './layout.ts'
import { foldersWith, nextFolder, transitionNames } from './lifecycle.ts'

describe('the lifecycle', () => {
  it('leads from folder to folder and never out of the table', () => {
    for (const transition of transitionNames) {
      for (const from of folders) {
        if (foldersWith(transition).includes(from)) expect(folders).toContain(nextFolder(from, transition))
        else expect(() => nextFolder(from, transition)).toThrow(`no way to ${transition}`)
      }
    }
  })
  it('[MR-13] has no way back to the inbox but by a person, and for what was handed out to nobody', () => {
    const back = transitionNames.filter((one) => foldersWith(one).some((from) => nextFolder(from, one) === 'inbox'))
    expect(back).toEqual(['recover', 'putBack'])
  })
})
