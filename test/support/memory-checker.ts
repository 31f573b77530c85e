/**
 * The promises of AC-MQ's memory, read off the files alone. Shares no code with the library: it knows messages, packs, bus
 * documents, snapshots, reports and the journal of moved files from their documentation.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const mission = 'llm/missions/alpha'

export interface Seen {
  readonly path: string
  readonly bytes: Buffer
}

export interface Promised {
  /** What each message says, by its id. */
  readonly messages: ReadonlyMap<string, string>
  /** The bytes of each context file, by its name. */
  readonly context: ReadonlyMap<string, string>
}

/** Every file of the mission and of what is kept about it, except the engine's own. */
export function seenIn(root: string, folder = ''): Seen[] {
  return fs.readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (path === '.signalbox/engine') return []
    if (entry.isDirectory()) return seenIn(root, path)
    return entry.isFile() ? [{ path, bytes: fs.readFileSync(join(root, path)) }] : []
  })
}

/** What must be true at every moment, also while nobody has put right what a dead process left. */
export function brokenAtAnyTime(files: readonly Seen[], promised: Promised): string[] {
  const broken: string[] = []
  const ids = new Set(messagesIn(files).map(({ id }) => id))
  for (const id of promised.messages.keys()) if (!ids.has(id)) broken.push(`message ${id} is lost`)
  const kept = contextIn(files).map(({ bytes }) => digestOf(bytes))
  for (const [name, text] of promised.context)
    if (!kept.includes(digestOf(Buffer.from(text)))) broken.push(`context file ${name} is lost`)
  for (const { path, bytes } of generatedIn(files)) {
    const text = bytes.toString('utf8')
    if (!/^# (?:Message Bus|Queue Snapshot|Detailed Log|Executive Summary|Integrated Synthesis): /.test(text))
      broken.push(`${path} is not whole: it begins with ${JSON.stringify(text.slice(0, 40))}`)
    if (outline(text) === undefined) broken.push(`${path} is not whole: a quotation in it does not end`)
  }
  return broken
}

/** What must be true besides, once somebody has come after the one that died. */
export function brokenAtRest(files: readonly Seen[], promised: Promised): string[] {
  const broken = brokenAtAnyTime(files, promised)
  const messages = messagesIn(files)
  for (const [id, text] of promised.messages) {
    const copies = messages.filter((one) => one.id === id)
    if (copies.length !== 1) broken.push(`message ${id} is in ${copies.map(({ place }) => place).join(' and ')}`)
    if (copies.some((one) => !one.text.includes(text))) broken.push(`message ${id} does not say what it said`)
  }
  for (const name of promised.context.keys()) {
    const places = contextIn(files).filter(({ path }) => path.endsWith(`/${name}`))
    if (places.length !== 1) broken.push(`context file ${name} is in ${places.map(({ path }) => path).join(' and ')}`)
  }
  for (const { path } of files)
    if (/\/\.own-[^/]*$/.test(path) && path.startsWith('llm/')) broken.push(`a private name is left: ${path}`)
  broken.push(...documentsBroken(files), ...snapshotsBroken(files), ...readmesBroken(files), ...journalBroken(files))
  return broken
}

interface Message {
  readonly id: string
  readonly place: string
  readonly text: string
}

/** In the queues, lying in the archive, and in its packs. */
export function messagesIn(files: readonly Seen[]): Message[] {
  const lying = files.flatMap(({ path, bytes }): Message[] => {
    const place = new RegExp(`^${mission}/(queue/\\w+|archive(?:/[^/]+)*)/[^/]+\\.md$`).exec(path)?.[1]
    const text = bytes.toString('utf8')
    const id = idIn(text)
    return place === undefined || id === undefined ? [] : [{ id, place, text }]
  })
  const packed = files.flatMap(({ path, bytes }) => {
    if (!path.startsWith(`${mission}/archive/`) || !path.endsWith('.md.gz')) return []
    // A pack is gzip members one after the other, and each message begins with its header.
    const texts = gunzipSync(bytes)
      .toString('utf8')
      .split(/^(?=---\n(?:[a-z_]+: .*\n)*?id: )/m)
    return texts.flatMap((text): Message[] => {
      const id = idIn(text)
      return id === undefined ? [] : [{ id, place: 'a pack', text }]
    })
  })
  // What is packed is taken away from its old place afterwards: until then it is there once, not twice.
  const isPacked = new Set(packed.map(({ id, text }) => `${id} ${text.trimEnd()}`))
  const isWaiting = ({ id, place, text }: Message) =>
    place.startsWith('archive/') && isPacked.has(`${id} ${text.trimEnd()}`)
  return [...lying.filter((one) => !isWaiting(one)), ...packed]
}

const idIn = (text: string): string | undefined => /^---\n(?:.*\n)*?id: "?([^\s"]+)"?\n/.exec(text)?.[1]

