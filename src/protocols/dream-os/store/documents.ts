/** Documents that lie in their folders: reports and logs for people, reflections of agents, state of the system. */
import { call, inputs } from '../../../kernel/call.ts'
import { conflict, invalidInput, notFound } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { spareName } from '../../../messaging/quarantine/quarantine.ts'
import type { Durability } from '../../../tree/tree.ts'
import {
  agentPath,
  promptPath,
  type ReportFolder,
  reflectionsPath,
  reportsPath,
  responsePath,
  tempPath,
} from '../layout.ts'
import { documentName } from '../names.ts'
import { compactTime, isoOf } from '../times.ts'
import { bytesOf, Part, readLeaf, readObject } from './parts.ts'

export interface Documented<Outcome extends string = 'written' | 'added' | 'unchanged'> {
  readonly outcome: Outcome
  readonly path: string
  readonly durability: Durability
}

export interface ReportOptions {
  readonly in?: ReportFolder
  /** What to do with a report of this name that says something else: leave it (an error), replace it, or add to it. */
  readonly over?: 'leave' | 'replace' | 'add'
}

export class Documents extends Part {
  async report(
    name: string,
    body: string,
    { in: folder = 'analysis', over = 'leave' }: ReportOptions = {},
  ): Promise<Documented> {
    const { tree, places } = this.parts
    const path = childOf(reportsPath(places, folder), documentName(name, '.md'))
    const text = withLineEnd(body)
    let wasThere = false
    const changed = await changeLeaf(tree, path, (before) => {
      wasThere = before !== undefined
      if (!before) return bytesOf(text)
      const old = Buffer.from(before.bytes).toString('utf8')
      if (over === 'leave' && old !== text) throw taken(path)
      return bytesOf(over === 'add' ? `${withLineEnd(old)}\n${text}` : text)
    })
    if (changed.outcome === 'unchanged') return { outcome: 'unchanged', path, durability: 'process' }
    return { outcome: wasThere && over === 'add' ? 'added' : 'written', path, durability: changed.durability }
  }

  /** Writes each reflection into a file of its own, named by its time. */
  async reflect(name: string, body: string): Promise<Documented<'written'>> {
    const { tree, clock, places } = this.parts
    const agent = await this.dream.agents.expectName(name)
    if (body.trim() === '') throw invalidInput('EMPTY_BODY', 'A reflection says something.', { hint: 'Give a text.' })
    const now = clock.now()
    const text = `# Reflection of ${agent}\n\n${isoOf(now)}\n\n${withLineEnd(body)}`
    const first = `${compactTime(now)}.md`
    for (let n = 1; ; n++) {
      const path = childOf(reflectionsPath(places, agent), n === 1 ? first : spareName(first, n))
      const created = await tree.create(path, text)
      if (created.outcome !== 'created') continue
      await this.dream.agents.note(agent)
      return { outcome: 'written', path, durability: created.durability }
    }
  }

  /** State of the system in `temp/`, or of an agent in its own folder. */
  async state(
    name: string,
    agent?: string,
  ): Promise<{ readonly path: string; readonly state: Readonly<Record<string, unknown>> }> {
    const path = await this.#statePath(name, agent)
    const leaf = await readLeaf(this.parts, path)
    if (!leaf) {
      throw notFound('NO_SUCH_STATE', `There is no ${path}.`, {
        hint: `Make it: ${call('dream state', { name, set: { key: 'value' } })}`,
        details: { path },
      })
    }
    return { path, state: readObject(this.parts, path, leaf.bytes).value }
  }

  /** Sets keys, and leaves the others as they are. */
  async setState(name: string, set: Readonly<Record<string, unknown>>, agent?: string): Promise<Documented> {
    const path = await this.#statePath(name, agent)
    const changed = await changeLeaf(this.parts.tree, path, (before) => {
      if (!before) return bytesOf(`${JSON.stringify(set, null, 2)}\n`)
      const json = readObject(this.parts, path, before.bytes).edit()
      for (const [key, value] of Object.entries(set)) json.set(json.root, key, value)
      return bytesOf(json.result())
    })
    if (changed.outcome === 'unchanged') return { outcome: 'unchanged', path, durability: 'process' }
    return { outcome: 'written', path, durability: changed.durability }
  }

  async #statePath(name: string, agent: string | undefined): Promise<TreePath> {
    const { places } = this.parts
    const folder = agent === undefined ? tempPath(places) : agentPath(places, await this.dream.agents.expectName(agent))
    const path = childOf(folder, documentName(name, '.json'))
    if (path !== responsePath(places) && path !== promptPath(places)) return path
    throw invalidInput('NOT_A_STATE', `${path} belongs to the bridge.`, {
      hint: `Use ${call('dream prompt stage')} and ${call('dream prompt fetch')}.`,
    })
  }
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

const taken = (path: TreePath) =>
  conflict('REPORT_EXISTS', `${path} is there already, and says something else.`, {
    hint: `Choose another name, or give ${inputs({ over: 'replace' })} or ${inputs({ over: 'add' })}.`,
    details: { path },
  })
