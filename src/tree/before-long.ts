/** For engines: waiting in this process for those who came before, but not for longer than the caller wants. */
import { unavailable } from '../kernel/errors.ts'

/** Throws LOCK_BUSY where that takes longer than `waitMs`; without it, waits for as long as it takes. */
export async function beforeLong(before: Promise<unknown>, waitMs: number | undefined): Promise<void> {
  if (waitMs === undefined) {
    await before
    return
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, waitMs, 'late')
  })
  const first = await Promise.race([before, tooLong])
  clearTimeout(timer)
  if (first === 'late') {
    throw unavailable('LOCK_BUSY', `Waited ${waitMs / 1000} s for another call in this process.`, {
      hint: 'Let that finish, then try again.',
      details: {},
    })
  }
}
