/**
 * What the supervisor knows across restarts: `runtime/supervisor_state.json`. Changed by compare and replace, so that a kill at
 * any step leaves the old state or the new one. Unknown keys stay as they are.
 */
import type { JsonEditor, Place } from '../../../formats/json-edit.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { supervisorPath } from '../layout.ts'
import { isObject, type SupervisorState } from '../schema.ts'
import type { News } from '../steps.ts'
import type { Dream } from './dream.ts'
import { bytesOf, Part, readLeaf, readObject } from './parts.ts'

const empty: Omit<SupervisorState, 'last_updated'> = {
  current_focus: null,
  active_goals: [],
  agent_states: {},
  task_assignments: {},
  system_notes: [],
}

/** Older notes are dropped: the governance log has them all. */
const mostNotes = 100

export class Supervisor extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({ news: ({ news }) => this.tell(news) })
  }

  /** `undefined` when nothing has been written yet. */
  async show(): Promise<SupervisorState | undefined> {
    const path = supervisorPath(this.parts.places)
    const leaf = await readLeaf(this.parts, path)
    return leaf && (readObject(this.parts, path, leaf.bytes).value as SupervisorState)
  }

  /** Removes goals that are reached, and assignments of tasks that are over. */
  async letGo(ended: Ended): Promise<void> {
    const { tree, places } = this.parts
    const path = supervisorPath(places)
    await changeLeaf(tree, path, async (before) => {
      if (!before) return undefined
      const { value, edit } = readObject(this.parts, path, before.bytes)
      const text = await withoutEnded(edit(), value, ended)
      return text === undefined ? undefined : bytesOf(text)
    })
  }

  /** Adds news to the state. Repeating it changes nothing. */
  async tell({ at: now, note, goal, agents = {}, assignments = {} }: News): Promise<void> {
    const { tree, places } = this.parts
    await changeLeaf(tree, supervisorPath(places), (before) => {
      const text = before ?? { bytes: bytesOf(`${JSON.stringify({ last_updated: now, ...empty }, null, 2)}\n`) }
      const { value, edit } = readObject(this.parts, supervisorPath(places), text.bytes)
      const json = edit()
      json.set(json.root, 'last_updated', now)
      const entries = (key: string, all: Readonly<Record<string, unknown>>) => {
        if (Object.keys(all).length === 0) return
        const place = isObject(value[key]) ? json.member(json.root, key) : undefined
        if (!place) json.set(json.root, key, all)
        else for (const [name, one] of Object.entries(all)) json.set(place, name, one)
      }
      entries('agent_states', agents)
      entries('task_assignments', assignments)
      if (note !== undefined) addTo(json, value, 'system_notes', { timestamp: now, note })
      if (goal !== undefined) addTo(json, value, 'active_goals', goal)
      return bytesOf(json.result())
    })
  }
}

export interface Ended {
  isGoalReached(goal: string): Promise<boolean>
  isTaskOver(task: string): boolean
}

/** The state without what has ended; `undefined` when nothing has. */
async function withoutEnded(
  json: JsonEditor,
  state: Readonly<Record<string, unknown>>,
  { isGoalReached, isTaskOver }: Ended,
): Promise<string | undefined> {
  const goals: readonly unknown[] = Array.isArray(state.active_goals) ? state.active_goals : []
  const reached = new Set<number>()
  for (const [index, goal] of goals.entries())
    if (typeof goal === 'string' && (await isGoalReached(goal))) reached.add(index)
  const tasks = isObject(state.task_assignments) ? Object.entries(state.task_assignments) : []
  const open = tasks.filter(([task]) => !isTaskOver(task))
  if (reached.size === 0 && open.length === tasks.length) return undefined
  if (reached.size > 0) json.removeItems(json.member(json.root, 'active_goals')!, (index) => reached.has(index))
  if (open.length < tasks.length) json.set(json.root, 'task_assignments', Object.fromEntries(open))
  return json.result()
}

function addTo(json: JsonEditor, state: Readonly<Record<string, unknown>>, key: string, entry: unknown): void {
  const list = Array.isArray(state[key]) ? state[key] : undefined
  const place: Place | undefined = list && json.member(json.root, key)
  if (list?.some((one) => JSON.stringify(one) === JSON.stringify(entry))) return
  if (!list || !place) json.set(json.root, key, [entry])
  else if (list.length < mostNotes) json.push(place, entry)
  else json.replace(place, [...list.slice(1 - mostNotes), entry])
}
