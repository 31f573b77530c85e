/** The messages of a report: first what each is about, and then, one after the other, their whole texts. */
import { once } from '../../../../kernel/once.ts'
import { type ArchivedEntry, eachArchived } from '../../archive/archive.ts'
import { archivePath } from '../../layout.ts'
import { messagePartsIn, shortened } from '../../memory/message-parts.ts'
import { logEntry } from '../../memory/report-log.ts'
import type { ReportMessage } from '../../memory/report-picture.ts'
import type { MissionFiles } from '../parts.ts'
import { isSummaryTask } from './summary-task.ts'
import { byTime, eachText, readOneText } from './texts.ts'

/** The most characters of one message, and of all together: enough to say what the result was. */
const mostOfOne = 8000
const mostOfAll = 32 * 1024 * 1024
/** Of each message once that is used up. */
const leastOfOne = 300

/** Each message once, by time. `isQuoted`: `logOf` reads the texts later, so nothing of them is kept. */
export async function messagesOf(
  missions: readonly MissionFiles[],
  { isQuoted }: { readonly isQuoted: boolean },
): Promise<ReportMessage[]> {
  const found = new Map<string, ReportMessage>()
  let left = mostOfAll
  for (const files of missions) {
    const mission = files.place.address
    for await (const { message, status, body, changedAt } of eachText(files)) {
      const { id, name, path, state, from, to, summary, createdAt, dependencies } = message
      if (isSummaryTask(id)) continue
      const all = messagePartsIn(body)
      const { result, failure } = all
      const said = isQuoted ? { asked: '' } : shortened(all, left > 0 ? mostOfOne : leastOfOne)
      left -= said.asked.length + ('result' in said ? said.result.text.length : 0)
      const isFinished = status === 'completed' || status === 'failed'
      const finishedAt = isFinished ? ((status === 'completed' ? result?.at : failure?.at) ?? changedAt) : undefined
      found.set(`${mission}\n${id}`, {
        ...{ mission, id, name, path, state, status, from, to, summary, createdAt, dependencies, said },
        ...(finishedAt === undefined ? {} : { finishedAt }),
      })
    }
  }
  return [...found.values()].sort(byTime)
}

export interface LogEntry {
  readonly text: string
  readonly isWhole: boolean
}

/** `mostText`: of all texts together, in characters. Texts that come later are left out. */
export async function* logOf(
  missions: readonly MissionFiles[],
  messages: readonly ReportMessage[],
  mission: string,
  mostText: number,
): AsyncGenerator<LogEntry> {
  const readers = new Map<string, BodyReader>(missions.map((files) => [files.place.address, bodyReader(files)]))
  let left = mostText
  for (const message of messages) {
    const body = left > 0 ? await readers.get(message.mission)!(message) : undefined
    left -= body?.length ?? 0
    const isWhole = body !== undefined && left >= 0
    yield { text: logEntry(message, isWhole ? body : undefined, mission), isWhole }
  }
}

/** Looks a message up again, since it may have moved to another queue. */
function bodyReader(files: MissionFiles): BodyReader {
  const entries = once(async () => {
    const found = new Map<string, ArchivedEntry>()
    const { tree, place, settings } = files
    for await (const entry of eachArchived(tree, archivePath(place), settings)) found.set(entry.id, entry)
    return found
  })
  return async ({ id, name, state }) => {
    const queued = state === 'archived' ? undefined : await readOneText(files, id, name, state)
    if (queued) return queued.body
    const entry = (await entries()).get(id)
    const archived = entry && (await readOneText(files, id, name, entry))
    return archived?.body ?? 'It was removed while this report was being written.'
  }
}

type BodyReader = (message: ReportMessage) => Promise<string>
