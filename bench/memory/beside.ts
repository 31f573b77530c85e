/** A supervisor as a program of its own, which can be held while something is measured without it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { inRepository } from '../repository.ts'

export class Beside {
  readonly #child: ChildProcess
  readonly #kill: () => void

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#kill = () => child.kill('SIGKILL')
    process.prependOnceListener('exit', this.#kill)
  }

  /** Answers when it has begun. */
  static async start(root: string, mission: string): Promise<Beside> {
    const words = ['acmq', 'supervise', mission, '--root', root]
    const child = spawn(process.execPath, [inRepository('dist/main.js'), ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const beside = new Beside(child)
    await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error('The supervisor ended before it began.'))),
    ])
    // What it tells is nobody's business here, but must not fill the pipe.
    child.stdout!.resume()
    await beside.#settled()
    return beside
  }

  /** Its first pass has more to do than those after it. */
  async #settled(): Promise<void> {
    for (let before = -1, now = 0; now !== before; ) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      before = now
      now = this.#ticks()
    }
  }

  /** Of the processor, so far; 0 where the system does not say. */
  #ticks(): number {
    const [, user = 0, system = 0] = / (?:\S+ ){11}(\d+) (\d+) /.exec(this.#about('stat').replace(/^.*\)/, '')) ?? []
    return Number(user) + Number(system)
  }

  async running<T>(work: () => Promise<T>): Promise<T> {
    this.#child.kill('SIGCONT')
    return work()
  }

  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#child.kill('SIGSTOP')
    return work()
  }

  /** In bytes; `undefined` where the system does not say. */
  mostMemory(): number | undefined {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(this.#about('status')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  }

  #about(file: string): string {
    try {
      return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8')
    } catch {
      return '' // No such file on this system.
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGCONT')
    this.#kill()
    await ended
    process.off('exit', this.#kill)
  }
}
