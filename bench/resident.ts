/** A program made from a `*.child.ts` that stays: it answers one line for every line it is told. None outlives us. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { inRepository } from './repository.ts'

export class Resident {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #lines: AsyncIterator<string>
  readonly #ended: Promise<unknown>
  readonly #name: string
  #complaint = ''

  constructor(name: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.#name = name
    this.#child = spawn(process.execPath, [inRepository('build', 'bench', `${name}.mjs`), ...args], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-4000)
    })
    // EPIPE: it ended, which whoever waits for its answer is told.
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    // Before the folders are removed that it works in.
    process.prependOnceListener('exit', this.kill)
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve)).then(() =>
      process.off('exit', this.kill),
    )
  }

  /** The next line it says. */
  async next(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (!done) return value
    await this.#ended
    throw new Error(`${this.#name} ended before it answered: ${errorIn(this.#complaint)}`)
  }

  ask(line: string): Promise<string> {
    this.#child.stdin.write(`${line}\n`)
    return this.next()
  }

  /** Lets it end by itself: its input is over. */
  async close(): Promise<void> {
    this.#child.stdin.end()
    await this.#ended
  }

  readonly kill = (): void => {
    this.#child.kill('SIGKILL')
  }
}

/** The line that says what happened, from between the source and the stack that a runtime prints. */
const errorIn = (printed: string): string =>
  printed
    .split('\n')
    .find((line) => /^\s*(\w*error\b.*:|error:)/i.test(line))
    ?.trim() ?? printed.trim().slice(-200)

/** The other end: answers every line with what `answer` makes of it, until there are no more. */
export async function answerLines(answer: (line: string) => Promise<string>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await answer(line)}\n`)
}
