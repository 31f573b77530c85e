/** Files of `context/` that never move: one a line in `context/.pinned`. AC-MQ §15. */
import { invalidInput, notFound } from '../../../../kernel/errors.ts'
import { changeLeaf } from '../../../../messaging/leaves/change.ts'
import { pathInside } from '../../layout.ts'
import type { MissionFiles } from '../parts.ts'

export const pinnedName = '.pinned'

export async function pin(files: MissionFiles, paths: readonly string[]): Promise<readonly string[]> {
  const names = paths.map((text) => {
    const inside = pathInside(text.replace(/^(?:\.\/)?(?:context\/)?/, 'context/'))
    if (inside === undefined || !inside.startsWith('context/')) throw notInContext(text)
    return inside.slice('context/'.length)
  })
  for (const name of names) {
    if (!(await files.tree.look(files.inside(`context/${name}`)))) throw noSuchFile(name, files.place.address)
  }
  await changeLeaf(files.tree, files.inside(`context/${pinnedName}`), (before) => {
    const known = before ? Buffer.from(before.bytes).toString('utf8').split('\n').filter(Boolean) : []
    const all = [...new Set([...known, ...names])]
    return all.length === known.length ? undefined : Buffer.from(`${all.join('\n')}\n`)
  })
  return names
}

const notInContext = (text: string) =>
  invalidInput('NOT_IN_CONTEXT', `Not a file of context/: ${JSON.stringify(text.slice(0, 120))}.`, {
    hint: 'Name it as it lies there: --pin context/architecture.md',
  })

const noSuchFile = (name: string, mission: string) =>
  notFound('NO_SUCH_FILE', `There is no context/${name} in mission ${mission}.`, {
    hint: `See what is there: ls context/`,
  })
