/** Bodies that are too large for their message: they lie in `context/`, and the message depends on that file. AC-MQ §10.2. */
import type { AcmqRecord } from '../schema.ts'

/** Relative to the mission. `mark` keeps it apart from another body of the same id. */
export const bodyPathOf = (id: string, mark = ''): string => `context/message-${id}${mark}.md`

/** Where the body of a message lies, if not in its own file. */
export function bodyElsewhere({ id, dependencies }: Pick<AcmqRecord, 'id' | 'dependencies'>): string | undefined {
  const start = `path:${bodyPathOf(id).slice(0, -ending.length)}`
  const found = dependencies.find((text) => text.startsWith(start) && marks.test(text.slice(start.length)))
  return found?.slice('path:'.length)
}

const ending = '.md'
const marks = /^(?:-[0-9a-f]{8})?\.md$/
