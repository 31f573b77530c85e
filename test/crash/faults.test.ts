/** The disk fails at every step in turn: a clear error each time, nothing lost, nothing half-written to be seen. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import type { Durability } from '../../src/tree/tree.ts'
import { runtime } from '../support/child.ts'
import { expectedCodes, failingDisk } from '../support/failing-disk.ts'
import { withTempDir } from '../support/temp.ts'
import { folders, pictureOf, type Story, stories } from './operations.ts'

async function failEveryStep(story: Story, code: string, kind: Kind): Promise<number> {
  for (let failAt = 1; ; failAt++) {
    const reached = await withTempDir(async (root) => {
      const prepared = await openFileTree({ root })
      await story.before(prepared)
      await prepared.close()
      const faulty = failingDisk({ ...realDisk(), ...kind.native }, code, kind.lasting, kind.half)
      const tree = await openFileTree({ root, disk: faulty.disk, durability: kind.durability })
      faulty.arm(failAt)
      const error = await story.act(tree).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      const reachedStep = faulty.failed.length > 0
      faulty.heal()
      const place = `${story.name}: ${code} at step ${failAt} (${faulty.failed[0]})`
      if (error !== undefined) {
        expect(error, place).toBeInstanceOf(SignalboxError)
        const { code: told, hint, message } = error as SignalboxError
        // Where a missing permission hides what is there, the engine may rightly speak of that.
        expect([expectedCodes[code], 'NOT_A_LEAF', 'NO_SUCH_ROOT'], `${place}: ${message}`).toContain(told)
        expect(hint, place).toBeTypeOf('string')
      }
      // First as the same process sees it, once the disk is well again; then as a new one does.
      for (const reader of [tree, await openFileTree({ root })]) {
        const picture = await pictureOf(reader)
        const allowed = error === undefined ? [story.acknowledged] : story.allowed
        if (story.mayLeaveFragment && error !== undefined) {
          expect(picture['a/log'], place).toMatch(/^first\n(s|se|sec|seco|secon|second|second\n)?$/)
        } else {
          expect(allowed, `${place} left ${JSON.stringify(picture)}, error ${error}`).toContainEqual(picture)
        }
        await reader.close()
      }
      for (const folder of folders) {
        const names = unlessMissing(() => readdirSync(join(root, folder)))
        expect(
          names.filter((name) => name.startsWith('.own-')),
          place,
        ).toEqual([])
      }
      return reachedStep
    })
    if (!reached) return failAt - 1
  }
}

function unlessMissing(list: () => string[]): string[] {
  try {
    return list()
  } catch {
    return [] // The folder was never made.
  }
}

interface Kind {
  readonly title: string
  readonly lasting: boolean
  readonly half: boolean
  readonly durability: Durability
  readonly native: Partial<Disk> | undefined
  readonly codes: readonly string[]
}

// The calls are the same whichever runtime makes them.
const native = runtime === 'bun' ? loadNative() : undefined
const codes = Object.keys(expectedCodes)
const once = { lasting: false, half: false, durability: 'process', native: undefined, codes } as const
const kinds: Kind[] = [
  { ...once, title: 'fails once' },
  { ...once, title: 'fails from then on', lasting: true },
  { ...once, title: 'fails half-way through a write', half: true },
  { ...once, title: 'fails once, durability full', durability: 'full', codes: ['EIO'] },
  { ...once, title: 'fails once, durability batch', durability: 'batch', codes: ['ENOSPC'] },
  ...(native ? [{ ...once, title: 'fails once, native calls', native }] : []),
]

for (const kind of kinds) {
  describe(`a disk that ${kind.title}, on ${runtime}`, () => {
    for (const story of stories) {
      it(`[X-disk] ${story.name}`, async () => {
        for (const code of kind.codes) {
          expect(await failEveryStep(story, code, kind)).toBeGreaterThan(0)
        }
      })
    }
  })
}
