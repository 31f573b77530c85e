/**
 * Watches folders by the system's events, and calls back every second or two besides: the event queue overflows silently
 * when many files come at once, a folder may not exist yet or be replaced, and a system may have no events left to give.
 */
import fs from 'node:fs'
import type { Watching } from '../../tree/tree.ts'
import { ownPrefix } from './own-paths.ts'

/** Milliseconds between calls without an event: while there are events, and while the system gives none. */
const beat = { events: 2000, quiet: 60_000, polling: 1000 }
/**
 * Milliseconds. Bun drops an event that is like the last one and comes within two milliseconds of it, so a quiet watch is called
 * once more so long after an event.
 */
const afterwards = 'Bun' in globalThis ? 5 : undefined

export function watchDirectory(
  path: string,
  onChange: (name?: string) => void,
  onClosed: () => void,
  { quiet = false } = {},
): Watching {
  let watcher: fs.FSWatcher | undefined
  let watched: { ino: number; dev: number } | undefined
  let waiting = false
  /** The name that all events of this pass of the event loop are about, if it is one. */
  let about: string | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let later: NodeJS.Timeout | undefined

  /** Many events in one pass of the event loop make one call. */
  const hint = (name?: string) => {
    if (closed) return
    if (waiting) {
      if (name !== about) about = undefined
      return
    }
    waiting = true
    about = name
    setImmediate(() => {
      waiting = false
      if (!closed) onChange(about)
    })
  }

  const arm = () => {
    const now = fs.statSync(path, { throwIfNoEntry: false })
    if (watcher && now && watched && now.ino === watched.ino && now.dev === watched.dev) return
    watcher?.close()
    watcher = undefined
    watched = now
    if (!now) return
    try {
      watcher = fs.watch(path, (_event, name) => {
        // A rename to or from a private name is also reported under the leaf's own name.
        if (name?.startsWith(ownPrefix)) return
        hint(name ?? undefined)
        if (!quiet || afterwards === undefined) return
        clearTimeout(later)
        later = setTimeout(hint, afterwards)
      })
      watcher.on('error', () => {
        watcher?.close()
        watcher = undefined
      })
      // Files may have come between the check and the watch.
      hint()
    } catch {
      // No watches left (ENOSPC, EMFILE), or the folder is gone again: the timer below has to do.
      watcher = undefined
    }
  }

  const schedule = () => {
    timer = setTimeout(
      () => {
        arm()
        // With `quiet` the timer only keeps the watch alive.
        if (!quiet || !watcher) hint()
        schedule()
      },
      watcher ? (quiet ? beat.quiet : beat.events) : beat.polling,
    )
  }

  arm()
  schedule()
  return {
    get by() {
      return watcher ? ('events' as const) : ('polling' as const)
    },
    close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(later)
      watcher?.close()
      onClosed()
    },
  }
}
