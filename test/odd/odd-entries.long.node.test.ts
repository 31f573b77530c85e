/**
 * Something odd (a folder, a file, a link, a pipe, a socket) wherever a file or folder belongs, and every command there:
 * no message is lost or taken in vain, nothing hangs, nothing outside the root changes, and `doctor` tells of it. What is
 * run and looked at is in `odd-entries.child.ts`, the places are in `places.ts`.
 */
import { describe, expect } from 'vitest'
import { spawnChild } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

/** No command takes a tenth of it, however busy the machine. */
const longestSilence = 20_000
const minutes = 60_000

/** The lines of a child that begin with `!`, and its last one. A command that hangs is the last line and its end. */
async function problemsAt(word: string): Promise<{ problems: string[]; last: string }> {
  const child = spawnChild('odd-entries', [quickTempDir(), word])
  const problems: string[] = []
  let last = ''
  let alarm: NodeJS.Timeout | undefined
  const listen = () => {
    clearTimeout(alarm)
    alarm = setTimeout(() => {
      problems.push(`it hangs ${last}`)
      child.kill()
    }, longestSilence)
  }
  listen()
  for await (const line of child.lines()) {
    listen()
    if (line.startsWith('!')) problems.push(line)
    last = line
  }
  clearTimeout(alarm)
  if (child.stderr() !== '') problems.push(child.stderr())
  return { problems, last }
}

describe('something else where a file or folder belongs', () => {
  for (const [what, word] of [
    ['of a mission', 'llm/'],
    ['of an agent', 'state/agents/'],
    ['of Signalbox itself', '.signalbox/'],
  ] as const) {
    verifies(
      ['X-odd', 'X-doctor'],
      `${what} costs no message and changes nothing elsewhere`,
      async () => {
        const { problems, last } = await problemsAt(word)
        expect(problems.slice(0, 5)).toEqual([])
        expect(last).toMatch(/^tried \d\d/)
      },
      5 * minutes,
    )
  }
})
