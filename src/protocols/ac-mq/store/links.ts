/** Files that a result links to. They are named relative to the mission and lie inside it. */
import { invalidInput } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { pathInside } from '../layout.ts'
import type { MissionFiles } from './parts.ts'

/** The links as they are written into a result, and a sentence about each file that does not exist yet. */
export async function checkLinks(
  files: MissionFiles,
  given: readonly string[],
): Promise<{ readonly links: readonly string[]; readonly notices: readonly string[] }> {
  const { tree, path: folder, place } = files
  const wentElsewhere = async (link: string) => (await import('./memory/moved-files.ts')).whereItWent(files, link)
  const links: string[] = []
  const notices: string[] = []
  for (const text of given) {
    const link = insideOf(folder, text)
    if (link === undefined) throw leaves(text, folder)
    links.push(link)
    if (!(await tree.look(`${folder}/${link}` as TreePath)) && !(await wentElsewhere(link)))
      notices.push(`There is no ${link} in mission ${place.address} yet.`)
  }
  return { links, notices }
}

/** `undefined` when the path leaves the mission. It may also begin at the root, with the path of the mission. */
function insideOf(folder: TreePath, text: string): string | undefined {
  const path = pathInside(text)
  if (path === folder) return undefined
  return path?.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function leaves(text: string, folder: string) {
  const message = `Not a file of the mission: ${printableLine(JSON.stringify(text.slice(0, 120)))}.`
  const hint = `Name it relative to ${folder}, such as findings/report.md.`
  return invalidInput('LINK_LEAVES_MISSION', message, { hint, details: { link: text.slice(0, 400) } })
}
