/** For tests of CIRCE: a workspace on real files or in memory, and the files as any program sees them. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { type CirceSettings, defaultSettings } from '../../src/protocols/circe/settings.ts'
import { Circe } from '../../src/protocols/circe/store/circe.ts'
import type { Tree } from '../../src/tree/tree.ts'

export interface CirceBoxOptions {
  readonly clock?: Clock
  readonly settings?: Partial<CirceSettings>
}

export const circeOn = (tree: Tree, { clock = systemClock, settings }: CirceBoxOptions = {}): Circe =>
  new Circe({ tree, clock, settings: { ...defaultSettings, ...settings } })

export async function withCirce<T>(
  root: string,
  work: (circe: Circe) => Promise<T>,
  options: CirceBoxOptions = {},
): Promise<T> {
  const tree = await openFileTree({ root })
  try {
    return await work(circeOn(tree, options))
  } finally {
    await tree.close()
  }
}

/** The folder of CIRCE as any program sees it. */
export class CirceFolder {
  readonly path: string

  constructor(root: string) {
    this.path = join(root, 'AI_MANAGER')
  }

  names(folder: string): string[] {
    const path = join(this.path, folder)
    return fs.existsSync(path) ? fs.readdirSync(path).sort() : []
  }

  read = (file: string): string => fs.readFileSync(join(this.path, file), 'utf8')
  has = (file: string): boolean => fs.existsSync(join(this.path, file))

  /** Old enough that nobody takes it for a file that is still being written. */
  put(file: string, text: string): void {
    const path = join(this.path, file)
    fs.mkdirSync(dirname(path), { recursive: true })
    fs.writeFileSync(path, text)
    const seconds = (Date.now() - 10_000) / 1000
    fs.utimesSync(path, seconds, seconds)
  }

  move(from: string, to: string): void {
    fs.mkdirSync(dirname(join(this.path, to)), { recursive: true })
    fs.renameSync(join(this.path, from), join(this.path, to))
  }
}

/** A message as a shell agent writes it. */
export const foreign = (
  from: string,
  to: string,
  intent: string,
  {
    task,
    status = 'new',
    at = '2026-03-01T10:00:00Z',
  }: { readonly task?: string; readonly status?: string; readonly at?: string } = {},
): string =>
  [
    '# MESSAGE',
    `from: ${from}`,
    `to: ${to}`,
    `intent: ${intent}`,
    ...(task === undefined ? [] : [`task_id: ${task}`]),
    `status: ${status}`,
    `created_at: ${at}`,
    '',
    '## Summary',
    `${intent} by hand`,
    '',
  ].join('\n')
