import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { quickTempDir } from '../../../test/support/temp.ts'
import { plainFiles } from '../../engines/file-system/plain-files.ts'
import { type PlainFiles, rawPath } from '../../kernel/plain-files.ts'
import { clearWork, openPrivateDir } from './private-dir.ts'

it('[SA-13a] two that come first at once get one id, though one is in its turn already', () => {
  const gitDir = join(quickTempDir(), '.git')
  mkdirSync(gitDir)
  const place = { top: gitDir, prefix: '', gitDir, commonDir: gitDir, objectFormat: 'sha1' }
  let other: ReturnType<typeof openPrivateDir> | undefined
  const files: PlainFiles = {
    ...plainFiles,
    link(from, to) {
      // Another process opens it, has its turn and clears away what dead ones left.
      other = openPrivateDir(plainFiles, place)
      clearWork(plainFiles, other)
      return plainFiles.link(from, to)
    },
  }
  expect(openPrivateDir(files, place)).toEqual(other)
  expect(readdirSync(join(gitDir, 'signalbox/top')).sort()).toEqual(['git', 'id', 'work'])
  expect(plainFiles.names(rawPath(join(gitDir, 'signalbox/top/work')))).toEqual([])
})
