/** `#CHECKPOINT` and `#ROLLBACK`: handed to `checkpoints/`, and noted in the session. Shared Agent Protocol §13. */
import * as answers from '../checkpoints/answers.ts'
import { type Checkpoints, manyFiles, type WithRecovered } from '../checkpoints/checkpoints.ts'
import { boundOf } from '../commands/limits.ts'
import { checkpointsOf } from './kept.ts'
import { type CommandAnswer, type Handlers, nothing, type Speech, told } from './speech.ts'

type Verb<T extends WithRecovered> = (checkpoints: Checkpoints, speech: Speech) => Promise<T>

/** What a verb found, in lines. A request that cannot be met as it is written is answered with one of the five errors. */
const answering =
  <T extends WithRecovered>(verb: Verb<T>, lines: (found: T, speech: Speech) => readonly string[]) =>
  async (speech: Speech): Promise<CommandAnswer> => {
    try {
      const found = await verb(checkpointsOf(speech.parts), speech)
      const [first = '', ...more] = lines(found, speech)
      return first === 'not_found' ? nothing(first, ...more) : told(first, ...more)
    } catch (error) {
      const line = answers.errorLine(error)
      if (line === undefined) throw error
      return { lines: [line], exit: 2, code: 'E002', reason: (error as Error).message }
    }
  }

const whichOf = ({ id, given }: Speech) => ({ session: id, which: given.id ?? '' })

export const checkpointHandlers: Handlers = {
  'CHECKPOINT:create': answering(
    (checkpoints, { id, agent, given: { type = '', name = '' } }) =>
      checkpoints.create({ session: id, by: agent, type, name }),
    answers.createdLines,
  ),

  'CHECKPOINT:list': answering(
    (checkpoints, { id }) => checkpoints.list({ session: id }),
    (listed, { spec, modifier }) => answers.listLines(listed, { most: boundOf(spec, modifier)!.items }),
  ),

  'CHECKPOINT:diff': answering(
    (checkpoints, speech) => checkpoints.compare(whichOf(speech)),
    (compared, { modifier }) => answers.diffLines(compared, { files: filesNamed(modifier, compared.files.length) }),
  ),

  ROLLBACK: answering(
    (checkpoints, speech) =>
      checkpoints.rollback({ ...whichOf(speech), by: speech.agent, force: speech.given.force !== undefined }),
    answers.rollbackLines,
  ),

  'ROLLBACK:status': answering((checkpoints, { id }) => checkpoints.status({ session: id }), answers.statusLines),
  'ROLLBACK:dry-run': answering((checkpoints, speech) => checkpoints.compare(whichOf(speech)), answers.dryRunLines),
}

/** §14: the answer grows with the changes. A few files are a line; more of them are named, the first ones. */
function filesNamed(modifier: Speech['modifier'], changed: number): number {
  if (modifier === 'brief' || typeof modifier === 'object') return 0
  if (modifier === 'detailed') return 4 * manyFiles
  return changed > manyFiles ? manyFiles : 0
}
