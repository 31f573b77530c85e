/** Every place of a workspace where either protocol, or the engine, expects a file or a folder. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export type OddKind = 'folder' | 'file' | 'link to a file' | 'link to a folder' | 'dangling link' | 'pipe' | 'socket'

export interface Place {
  readonly path: string
  readonly expects: 'file' | 'folder'
}

/** What can stand there instead. */
export const kindsOf = ({ expects }: Place): readonly OddKind[] => [
  expects === 'file' ? 'folder' : 'file',
  expects === 'file' ? 'link to a file' : 'link to a folder',
  'dangling link',
  'pipe',
  // To the tree no different from a pipe: only in the long run.
  ...(Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1 ? (['socket'] as const) : []),
]

const folders = [
  'llm/missions/m',
  'llm/missions/m/_meta',
  'llm/missions/m/queue',
  'llm/missions/m/queue/pending',
  'llm/missions/m/queue/processing',
  'llm/missions/m/queue/completed',
  'llm/missions/m/queue/failed',
  'llm/missions/m/context',
  'llm/missions/m/findings',
  'llm/missions/m/artifacts',
  'llm/missions/m/artifacts/queue-snapshots',
  'llm/missions/m/archive',
  'llm/missions/m/archive/MONTH',
  'llm/missions/m/archive/MONTH/completed',
  'llm/missions/m/archive/MONTH/failed',
  'llm/missions/m/archive/duplicates',
  'llm/missions/m/sub-missions',
  'state/agents/coder',
  'state/agents/coder/inbox',
  'state/agents/coder/taken',
  'state/agents/coder/evicted',
  'state/agents/coder/rejected',
  'state/agents/coder/.acked',
  'state/agents/coder/.sequences',
  'state/agents/clerk/rejected',
  'state/agents/clerk/taken',
  'state/agents/lead/.awaiting',
  'state/agents/lead/.sequences',
  '.signalbox/state',
  '.signalbox/state/aliases',
  '.signalbox/state/merging',
  '.signalbox/state/approvals',
  '.signalbox/state/rates',
  '.signalbox/state/rates/message-routing/received/coder',
  '.signalbox/state/metrics',
  '.signalbox/state/metrics/message-routing',
  '.signalbox/cache',
  '.signalbox/engine',
  '.signalbox/engine/tmp',
  '.signalbox/engine/locks',
  '.signalbox/engine/moves',
  '.signalbox/engine/leases',
]

const files = [
  'llm/missions/m/_meta/manifest.md',
  'llm/missions/m/context/message-a-large.md',
  'llm/missions/m/context/.pinned',
  'llm/missions/m/queue/pending/MESSAGE',
  'llm/missions/m/queue/processing/MESSAGE',
  'llm/missions/m/queue/completed/MESSAGE',
  'llm/missions/m/queue/failed/MESSAGE',
  'llm/missions/m/archive/MONTH/INDEX',
  'llm/missions/m/archive/MONTH/PACK',
  'state/agents/coder/.received.json',
  'state/agents/coder/error.log',
  'state/agents/coder/evictions.log',
  'state/agents/coder/versions.json',
  'state/agents/coder/inbox/MESSAGE',
  'state/agents/coder/taken/MESSAGE',
  'state/agents/clerk/error.log',
  'state/agents/clerk/.received.json',
  'state/agents/lead/error.log',
  'state/agents/lead/.received.json',
  'state/agents/lead/.sequences/coder',
  '.signalbox/policy.yaml',
  '.signalbox/state/aliases/m.json',
  '.signalbox/state/merging/m.json',
  '.signalbox/state/approvals/a-secret.json',
  '.signalbox/state/rates/message-routing/sent/lead.json',
  '.signalbox/state/rates/message-routing/received/coder/lead.json',
  '.signalbox/state/metrics/message-routing/journal.jsonl',
  '.signalbox/state/metrics/message-routing/totals.json',
]

/** With the names that this workspace has for what the lists leave open. */
export function placesIn(root: string): Place[] {
  const archive = 'llm/missions/m/archive'
  const month = readdirSync(join(root, archive)).find((name) => /^\d{4}-\d{2}$/.test(name)) ?? ''
  const named = (path: string) => {
    const inMonth = path.replace('MONTH', month)
    const folder = join(root, inMonth, '..')
    const first = (pattern: RegExp) => readdirSync(folder).find((name) => pattern.test(name)) ?? ''
    if (inMonth.endsWith('/MESSAGE')) return inMonth.replace('MESSAGE', first(/^[^.].*\.(md|json)$/))
    if (inMonth.endsWith('/INDEX')) return inMonth.replace('INDEX', first(/\.jsonl$/))
    if (inMonth.endsWith('/PACK')) return inMonth.replace('PACK', first(/\.gz$/))
    return inMonth
  }
  return [
    ...folders.map((path) => ({ path: named(path), expects: 'folder' as const })),
    ...files.map((path) => ({ path: named(path), expects: 'file' as const })),
  ]
}
