/** Writing and removing the file of an agent. What a person wrote there besides stays as it is. */
import { invalidInput } from '../kernel/errors.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import { type Home, listingPath, parseHome, printHome } from '../messaging/agents/directory.ts'
import { parseListing } from '../messaging/agents/listing.ts'
import { changeLeaf } from '../messaging/leaves/change.ts'
import type { Bus } from './bus.ts'

export interface AgentFacts {
  readonly home?: string
  readonly client?: string
  readonly about?: string
}

export async function addAgent(bus: Bus, name: string, facts: AgentFacts) {
  const path = pathOf(name)
  const home = facts.home === undefined ? undefined : await homeIn(bus, facts.home)
  const given = { ...facts, ...(home ? { home: printHome(home) } : {}) }
  const { outcome } = await changeLeaf(bus.tree, path, (leaf) => {
    const before = leaf && Buffer.from(leaf.bytes).toString('utf8')
    const after = changed(before ?? '', given)
    return after === before ? undefined : Buffer.from(after)
  })
  // A mistake that was there already is told, whatever was changed.
  const leaf = await bus.tree.read(path)
  if (leaf) await parseListing(Buffer.from(leaf.bytes).toString('utf8'), path, bus.names)
  const did = { created: 'added', replaced: 'changed', unchanged: 'unchanged' } as const
  return { outcome: did[outcome], name, path, ...given } as const
}

export async function removeAgent(bus: Bus, name: string) {
  const path = pathOf(name)
  const { outcome } = await bus.tree.remove(path)
  return { outcome: outcome === 'removed' ? 'removed' : 'unchanged', name, path } as const
}

/** Each given fact replaces the line that is there, or is added at the end. */
function changed(text: string, facts: AgentFacts): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  for (const [key, value] of Object.entries(facts)) {
    const line = `${key}: ${/^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value)}`
    const at = lines.findIndex((one) => one.startsWith(`${key}:`))
    if (at < 0) lines.push(line)
    else lines[at] = line
  }
  return lines.length === 0 ? '# Nothing is known of this agent yet.\n' : `${lines.join('\n')}\n`
}

async function homeIn(bus: Bus, text: string): Promise<Home> {
  const home = parseHome(text)
  if (home) await bus.member(home.protocol)
  if (home) return home
  throw invalidInput('BAD_HOME', `${JSON.stringify(text.slice(0, 80))} is no home.`, {
    hint: `Give a protocol (${bus.names.join(', ')}), or a protocol and a place: acmq:shop`,
    details: { home: text.slice(0, 400) },
  })
}

function pathOf(name: string): TreePath {
  const path = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) ? listingPath(name) : undefined
  if (path) return path
  throw invalidInput('INVALID_AGENT_ID', `${JSON.stringify(name.slice(0, 80))} is no name of an agent.`, {
    hint: 'Use letters, digits, dots, dashes and underscores.',
    details: { agent: name.slice(0, 400) },
  })
}
