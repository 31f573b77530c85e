import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import * as outside from '../../engines/file-system/outside.ts'
import { keysFolderOf } from './keys-folder.ts'

const folderFor = (path: string, environment: Record<string, string>) =>
  keysFolderOf({ environment, outside, root: { path, by: 'flag' } })

it("keeps keys in the user's own folder, one for each workspace", () => {
  const [root, home] = [tempDir(), tempDir()]
  const environment = { XDG_CONFIG_HOME: home }
  const folder = folderFor(root, environment)
  expect(folder).toMatch(new RegExp(`^${home}/signalbox/workspaces/signalbox-\\w+-[0-9a-f]{16}$`))
  expect(folderFor(join(root, '.'), environment)).toBe(folder)
  expect(folderFor(tempDir(), environment)).not.toBe(folder)
  for (const bad of [{}, { HOME: root }]) {
    expect(() => folderFor(root, bad)).toThrow(expect.objectContaining({ code: 'NO_PLACE_FOR_KEYS', exit: 6 }))
  }
})
