/** Moving a file out of the way, under a name that is free there. */
import type { Durability, MoveOptions } from '../../../tree/tree.ts'
import { type AgentId, type Folder, spareName } from '../layout.ts'
import { pathIn, type RoutingParts } from './parts.ts'

export type SetAside =
  | { readonly outcome: 'moved'; readonly name: string; readonly durability: Durability }
  /** Somebody else moved it first, or it is not what was meant any more. */
  | { readonly outcome: 'gone' | 'kept' }

/**
 * Of all who try, one sees 'moved'. The name stays as it is unless the folder has one like it already, which only
 * happens when somebody used an id twice. `judge` decides once the file is won: what is not meant any more stays.
 */
export async function setAside(
  parts: RoutingParts,
  agent: AgentId,
  name: string,
  from: Folder,
  to: Folder,
  judge: Pick<MoveOptions, 'change' | 'atMost' | 'timed'> = {},
): Promise<SetAside> {
  for (let n = 1; ; n++) {
    const target = n === 1 ? name : spareName(name, n)
    const moved = await parts.tree.move(pathIn(parts, agent, from, name), pathIn(parts, agent, to, target), judge)
    if (moved.outcome === 'moved') return { outcome: 'moved', name: target, durability: moved.durability }
    if (moved.outcome !== 'taken') return { outcome: moved.outcome === 'kept' ? 'kept' : 'gone' }
  }
}
