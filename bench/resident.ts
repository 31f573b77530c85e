/** A program made from a `*.child.ts` that stays: it answers one line for every line it is told. None outlives us. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { inRepository } from './repository.ts'

export class Resident {
  readonly #child
  readonly #lines: AsyncIterator<string>
  readonly #name: string
  readonly #kill = () => this.#child.kill('SIGKILL')

  constructor(name: string, args: readonly string[]) {
    this.#name = name
    this.#child = spawn(process.execPath, [inRepository('build', 'bench', `${name}.mjs`), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    // Before the folders are removed that it works in.
    process.prependOnceListener('exit', this.#kill)
  }

  /** The next line it says. */
  async next(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`${this.#name} ended before it answered`)
    return value
  }

  ask(line: string): Promise<string> {
    this.#child.stdin.write(`${line}\n`)
    return this.next()
  }

  /** Lets it end by itself: its input is over. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.stdin.end()
    if (this.#child.exitCode === null) await ended
    process.off('exit', this.#kill)
  }
}

/** The other end: answers every line with what `answer` makes of it, until there are no more. */
export async function answerLines(answer: (line: string) => Promise<string>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await answer(line)}\n`)
}
