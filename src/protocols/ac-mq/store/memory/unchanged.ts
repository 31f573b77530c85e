/** Whether a mission has changed since its documents were renewed: a pass without changes then costs a few looks at folders. */
import { hash } from 'node:crypto'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../../messaging/leaves/change.ts'
import { unlessFailed } from '../../../../messaging/leaves/tolerant.ts'
import { cacheOf } from '../../../../tree/home.ts'
import { fallbackManifestPath, manifestPath } from '../../layout.ts'
import { busFolder } from '../../memory/generated.ts'
import type { MissionFiles } from '../parts.ts'
import { tooRecent } from './cache.ts'

type Signature = Awaited<ReturnType<typeof signatureOf>>

export async function signatureOf(files: MissionFiles) {
  const { tree, place, queues } = files
  // What is archived leaves its queue, so the archive need not be looked at.
  const folders = [...Object.values(queues), files.inside(busFolder), files.inside('context')]
  const places = [...folders, manifestPath(place), fallbackManifestPath(place)]
  let newest = 0
  const lines: string[] = [settingsText(files)]
  for (const path of places) {
    const found = await unlessFailed(tree.look(path))
    const at = found ? Math.max(found.modifiedAt, found.kind === 'leaf' ? found.changedAt : 0) : 0
    newest = Math.max(newest, at)
    lines.push(`${path} ${at} ${found?.kind === 'leaf' ? found.size : ''}`)
  }
  return { text: hash('sha256', lines.join('\n'), 'hex'), newest }
}

/** Other settings may make other documents. */
function settingsText({ settings }: MissionFiles): string {
  const text = printed.get(settings) ?? JSON.stringify(settings)
  printed.set(settings, text)
  return text
}

const printed = new WeakMap<object, string>()

const notePath = (files: MissionFiles): TreePath =>
  childOf(cacheOf('memory'), hash('sha256', files.path, 'hex').slice(0, 32))

export async function isDoneFor(files: MissionFiles, { text }: Signature): Promise<boolean> {
  if (known.get(files) === text) return true
  const leaf = await unlessFailed(files.tree.read(notePath(files), { atMost: 100 }))
  const isDone = leaf !== undefined && Buffer.from(leaf.bytes).toString('latin1') === text
  if (isDone) known.set(files, text)
  return isDone
}

/** What this process has seen done, so that it need not read the note in every pass. */
const known = new WeakMap<MissionFiles, string>()

/** Not noted while a second change might not show in the times. */
export async function noteDone(files: MissionFiles, { text, newest }: Signature): Promise<void> {
  if ((await files.tree.now()) - newest > tooRecent)
    await unlessFailed(changeLeaf(files.tree, notePath(files), () => Buffer.from(text)))
}
