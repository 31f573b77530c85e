/** Which content words a text has, for whoever checks the labelled sets. Shares no code with what is measured. */
import type { LabelledMessage } from './labelled-set.ts'

// Words that say nothing of a topic. Short, because a word that is missing here makes the set look easier than it is.
const empty = new Set(
  `a about above after again all also always an and any anybody are as at away back be because been before begin behind being below
  beside between both but by can cannot come comes could did do does done down each else every everybody everywhere few first
  for from get gets give given go goes got had has have he her here him his how i if in instead into is it its itself just keep
  keeps know last least less let like long longer look made make makes many may me meanwhile more most much must my need needed
  needs never new no nobody none not nothing now of off on once one ones only or other others our out over own put rather same
  say says see send sent set she should show shown so some somebody somewhere still such take taken takes tell than that the their
  them then there they thing things this those three through till time times to today together too two under until up us use used
  uses very was way we well went were what when where whether which while who whom whose why will with without would you your`.split(
    /\s+/,
  ),
)

/** Content words, cut to a stem that is too short rather than too long: it finds more words in common than people would. */
export const contentOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length > 2 && !empty.has(word))
      .map((word) =>
        word.replace(/(?:ations?|ings?|ers?|ies|ed|es|ly|s|e|y)$/, (end) => (word.length - end.length > 2 ? '' : end)),
      ),
  )
export const textOf = ({ summary, body }: LabelledMessage): string => `${summary} ${body}`
