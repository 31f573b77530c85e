/** Reads messages of AC-MQ by regular expressions, without any code of the store. */
import type { FoundFile } from './outside.ts'

export const missionFolder = 'llm/missions/alpha'
export const queueOf = (path: string): string | undefined => /\/queue\/(\w+)\/[^/]+$/.exec(path)?.[1]
export const placeIn = (queue: string, name: string): string => `${missionFolder}/queue/${queue}/${name}`
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export interface Header {
  readonly id: string
  readonly status: string
  readonly attempt: number
  readonly dependencies: readonly string[]
  readonly body: string
}

export function headerOf(text: string): Header | undefined {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text)
  const field = (name: string) => new RegExp(`^${name}: *(.*?) *$`, 'm').exec(parts?.[1] ?? '')?.[1]
  const id = field('id')
  if (!parts || id === undefined) return undefined
  return {
    id: id.replaceAll('"', ''),
    status: field('status') ?? '',
    attempt: Number(field('attempt') ?? 1),
    dependencies: [...(/^dependencies:((?:\n {2}- .*)*)/m.exec(parts[1]!)?.[1] ?? '').matchAll(/- "(.*)"/g)].map(
      (one) => one[1]!,
    ),
    body: parts[2]!,
  }
}

/** The files of a message in the queues and in the archive, without copies that were set aside. */
export const filesOf = (files: readonly FoundFile[], id: string): FoundFile[] =>
  files.filter(
    ({ path, text }) =>
      path.startsWith(missionFolder) &&
      !path.includes('/archive/duplicates/') &&
      !path.includes('/context/') &&
      headerOf(text)?.id === id,
  )

export const fileOf = (files: readonly FoundFile[], id: string): FoundFile | undefined => filesOf(files, id)[0]

/** Which of these dependencies are messages that are not completed, as far as the queues tell. */
export const unmetIn = (files: readonly FoundFile[], dependencies: readonly string[]): string[] =>
  [...new Set(dependencies)].filter((one) => {
    if (!one.startsWith('msg:')) return false
    // While it is being completed it can have two names. Then it counts as completed.
    const found = filesOf(files, one.slice(4))
    // If it is in no queue, it may be in a pack.
    if (found.length === 0) return !files.some(({ path }) => path.startsWith(`${missionFolder}/archive/`))
    return !found.some(({ path }) => queueOf(path) === 'completed' || path.includes('/archive/'))
  })
