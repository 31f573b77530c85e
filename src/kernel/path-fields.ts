/** Settings that name a place: a folder inside the root, as people write one (`./llm/missions/`), or a full path outside. */
import { text } from './field.ts'
import { type TreePath, treePath } from './tree-path.ts'

/** Plain names between slashes; none of them leads out of the root, and none is our own folder. */
const inside = /^(?:\.\/)?(?!\.signalbox(?:\/|$))(?!\.\.?(?:\/|$))[\w.+@-]+(?:\/(?!\.\.?(?:\/|$))[\w.+@-]+)*\/?$/

/** A setting that takes a folder inside the root. */
export const rootFolder = <const Default extends string>(help: string, folder: Default) =>
  text(help, { default: folder, longest: 512, pattern: inside, expected: `a folder below the root, such as ${folder}` })

/** Without the `./` before and the `/` behind it. */
export const insideRoot = (written: string): TreePath => treePath(written.replace(/^\.\//, '').replace(/\/$/, ''))

/** A setting that takes a full path: which directory a command is started in must not decide whose file is read. */
export const fullPath = <const C extends 'file' | 'folder'>(help: string, completes: C) =>
  text(help, {
    placeholder: completes === 'file' ? 'FILE' : 'DIR',
    longest: 4096,
    pattern: /^\//,
    expected: 'a full path, such as /home/ada/secret',
    completes,
  })
