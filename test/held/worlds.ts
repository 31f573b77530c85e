/** Worlds on files: each is set up once, and written to a new root for every performance. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { quickTempDir } from '../support/temp.ts'
import type { Explored } from './explorer.ts'
import { type FoundFile, OutsideFiles } from './outside.ts'
import { type Picture, paint, pictureOf } from './picture.ts'
import { play, timeOf } from './play.ts'
import { protocols } from './protocols.ts'
import { diskOf, type Variant } from './variants.ts'

interface Begun extends Picture {
  readonly begun: readonly FoundFile[]
}

export class Worlds {
  readonly #variant: Variant
  readonly #base = quickTempDir()
  readonly #pictures = new Map<string, Begun>()
  #painted = 0

  constructor(variant: Variant) {
    this.#variant = variant
  }

  /** Writes the world to a new root. Answers the root, its files, and a function that removes it. */
  async paint(explored: Explored) {
    const root = join(this.#base, `${++this.#painted}`)
    const picture = await this.#pictureOf(explored)
    paint(root, picture)
    return { root, begun: picture.begun, end: async () => rmSync(root, { recursive: true, force: true }) }
  }

  async #pictureOf({ protocol, world }: Explored): Promise<Begun> {
    const key = `${protocol} ${world}`
    const known = this.#pictures.get(key)
    if (known) return known
    const root = join(this.#base, 'world')
    const clock = timeOf('before')
    const outside = new OutsideFiles(root)
    const tree = await openFileTree({ root, clock, disk: diskOf(this.#variant) })
    const { answers } = await play(protocols[protocol], world, '', { tree, clock, who: 'before', outside })
    await tree.close()
    const wrong = answers.find(({ outcome, defect }) => defect !== undefined || outcome.startsWith('error'))
    if (wrong) throw new Error(`The world ${world} cannot be set up: ${JSON.stringify(wrong)}`)
    const picture = { ...pictureOf(root), begun: await outside.files() }
    rmSync(root, { recursive: true })
    this.#pictures.set(key, picture)
    return picture
  }
}
