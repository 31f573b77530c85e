/** The same work by bare calls, without limits, checks or turns: the least that it can cost. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export class BareInbox {
  readonly #inbox: string
  readonly #taken: string

  constructor(folder: string) {
    this.#inbox = join(folder, 'inbox')
    this.#taken = join(folder, 'taken')
    for (const path of [this.#inbox, this.#taken]) mkdirSync(path, { recursive: true })
  }

  write(name: string, message: unknown): void {
    const draft = join(this.#inbox, `${name}.tmp`)
    writeFileSync(draft, JSON.stringify(message, undefined, 2))
    renameSync(draft, join(this.#inbox, `${name}.json`))
  }

  /** Lists, reads, parses and sorts. */
  scan(): { readonly name: string; readonly timestamp: string }[] {
    return readdirSync(this.#inbox)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ name, ...JSON.parse(readFileSync(join(this.#inbox, name), 'utf8')) }))
      .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  }

  take(): number {
    const found = this.scan()
    for (const { name } of found) renameSync(join(this.#inbox, name), join(this.#taken, name))
    return found.length
  }
}
