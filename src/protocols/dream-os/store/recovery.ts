/** Finishes what killed processes left: changes of the journal, and notes of earlier versions, which become such changes. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { finishingPath, journalPath, tellingPath } from '../layout.ts'
import { noteNames, writeNote } from './notes.ts'
import { Part } from './parts.ts'

export class Recovery extends Part {
  #isAdopted = false

  /** Answers what could not be finished, one sentence each. Notes of earlier versions are looked for once, or if `isThorough`. */
  async finishAll({ isThorough = false } = {}): Promise<string[]> {
    const stuck = this.#isAdopted && !isThorough ? [] : await this.#adopt(isThorough)
    return [...stuck, ...(await this.dream.journal.finishAll()).map(({ error }) => error.message)]
  }

  async #adopt(isThorough: boolean): Promise<string[]> {
    this.#isAdopted = true
    const { tree } = this.dream.parts
    const isAny = async () =>
      (await noteNames(tree, finishingPath)).length > 0 || (await noteNames(tree, tellingPath)).length > 0
    if (!isThorough && !(await isAny())) return []
    const { earlierNotes } = await import('./earlier-notes.ts')
    const stuck: string[] = []
    for await (const { path, change } of earlierNotes(this.dream)) {
      try {
        if (change) {
          const { subject, steps } = change
          const note = childOf(journalPath, `${subject}.json`)
          // The next turn finishes the note, with steps that the killed process may have done already.
          await this.dream.journal.turn(subject, () => writeNote(tree, note, { steps }))
          if (path) await tree.remove(path)
          await this.dream.journal.turn(subject, async () => {})
        } else if (path) await tree.remove(path)
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        stuck.push(error.message)
      }
    }
    return stuck
  }
}
