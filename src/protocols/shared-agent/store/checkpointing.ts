/** `#CHECKPOINT` and `#ROLLBACK`: handed to `checkpoints/`, and noted in the session. Shared Agent Protocol §13. */
import {
  createdLines,
  diffLines,
  dryRunLines,
  errorLine,
  listLines,
  rollbackLines,
  statusLines,
} from '../checkpoints/answers.ts'
import { manyFiles } from '../checkpoints/automatic.ts'
import type { Checkpoints, WithRecovered } from '../checkpoints/checkpoints.ts'
import { checkType } from '../checkpoints/record.ts'
import { boundOf } from '../commands/limits.ts'
import { checkpointsOf, noteDone, noteRecovered } from './kept.ts'
import { type Answer, type Handlers, nothing, type Speech, told } from './speech.ts'

type Verb<T extends WithRecovered> = (checkpoints: Checkpoints, speech: Speech) => Promise<T>

/** What a verb found, in lines. A request that cannot be met as it is written is answered with one of the five errors. */
const answering =
  <T extends WithRecovered>(verb: Verb<T>, lines: (found: T, speech: Speech) => readonly string[]) =>
  async (speech: Speech): Promise<Answer> => {
    try {
      const found = await verb(checkpointsOf(speech.parts), speech)
      if (found.recovered) await noteRecovered(speech.parts, found.recovered)
      const [first = '', ...more] = lines(found, speech)
      return first === 'not_found' ? nothing(first, ...more) : told(first, ...more)
    } catch (error) {
      const line = errorLine(error)
      if (line === undefined) throw error
      return { lines: [line], exit: 2, code: 'E002', reason: (error as Error).message }
    }
  }

const whichOf = ({ id, given }: Speech) => ({ session: id, which: given.id ?? '' })

export const checkpointHandlers: Handlers = {
  'CHECKPOINT:create': answering(async (checkpoints, { parts, id, agent, given }) => {
    const { type = '', name = '' } = given
    const created = await checkpoints.create({ session: id, by: agent, type, name })
    const line = { did: 'CHECKPOINT:create', about: created.id, text: name }
    await noteDone(parts, id, agent, line, checkType(type))
    return created
  }, createdLines),

  'CHECKPOINT:list': answering(
    (checkpoints, { id }) => checkpoints.list({ session: id }),
    (listed, { spec, modifier }) => listLines(listed, { most: boundOf(spec, modifier)!.items }),
  ),

  'CHECKPOINT:diff': answering(
    (checkpoints, speech) => checkpoints.compare(whichOf(speech)),
    (compared, { modifier }) => diffLines(compared, { files: filesNamed(modifier, compared.files.length) }),
  ),

  ROLLBACK: answering(async (checkpoints, speech) => {
    const { parts, id, agent, given } = speech
    const done = await checkpoints.rollback({ ...whichOf(speech), by: agent, force: given.force !== undefined })
    await noteDone(parts, id, agent, { did: 'ROLLBACK', about: done.id, text: `saved ${done.saved}` })
    return done
  }, rollbackLines),

  'ROLLBACK:status': answering((checkpoints, { id }) => checkpoints.status({ session: id }), statusLines),
  'ROLLBACK:dry-run': answering((checkpoints, speech) => checkpoints.compare(whichOf(speech)), dryRunLines),
}

/** §14: the answer grows with the changes. A few files are a line; more of them are named, the first ones. */
function filesNamed(modifier: Speech['modifier'], changed: number): number {
  if (modifier === 'brief' || typeof modifier === 'object') return 0
  if (modifier === 'detailed') return 4 * manyFiles
  return changed > manyFiles ? manyFiles : 0
}
