/** A program made from a `*.child.ts` that goes on running: it answers one line for every line it gets. It ends with us. */
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
    // EPIPE: it has ended. Whoever waits for its answer gets that error.
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    // Before the folders are removed that it works in.
    process.prependOnceListener('exit', this.kill)
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve)).then(() =>
      process.off('exit', this.kill),
    )
  }

  /** The next line it prints. */
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

  /** Closes its input, so that it ends by itself. */
  async close(): Promise<void> {
    this.#child.stdin.end()
    await this.#ended
  }

  readonly kill = (): void => {
    this.#child.kill('SIGKILL')
  }
}

/** The line that says what happened. Runtimes print source code before and a stack after it. */
const errorIn = (printed: string): string =>
  printed
    .split('\n')
    .find((line) => /^\s*(\w*error\b.*:|error:)/i.test(line))
    ?.trim() ?? printed.trim().slice(-200)

/** In such a program: answers every line of input by `answer`, until there are no more. */
export async function answerLines(answer: (line: string) => Promise<string>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await answer(line)}\n`)
}
