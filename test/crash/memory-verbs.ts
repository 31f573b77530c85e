/** What is done with the memory of a mission, on files that are written directly, and what they must say in the end. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { messagesIn, type Promised, type Seen } from '../support/memory-checker.ts'

export const folder = 'llm/missions/alpha'

export const missionOn = async (tree: Tree, clock: Clock = systemClock): Promise<Mission> =>
  (await acmq.open({ tree, clock, settings: { ...acmq.defaults, busDocumentBytes: 16 * 1024 } })).open('alpha')

export interface MemoryVerb {
  /** Messages that lie in `completed/`, and what besides. */
  readonly messages: number
  prepare?(mission: Mission, root: string): Promise<unknown>
  act(mission: Mission): Promise<unknown>
  /** What it cannot read it leaves where it is. */
  readonly leavesUnreadable?: true
  /** How it ends, however often it was interrupted. */
  end(files: readonly Seen[]): unknown
}

const put = (root: string, path: string, text: string): void => {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true })
  fs.writeFileSync(join(root, path), text)
}

export const idOf = (n: number): string => `m${1_000_000 + n}`
const bodyOf = (n: number): string =>
  `Slow orders query ${n} on the orders table of orders.\n${`More text, ${n}. `.repeat(90)}\n`

function putMessage(root: string, n: number): void {
  const second = String(n % 60).padStart(2, '0')
  const name = `202611171500${second}-${idOf(n)}-from-claude-to-gemini.md`
  const after = n === 1 ? `\n  - "msg:${idOf(0)}"` : ' []'
  const header = `id: ${idOf(n)}\nmission_id: alpha\ntimestamp: "2026-11-17T15:00:${second}Z"\nfrom: claude\nto: gemini\nstatus: completed\ndependencies:${after}\nsummary: Orders query ${n}`
  put(root, `${folder}/queue/completed/${name}`, `---\n${header}\n---\n${bodyOf(n)}`)
}

const context: Readonly<Record<string, string>> = {
  'query-plans.md': 'The database query plans of the orders table show a slow sequential scan.\n',
  'indexing.md': 'An index on the orders table makes each slow database query fast.\n',
  'benchmark.csv':
    'database,query,table,ms\norders,slow query without index,orders,9100\norders,query with index,orders,40\n',
  'holidays.txt': 'Nobody works between Christmas and New Year.\n',
}
const later = { 'later.md': 'Another slow database query on the orders table, without an index.\n' }

/** A new mission on files, with nothing but what a program with a shell would put there. */
export function fill(root: string, { messages }: MemoryVerb): void {
  put(root, `${folder}/_meta/manifest.md`, '# alpha\n\n## Milestones\n\n- [x] Orders query 2\n- [ ] Nothing yet\n')
  for (const queue of ['pending', 'processing', 'completed', 'failed'])
    fs.mkdirSync(join(root, folder, 'queue', queue), { recursive: true })
  for (let n = 0; n < messages; n++) putMessage(root, n)
  for (const [name, text] of Object.entries(context)) put(root, `${folder}/context/${name}`, text)
}

const unfinished = 'needs000'

/** What nobody may lose. */
export const promisedBy = (files: readonly Seen[]): Promised => ({
  messages: new Map(
    messagesIn(files).map(({ id }) => [id, id === unfinished ? 'Go on.' : bodyOf(Number(id.slice(1)) - 1_000_000)]),
  ),
  context: new Map(
    Object.entries({ ...context, ...later }).filter(([name]) => files.some(({ path }) => path.endsWith(`/${name}`))),
  ),
})

const mainOf = (files: readonly Seen[], start: string) =>
  files.flatMap(({ path, bytes }) => {
    const name = new RegExp(`^${folder}/${start}(.*)\\.md$`).exec(path)?.[1]
    const count = /^\*\*Messages(?: Included)?:\*\* (\d+)$/m.exec(bytes.toString('utf8'))?.[1] ?? 'no count'
    return name === undefined ? [] : [`${name.replace(/(?:-\d)?-\d{14}/, '')} ${count}`]
  })

const contextOf = (files: readonly Seen[]) =>
  files
    .filter(({ path }) => path.startsWith(`${folder}/context/`))
    .map(({ path, bytes }) => `${path} ${bytes.toString('utf8')}`)
    .sort()

/** Two of one second are told apart by a number, which depends on who was first. */
const documents = (files: readonly Seen[]) => mainOf(files, 'findings/bus-document-').sort()

const archived = (files: readonly Seen[]) =>
  messagesIn(files)
    .map(({ id, place }) => `${id} ${place}`)
    .sort()

export const memoryVerbs: Readonly<Record<string, MemoryVerb>> = {
  bus: { messages: 12, act: async (mission) => (await mission.memory()).bus(), end: documents },
  'bus, renewed': {
    messages: 12,
    prepare: async (mission, root) => {
      await (await mission.memory()).bus()
      for (let n = 12; n < 24; n++) putMessage(root, n)
    },
    act: async (mission) => (await mission.memory()).bus(),
    end: documents,
  },
  'bus, shorter': {
    messages: 24,
    // Half of them are gone: the log has fewer parts.
    prepare: async (mission, root) => {
      await (await mission.memory()).bus()
      const queue = join(root, folder, 'queue/completed')
      for (const name of fs.readdirSync(queue).slice(12)) fs.rmSync(join(queue, name))
    },
    act: async (mission) => (await mission.memory()).bus(),
    end: documents,
  },
  merge: {
    messages: 53,
    prepare: async (mission) => {
      await mission.sending.send({
        from: 'claude',
        to: 'gemini',
        id: unfinished,
        body: 'Go on.',
        dependencies: [idOf(7)],
      })
    },
    act: async (mission) => (await mission.memory()).merge(),
    leavesUnreadable: true,
    end: archived,
  },
  organize: { messages: 0, act: async (mission) => (await mission.memory()).organize(), end: contextOf },
  'organize, joining': {
    messages: 0,
    prepare: async (mission, root) => {
      await (await mission.memory()).organize()
      for (const [name, text] of Object.entries(later)) put(root, `${folder}/context/${name}`, text)
    },
    act: async (mission) => (await mission.memory()).organize(),
    end: contextOf,
  },
  undo: {
    messages: 0,
    prepare: async (mission) => (await mission.memory()).organize(),
    act: async (mission) => (await mission.memory()).undoOrganize(),
    end: contextOf,
  },
  report: {
    messages: 24,
    prepare: async (mission, root) => {
      await (await mission.memory()).report({ mode: 'bottom-up', out: 'findings/report.md' })
      for (let n = 24; n < 30; n++) putMessage(root, n)
    },
    act: async (mission) => (await mission.memory()).report({ mode: 'bottom-up', out: 'findings/report.md' }),
    end: (files) => mainOf(files, 'findings/report').sort(),
  },
}
