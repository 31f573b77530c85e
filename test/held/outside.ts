/** The files of a world as any other program sees and changes them, without any code of the library. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'

export interface FoundFile {
  /** From the root. */
  readonly path: string
  readonly text: string
  readonly modifiedAt: number
}

export interface Outside {
  /** Every file except the engine's own. */
  files(): Promise<FoundFile[]>
  /** Writes beside it and renames over it, as editors do. Whatever was there is replaced. */
  write(path: string, text: string): Promise<void>
  /** As `mv -n`. False when there was nothing to move, or something is in the way. */
  move(from: string, to: string): Promise<boolean>
  remove(path: string): Promise<boolean>
}

const engineHome = '.signalbox/engine'

export class OutsideFiles implements Outside {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  async files(): Promise<FoundFile[]> {
    const found: FoundFile[] = []
    this.#collect('', found)
    return found
  }

  async write(path: string, text: string): Promise<void> {
    const draft = join(this.#root, '.edited')
    fs.writeFileSync(draft, text)
    fs.mkdirSync(dirname(join(this.#root, path)), { recursive: true })
    fs.renameSync(draft, join(this.#root, path))
  }

  async move(from: string, to: string): Promise<boolean> {
    const [source, target] = [join(this.#root, from), join(this.#root, to)]
    if (!fs.existsSync(source) || fs.existsSync(target)) return false
    fs.mkdirSync(dirname(target), { recursive: true })
    fs.renameSync(source, target)
    return true
  }

  async remove(path: string): Promise<boolean> {
    const there = fs.existsSync(join(this.#root, path))
    fs.rmSync(join(this.#root, path), { force: true })
    return there
  }

  #collect(folder: string, found: FoundFile[]): void {
    for (const entry of fs.readdirSync(join(this.#root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (path === engineHome) continue
      if (entry.isDirectory()) this.#collect(path, found)
      else if (entry.isFile()) {
        const file = fileAt(join(this.#root, path))
        if (file) found.push({ path, ...file })
      }
    }
  }
}

/** `undefined` when it is gone: both actors may be running at this moment. */
function fileAt(path: string): Omit<FoundFile, 'path'> | undefined {
  try {
    return { text: fs.readFileSync(path, 'utf8'), modifiedAt: fs.statSync(path).mtimeMs }
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}
