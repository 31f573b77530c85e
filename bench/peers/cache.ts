/**
 * Where other queues are installed: outside this package, once, and kept for the next run.
 *
 *   $SIGNALBOX_BENCH_CACHE, else $XDG_CACHE_HOME/signalbox-bench, else ~/.cache/signalbox-bench
 *
 * A folder is finished elsewhere and then renamed, so what is there is complete. Deleting it is safe.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const cacheFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.SIGNALBOX_BENCH_CACHE ?? join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox-bench')

/** The folder of that name. If it is missing, `make` fills it first. */
export async function cached(name: string, make: (folder: string) => void | Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), name)
  if (existsSync(folder)) return folder
  mkdirSync(cacheFolder(), { recursive: true })
  const unfinished = mkdtempSync(join(cacheFolder(), '.unfinished-'))
  const remove = () => rmSync(unfinished, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    await make(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    // Another process was faster; use its folder.
    if (!existsSync(folder)) throw error
  } finally {
    remove()
    process.off('exit', remove)
  }
  return folder
}
