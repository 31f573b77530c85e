/** A copy of folders and files, so that a world need not be set up again for each performance. */
import fs from 'node:fs'
import { join } from 'node:path'

export interface Picture {
  readonly folders: readonly string[]
  readonly files: readonly { readonly path: string; readonly bytes: Buffer; readonly modified: number }[]
}

export function pictureOf(root: string): Picture {
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true })
  const pathOf = (entry: fs.Dirent) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1)
  const files = entries.filter((entry) => entry.isFile()).map(pathOf)
  const folders = entries.filter((entry) => entry.isDirectory()).map(pathOf)
  return {
    folders: folders.sort(),
    files: files.map((path) => {
      const full = join(root, path)
      return { path, bytes: fs.readFileSync(full), modified: fs.statSync(full).mtimeMs / 1000 }
    }),
  }
}

export function paint(root: string, { folders, files }: Picture): void {
  fs.mkdirSync(root, { mode: 0o700 })
  for (const folder of folders) fs.mkdirSync(join(root, folder), { mode: 0o700 })
  for (const { path, bytes, modified } of files) {
    fs.writeFileSync(join(root, path), bytes, { mode: 0o600 })
    fs.utimesSync(join(root, path), modified, modified)
  }
}
