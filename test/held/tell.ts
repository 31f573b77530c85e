/** Runs one verb and records the answer: an outcome, an error of ours, or a defect. */
import { SignalboxError } from '../../src/kernel/errors.ts'
import type { Answer } from './story.ts'

type Details = Readonly<Record<string, unknown>>

/** False if the outcome is not the one wanted. A story of several verbs then ends. */
export async function tell(
  answers: Answer[],
  verb: string,
  details: Details,
  work: () => Promise<Details & { readonly outcome: string }>,
): Promise<boolean> {
  try {
    const answer = await work()
    answers.push({ verb, ...details, ...answer })
    return !['nothing', 'unchanged'].includes(answer.outcome)
  } catch (error) {
    const isOurs = error instanceof SignalboxError
    const defect = isOurs ? {} : { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    answers.push({ verb, ...details, outcome: isOurs ? `error ${error.code}` : 'defect', ...defect })
    return false
  }
}
