/**
 * Watching by the system's events, with a look of our own now and then: the event queue overflows silently when
 * many files come at once, a folder may not exist yet or be replaced, and a system may have no events left to give.
 * So an event is only a reason to look, and so is the passing of a second or two.
 */
import fs from 'node:fs'
import type { Watching } from '../../tree/tree.ts'
import { ownPrefix } from './note.ts'

/** How often a hint is given without any event, and how often while there are no events to be had. */
const beat = { events: 2000, polling: 1000 }

export function watchDirectory(path: string, onHint: (name?: string) => void, onClosed: () => void): Watching {
  let watcher: fs.FSWatcher | undefined
  let watched: { ino: number; dev: number } | undefined
  let waiting = false
  /** The name that all events of this turn are about, while it is one. */
  let about: string | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined

  /** Many events in one turn of the loop make one hint. */
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
      if (!closed) onHint(about)
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
        // That a leaf goes to a private name, or comes from one, is told of its own name too.
        if (!name?.startsWith(ownPrefix)) hint(name ?? undefined)
      })
      watcher.on('error', () => {
        watcher?.close()
        watcher = undefined
      })
      // It may have filled between the look and the watch.
      hint()
    } catch {
      // No watches left (ENOSPC, EMFILE) or gone again: the beat below looks instead.
      watcher = undefined
    }
  }

  const schedule = () => {
    timer = setTimeout(
      () => {
        arm()
        hint()
        schedule()
      },
      watcher ? beat.events : beat.polling,
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
      watcher?.close()
      onClosed()
    },
  }
}