const contextIn = (files: readonly Seen[]): Seen[] =>
  files.filter(({ path }) => path.startsWith(`${mission}/context/`) && !path.endsWith('/README.md'))

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Bus documents, snapshots and reports, by where they lie. Drafts of the engine have other names. */
const generatedIn = (files: readonly Seen[]): Seen[] =>
  files.filter(({ path }) =>
    /^llm\/missions\/alpha\/(?:findings\/(?:bus-document-|report)[^/]*|artifacts\/queue-snapshots\/[^/.][^/]*)\.md$/.test(
      path,
    ),
  )

/** The lines outside of quotations; `undefined` if one does not end. */
function outline(text: string): string[] | undefined {
  const outside: string[] = []
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const opening = /^(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined && opening) fence = opening
    else if (fence !== undefined && line === fence) fence = undefined
    else if (fence === undefined) outside.push(line)
  }
  return fence === undefined ? outside : undefined
}

/** Table and log have each message once, in as many parts as the head says; and no two say the same. */
function documentsBroken(files: readonly Seen[]): string[] {
  const broken: string[] = []
  const texts = new Map(generatedIn(files).map(({ path, bytes }) => [path, bytes.toString('utf8')]))
  const queries: string[] = []
  for (const [path, text] of texts) {
    const main = path.replace(/-part-\d+\.md$/, '.md')
    if (main !== path && !texts.has(main)) broken.push(`${path} is a part of nothing`)
    if (main !== path || !path.includes('/bus-document-')) continue
    const field = (name: string) => new RegExp(`^\\*\\*${name}:\\*\\* (.*)$`, 'm').exec(text)?.[1] ?? ''
    const parts = [...texts.keys()].filter((one) => one.startsWith(path.replace(/\.md$/, '-part-')))
    if (parts.length + 1 !== Number(field('Parts') || 1)) broken.push(`${path} has ${parts.length + 1} parts`)
    const lines = [path, ...parts.sort()].flatMap((one) => outline(texts.get(one)!) ?? [])
    const rows = lines.filter((line) => /^\| \d{14} \|/.test(line)).length
    const named = lines.flatMap((line) => /^\*\*File:\*\* `([^`]+)`/.exec(line)?.[1] ?? [])
    const count = Number(field('Messages Included'))
    if (rows !== count || named.length !== count || new Set(named).size !== count)
      broken.push(`${path} has ${count} messages, ${rows} rows and ${named.length} entries`)
    queries.push(field('Query'))
  }
  if (new Set(queries).size !== queries.length) broken.push(`two documents say the same: ${queries.sort().join('; ')}`)
  return broken
}

function snapshotsBroken(files: readonly Seen[]): string[] {
  return generatedIn(files).flatMap(({ path, bytes }) => {
    if (!path.includes('/queue-snapshots/')) return []
    const lines = outline(bytes.toString('utf8')) ?? []
    const count = Number(/^\*\*Messages:\*\* (\d+)$/m.exec(lines.join('\n'))?.[1])
    const rows = lines.filter((line) => /^\| \d{14} \|/.test(line)).length
    return rows === count ? [] : [`${path} has ${count} messages and ${rows} rows`]
  })
}

/** Every cluster has a README, and it names every file beside it. */
function readmesBroken(files: readonly Seen[]): string[] {
  const clusters = new Map<string, string[]>()
  for (const { path } of contextIn(files)) {
    const [, cluster, name = ''] = /^llm\/missions\/alpha\/context\/([^/]+)\/([^/]+)$/.exec(path) ?? []
    if (cluster !== undefined) clusters.set(cluster, [...(clusters.get(cluster) ?? []), name])
  }
  return [...clusters].flatMap(([cluster, names]) => {
    const readme = files.find(({ path }) => path === `${mission}/context/${cluster}/README.md`)?.bytes.toString('utf8')
    if (readme === undefined) return [`cluster ${cluster} has no README`]
    return names.flatMap((name) => (readme.includes(`](<${name}>)`) ? [] : [`README of ${cluster} lacks ${name}`]))
  })
}

/** What was begun is done, and every name leads to a file. */
function journalBroken(files: readonly Seen[]): string[] {
  const journal = files.find(({ path }) => path === '.signalbox/state/aliases/alpha.json')
  if (!journal) return []
  const { runs } = JSON.parse(journal.bytes.toString('utf8')) as {
    runs: { state: string; moves: { from: string; to: string }[] }[]
  }
  const there = new Set(files.map(({ path }) => path))
  return runs.flatMap(({ state, moves }) => [
    ...(state === 'done' ? [] : [`an organize is still ${state}`]),
    ...moves.flatMap(({ from, to }) =>
      there.has(`${mission}/${from}`) || there.has(`${mission}/${to}`) ? [] : [`${from} leads nowhere`],
    ),
  ])
}
