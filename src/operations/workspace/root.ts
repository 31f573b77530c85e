/** Which directory is meant: the one that was named, else the nearest one upwards that looks like a workspace. */
import { call, inputs } from '../../kernel/call.ts'
import { denied, invalidInput, notFound } from '../../kernel/errors.ts'
import type { Outside } from '../../kernel/outside.ts'
import type { Environment } from '../define.ts'
import { type ProtocolLine, protocols } from '../protocols.ts'
import { configurationFile } from './settings.ts'

/** What marks a root; every path of a line must be there. */
export const rootMarks: readonly (readonly string[])[] = [
  [configurationFile],
  ['.signalbox'],
  ...(protocols as readonly ProtocolLine[]).flatMap(({ marks }) => marks),
]

export interface Root {
  readonly path: string
  /** `flag` and `environment` were named; `found` has a mark; `current` is where the command was started. */
  readonly by: 'flag' | 'environment' | 'found' | 'current'
}

export function findRoot(named: string | undefined, environment: Environment, outside: Outside): Root {
  const start = outside.currentFolder()
  if (named !== undefined) return { path: outside.resolve(start, named), by: 'flag' }
  const variable = environment.SIGNALBOX_ROOT
  if (variable) return { path: outside.resolve(start, variable), by: 'environment' }
  for (let folder = start; ; ) {
    for (const mark of rootMarks) {
      const paths = mark.map((path) => outside.resolve(folder, path))
      // In a shared directory above, such as /tmp, any user could plant one.
      if (paths.every((path) => outside.kindOf(path) !== undefined && outside.isTrusted(path))) {
        return { path: folder, by: 'found' }
      }
    }
    const above = outside.resolve(folder, '..')
    if (above === folder) return { path: start, by: 'current' }
    folder = above
  }
}

/** Throws unless the root is a directory that can be read. With `mayBeMissing`, one that is not there will do. */
export function checkRoot(root: Root, outside: Outside, mayBeMissing = false): void {
  const kind = outside.kindOf(root.path)
  const named = root.by === 'environment' ? 'SIGNALBOX_ROOT' : inputs({ root: null })
  if (kind === undefined) {
    if (mayBeMissing) return
    throw notFound('NO_SUCH_ROOT', `There is no directory ${root.path}.`, {
      hint: `Check ${named}, or make a workspace there: ${call('init', { root: root.path })}`,
      details: { root: root.path },
    })
  }
  if (kind !== 'folder') {
    throw invalidInput('ROOT_IS_NOT_A_DIRECTORY', `The root ${root.path} is a file, not a directory.`, {
      hint: `Name the directory that holds the workspace with ${named}.`,
      details: { root: root.path },
    })
  }
  if (!outside.mayRead(root.path)) {
    throw denied('ROOT_UNREADABLE', `No permission to read the root ${root.path}.`, {
      hint: 'Run as the user who owns it, or change its permissions.',
      details: { root: root.path },
    })
  }
}
