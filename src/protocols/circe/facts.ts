/** What is known of a task besides its three files: it follows from its messages. Pure. */
import { list, maybe, object, type Reader, type Shaped, text, time } from '../../formats/plain-data.ts'

const factsShape = {
  /** The message it began with: who asked, and for what. */
  request: maybe(object({ from: text, intent: text, time })),
  /** Whom its owner has asked to review. */
  reviewers: list(text),
  /** The owner of a task that was completed, as `.owner` still says: a record, not a claim. */
  formerOwner: maybe(object({ owner: text, claimedAt: maybe(time) })),
}
export type TaskFacts = Shaped<typeof factsShape>
export const taskFacts: Reader<TaskFacts> = object(factsShape)

export const noFacts: TaskFacts = { reviewers: [] }
