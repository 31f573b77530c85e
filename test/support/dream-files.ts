/** Dream.OS on real files: opened as a process would, and read with nothing of the library. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { dreamPorts } from '../../src/operations/dream/ports.ts'
import { type DreamSection, dreamOn, mailboxFile, shared } from './dream.ts'

export async function openDreamFiles(root: string, set: DreamSection = {}) {
  const tree = await openFileTree({ root })
  const dream = dreamOn(tree, systemClock, set, dreamPorts)
  return {
    tree,
    dream,
    async close() {
      await dream.close()
      await tree.close()
    },
  }
}

/** What lies on the disk, by a reader that shares no code with the library. */
export class DreamFolder {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  text(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }
  json(path: string) {
    return JSON.parse(this.text(path))
  }
  lines(path: string) {
    if (!existsSync(join(this.root, path))) return []
    return this.text(path)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }
  names(path: string): string[] {
    const folder = join(this.root, path)
    return existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => !name.startsWith('.'))
          .sort()
      : []
  }
  mailbox(number = 1) {
    return this.json(mailboxFile(number))
  }
  completed() {
    return this.lines(`${shared}/completed_tasks.json`)
  }
  governance(type: string) {
    return this.lines('governance_memory.jsonl').filter(({ event_type }) => event_type === type)
  }
  /** The notes of the supervisor that contain some words. */
  notes(words: string): string[] {
    if (!existsSync(join(this.root, 'runtime/supervisor_state.json'))) return []
    const { system_notes: notes } = this.json('runtime/supervisor_state.json')
    return notes.flatMap(({ note }: { note: string }) => (note.includes(words) ? [note] : []))
  }
  isLocked(number = 1): boolean {
    return existsSync(join(this.root, `${mailboxFile(number)}.lock`))
  }
}
