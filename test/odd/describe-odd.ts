/**
 * Something odd at each place where a protocol expects a file or folder: another kind of file, a link, a pipe. One suite for the
 * protocols that are tried within the test's own process.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { seen } from './circe-life.ts'

const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1

type Kind = 'folder' | 'file' | 'link' | 'dangling link' | 'pipe'

/** Where something odd lies. */
export interface Odd {
  readonly root: string
  readonly path: string
  /** For messages: the path, and what lies there. */
  readonly place: string
}

export interface OddSuite<T> {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** Makes the workspace that is tried, once. */
  prepare(root: string): Promise<void>
  /** What is to be known of it before anything odd is there. */
  look(root: string): T
  /** While it is there. Nothing outside the root may change. */
  meanwhile(odd: Odd, looked: T): Promise<void>
  /** Once it is gone, and what it replaced is back. `picture`: the workspace as it was made. */
  afterwards(odd: Odd, picture: Picture): Promise<void>
}

export function describeOdd<T>(protocol: string, suite: OddSuite<T>): void {
  describe(`something else where ${protocol} expects a file or folder`, () => {
    const base = quickTempDir()
    let picture: Promise<Picture> | undefined
    const template = async () => {
      const root = join(base, 'template')
      await suite.prepare(root)
      return pictureOf(root)
    }
    for (const [n, path] of [...suite.folders, ...suite.files].entries()) {
      verifies(['X-notes', 'X-odd', 'X-doctor'], `${path}: costs no message, and doctor tells`, async () => {
        picture ??= template()
        const kinds: Kind[] = [suite.files.includes(path) ? 'folder' : 'file', 'link', 'dangling link', 'pipe']
        // One of them, or all in the long run.
        for (const kind of isLong ? kinds : [kinds[n % 2]!]) await oddAt(base, await picture, path, kind, suite)
      })
    }
  })
}

async function oddAt<T>(base: string, picture: Picture, path: string, kind: Kind, suite: OddSuite<T>): Promise<void> {
  const [root, beside, aside] = [join(base, 'root'), join(base, 'beside'), join(base, 'aside')]
  for (const one of [root, beside, aside]) fs.rmSync(one, { recursive: true, force: true })
  paint(root, picture)
  fs.mkdirSync(join(beside, 'inner'), { recursive: true })
  fs.writeFileSync(join(beside, 'file'), 'somebody else’s\n')
  const before = seen(beside)
  const looked = suite.look(root)
  const full = join(root, path)
  const wasThere = fs.existsSync(full)
  if (wasThere) fs.renameSync(full, aside)
  plant(full, kind, kind === 'link' && suite.files.includes(path) ? join(beside, 'file') : beside)
  const odd = { root, path, place: `${path} (${kind})` }
  await suite.meanwhile(odd, looked)
  expect(seen(beside), `outside of the root, at ${odd.place}`).toBe(before)
  fs.rmSync(full, { recursive: true, force: true })
  if (wasThere) fs.renameSync(aside, full)
  await suite.afterwards(odd, picture)
}

function plant(path: string, kind: Kind, beside: string): void {
  fs.mkdirSync(dirname(path), { recursive: true })
  if (kind === 'folder') fs.mkdirSync(path)
  if (kind === 'file') fs.writeFileSync(path, 'in the way\n')
  if (kind === 'link') fs.symlinkSync(beside, path)
  if (kind === 'dangling link') fs.symlinkSync(join(beside, 'nothing'), path)
  if (kind === 'pipe') spawnSync('mkfifo', [path])
}
