/** A folder inside the root, as people write it in `signalbox.yaml`: `./llm/missions/`. */
import { text } from './field.ts'
import { type TreePath, treePath } from './tree-path.ts'

/** Plain names between slashes; none of them leads out, and none is our own folder. */
const folderInside = /^(?:\.\/)?(?!\.signalbox(?:\/|$))(?!\.\.?(?:\/|$))[\w.+@-]+(?:\/(?!\.\.?(?:\/|$))[\w.+@-]+)*\/?$/

/** The setting of a protocol that says where it lives. */
export const rootFolder = <const Default extends string>(help: string, folder: Default) =>
  text(help, {
    default: folder,
    longest: 512,
    pattern: folderInside,
    expected: `a folder below the root, such as ${folder}`,
  })

/** The folder meant; throws for one that would lie outside the root. */
export const insideRoot = (written: string): TreePath => treePath(written.replace(/^\.\//, '').replace(/\/$/, ''))
