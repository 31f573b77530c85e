/** A body that is too large for its message lies in `context/`, and the message depends on that file. AC-MQ §10.2. */
import { conflict } from '../../../kernel/errors.ts'
import type { AcmqRecord } from '../schema.ts'
import type { MissionPlaces } from './places.ts'

/** Relative to the mission. `mark` keeps two bodies of the same id apart. */
const bodyPathOf = (id: string, mark = ''): string => `context/message-${id}${mark}.md`

export function bodyElsewhere({ id, dependencies }: Pick<AcmqRecord, 'id' | 'dependencies'>): string | undefined {
  if (dependencies.length === 0) return undefined
  const start = `path:${bodyPathOf(id).slice(0, -ending.length)}`
  const found = dependencies.find((text) => text.startsWith(start) && marks.test(text.slice(start.length)))
  return found?.slice('path:'.length)
}

const ending = '.md'
const marks = /^(?:-[0-9a-f]{8})?\.md$/

/** The body that lies in a file of its own; empty when there is none. */
export async function readLargeBody(
  places: Pick<MissionPlaces, 'tree' | 'inside'>,
  record: Pick<AcmqRecord, 'id' | 'dependencies'>,
): Promise<string> {
  const path = bodyElsewhere(record)
  const leaf = path === undefined ? undefined : await places.tree.read(places.inside(path))
  return leaf ? Buffer.from(leaf.bytes).toString('utf8') : ''
}

export async function byReference(places: MissionPlaces, record: AcmqRecord, body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const path = await keepBody(places, record.id, bytes)
  return {
    stored: { ...record, dependencies: [...record.dependencies, `path:${path}`] },
    body: `The body of this message (${bytes.length} bytes) is in \`${path}\`.\n`,
    notices: [`The body has ${bytes.length} bytes; it is stored in ${path} and the message refers to it.`],
  }
}

/** Another process may send another body under this id at the same moment, so the second gets another name. */
async function keepBody(places: MissionPlaces, id: string, bytes: Uint8Array): Promise<string> {
  const mark = process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex').slice(0, 8)
  for (const path of [bodyPathOf(id), bodyPathOf(id, `-${mark}`)]) {
    const place = places.inside(path)
    if ((await places.tree.create(place, bytes)).outcome === 'created') return path
    const there = await places.tree.read(place)
    if (there && Buffer.compare(there.bytes, bytes) === 0) return path
  }
  throw conflict('NAME_TAKEN', `Other files have the names under which the body of ${id} would be stored.`, {
    hint: 'Send it with another id.',
    details: { id },
  })
}
