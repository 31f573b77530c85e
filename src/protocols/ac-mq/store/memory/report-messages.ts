/** The messages that a report tells of: first what each is about, then, one after the other, all they say. */
import { type ArchivedEntry, eachArchived } from '../../archive/archive.ts'
import { archivePath } from '../../layout.ts'
import { logEntry } from '../../memory/report-log.ts'
import type { ReportMessage } from '../../memory/report-picture.ts'
import { saidIn, shortened } from '../../memory/said.ts'
import type { MissionFiles } from '../parts.ts'
import { isSummaryTask } from './summary-task.ts'
import { eachText, readOneText } from './texts.ts'

/** Of one message, and of all of them together, in characters: enough to tell what came of it. */
const mostOfOne = 8000
const mostOfAll = 32 * 1024 * 1024
/** Of each message once that is used up. */
const leastOfOne = 300

/**
 * Each id of a mission once, by time. Tasks to write a summary are our own, and not about the mission. `isQuoted`: all they say
 * is read again when it is their turn, so nothing of it is kept until then.
 */
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
      const all = saidIn(body)
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
  return [...found.values()].sort((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  )
}

export interface LogEntry {
  readonly text: string
  /** With all that the message says. */
  readonly isWhole: boolean
}

/** After so many characters together, `mostText`, what messages say is left out. */
export async function* logOf(
  missions: readonly MissionFiles[],
  messages: readonly ReportMessage[],
  mission: string,
  mostText: number,
): AsyncGenerator<LogEntry> {
  const byAddress = new Map<string, MissionTexts>()
  for (const files of missions) byAddress.set(files.place.address, new MissionTexts(files))
  let left = mostText
  for (const message of messages) {
    const body = left > 0 ? await byAddress.get(message.mission)!.bodyOf(message) : undefined
    left -= body?.length ?? 0
    const isWhole = body !== undefined && left >= 0
    yield { text: logEntry(message, isWhole ? body : undefined, mission), isWhole }
  }
}

/** Finds again what was found before: messages move on meanwhile. */
class MissionTexts {
  readonly #files: MissionFiles
  #archived: Map<string, ArchivedEntry> | undefined

  constructor(files: MissionFiles) {
    this.#files = files
  }

  async bodyOf({ id, name, state }: ReportMessage): Promise<string> {
    if (state !== 'archived') {
      const found = await readOneText(this.#files, id, name, state)
      if (found) return found.body
    }
    const entry = (await this.#entries()).get(id)
    const archived = entry && (await readOneText(this.#files, id, name, entry))
    return archived?.body ?? 'It was removed while this report was being written.'
  }

  async #entries(): Promise<ReadonlyMap<string, ArchivedEntry>> {
    if (this.#archived) return this.#archived
    const found = new Map<string, ArchivedEntry>()
    const { tree, place, settings } = this.#files
    for await (const entry of eachArchived(tree, archivePath(place), settings)) found.set(entry.id, entry)
    this.#archived = found
    return found
  }
}
