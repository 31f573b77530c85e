/** A bar on standard error for work that takes a while. Quick work shows nothing. */
import type { Clock } from '../../kernel/clock.ts'
import { printableLine } from '../../kernel/printable.ts'
import { fitted } from './width.ts'

const patience = 300
const interval = 80
const barWidth = 24

export interface ProgressBar {
  show(what: string, done: number, total: number): void
  /** Takes the bar off the screen, so that something else can be printed. */
  clear(): void
}

export function progressBar(columns: number, clock: Clock, write: (text: string) => void): ProgressBar {
  let startedAt: number | undefined
  let drawnAt = Number.NEGATIVE_INFINITY
  let isVisible = false
  const clear = () => {
    if (isVisible) write('\r\u001b[K')
    isVisible = false
  }
  return {
    clear,
    show(what, done, total) {
      const now = clock.now()
      startedAt ??= now
      if (done >= total) {
        clear()
        startedAt = undefined
        return
      }
      if (now - startedAt < patience || now - drawnAt < interval) return
      drawnAt = now
      isVisible = true
      const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0
      const filled = Math.round(share * barWidth)
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
      write(
        `\r\u001b[K${fitted(`${bar} ${String(Math.floor(share * 100)).padStart(3)}% ${printableLine(what)}`, columns - 1)}`,
      )
    },
  }
}
