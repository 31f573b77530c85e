import { expect, it } from 'vitest'
import { locate } from './locate.ts'

const saying = (complaint: string) =>
  locate(async () => ({ status: 128, bytes: Buffer.alloc(0), complaint }), '/home/ada/repo/parts/one')

it.each([
  [
    "fatal: detected dubious ownership in repository at '/home/ada/repo'\nTo add",
    'REPOSITORY_NOT_TRUSTED',
    "'/home/ada/repo'",
  ],
  ["fatal: unsafe repository ('/home/ada/repo' is owned by", 'REPOSITORY_NOT_TRUSTED', "'/home/ada/repo'"],
  ['fatal: this operation must be run in a work tree', 'NO_WORK_TREE', 'git worktree add'],
  ['fatal: not a git repository (or any', 'NO_REPOSITORY', 'git init'],
  ['fatal: bad config line 1', 'GIT_FAILED', 'git status'],
])('[SA-13a] %j is told with what helps', async (complaint, code, hint) => {
  await expect(saying(complaint)).rejects.toMatchObject({ code, hint: expect.stringContaining(hint) })
})
