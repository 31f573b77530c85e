/** Puts single files into the tree of a workspace: on a cluster there is no other way for a person to bring one. */
import { inputs } from '../../kernel/call.ts'
import { conflict, invalidInput, notFound } from '../../kernel/errors.ts'
import { childOf, type TreePath, treePath } from '../../kernel/tree-path.ts'
import { changeLeaf } from '../../messaging/leaves/change.ts'
import type { Context } from '../define.ts'
import { isCarried } from './walk.ts'

/** In bytes. */
const largestFile = 64 * 1024 * 1024

interface PutFiles {
  readonly into: string | undefined
  readonly replace: boolean
}

export async function putFiles(context: Context, files: readonly string[], { into, replace }: PutFiles) {
  // Nothing is written before all of them are known to be good.
  const bytes = files.map((file) => readFile(context, file))
  const paths = files.map((file) => placeOf(context, file, into))
  const tree = await context.tree()
  let copied = 0
  for (const [n, path] of paths.entries()) {
    const { outcome } = await changeLeaf(tree, path, (before) => {
      if (before && !replace && Buffer.compare(before.bytes, bytes[n]!) !== 0) throw differs(path)
      return bytes[n]
    })
    if (outcome !== 'unchanged') copied++
  }
  const unchanged = files.length - copied
  return { outcome: copied > 0 ? 'imported' : 'unchanged', to: tree.place, paths, copied, unchanged } as const
}

function readFile({ outside }: Context, file: string): Uint8Array {
  const bytes = outside.kindOf(file) === 'file' ? outside.readBytes(file, largestFile) : undefined
  if (bytes) return bytes
  throw notFound('NO_SUCH_FILE', `There is no file and no directory ${file}.`, {
    hint: 'Name the workspace to take over, or files.',
    details: { path: file },
  })
}

/** Where it belongs: in the folder that was named, else at the same place as in the directory of the workspace. */
function placeOf({ root, outside }: Context, file: string, into: string | undefined): TreePath {
  const [base, real] = [outside.realPath(root().path), outside.realPath(file)]
  if (into === undefined && !real.startsWith(`${base}/`)) {
    throw invalidInput('FILE_OUTSIDE', `${file} does not lie in the directory of the workspace, ${root().path}.`, {
      hint: `Say which folder it belongs in: ${inputs({ into: 'FOLDER' })}`,
      details: { path: file },
    })
  }
  const path =
    into === undefined
      ? treePath(real.slice(base.length + 1))
      : childOf(treePath(into.replace(/^\.(?:\/|$)/, '').replace(/\/+$/, '')), file.slice(file.lastIndexOf('/') + 1))
  if (isCarried(path)) return path
  throw invalidInput('NOT_CARRIED', `${path} is kept where it is: keys, caches and what an engine needs for itself.`, {
    hint: 'Name other files.',
    details: { path },
  })
}

const differs = (path: TreePath) =>
  conflict('DIFFERENT_THERE', `At the target ${path} is already there, with other content.`, {
    hint: `Give ${inputs({ replace: true })} to put this one in its place.`,
    details: { path },
  })
