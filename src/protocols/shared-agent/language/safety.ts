/** What a sentence must be before something is destroyed: an order that begins with the verb and names its object. Pure. */
import type { Command } from '../schema.ts'
import { flat, type Token } from './tokens.ts'

/** Commands after which something is not there any more. */
export const destroys = ({ spec, given }: Pick<Command, 'spec' | 'given'>): boolean =>
  spec.name === 'STATE:clear' || spec.name === 'ROLLBACK' || spec.name === 'CONTEXT:import' || given.force !== undefined

/** What may stand before an order without changing it. */
const courtesy =
  /^(?:(?:please|pls|kindly|ok|okay|now|then|so|well|hey|hi|hello|right|alright|and|just|also|go ahead and|do me a favou?r and|be so (?:kind|good) (?:and|as to)|(?:i|we) (?:want|need|have|would like|want you|need you|would like you) to|(?:can|could|would|will) you (?:please|kindly)|let us|it is time to|time to|orchestrator)[\s,]+)*/

const verbs: Readonly<Record<string, RegExp>> = {
  ROLLBACK:
    /^(?:roll (?:\S+ ){0,3}?back|rollback|(?:do|make|perform|force) an? (?:forced )?(?:roll ?back|rollback)|revert|restore|reinstate|rewind|go (?:right |straight )?back|turn back|return|reset|(?:get|bring|take|put) (?:\S+ ){1,4}?back|(?:load|apply) (?:the )?checkpoint|force (?:a |the )?(?:roll ?back|rollback)|force <checkpoint> back|undo (?:\S+ ){1,3}(?:since|after|back))\b/,
  'STATE:clear':
    /^(?:clear|wipe|erase|reset|empty|delete|remove|purge|flush|forget|discard|drop|scrub|blank|clean|throw away|get rid of|nuke)\b(?=.*\b(?:state|memory|keys|every (?:saved |stored )?key|values|variables|(?:all|everything)\b.*\b(?:saved|stored))\b)/,
  'CONTEXT:import':
    /^(?:import|load|read|reload|restore|resume|continue|carry on|go on|reopen|feed|apply|merge|replace|bring (?:in|back|\S+ in)|pick up|pull (?:in|\S+ in)|get (?:the )?(?:context|session|\S+ merged)|take (?:in|over|the context))\b/,
  UNLOCK:
    /^(?:(?:force|forcibly|forcefully)[ -]?(?:unlock|release|free|open|remove|(?:the |a )?(?:lock|release|unlock))|break|override|unlock|release|free|take|remove|open)\b(?=.*(?:\b(?:lock|by force)\b|<(?:path|context|folder|name|quote)>))/,
}
const forced = /\b(?:forc\w*|break|override)\b/

const refused = /\b(?:not|never|without|unless|if)\b|n't\b|\?/
const doubtful =
  /\b(?:no|nor|avoid|refrain|instead|rather|forbid\w*|prevent|refuse|hardly|nobody|none|when|whenever|once|before|until|till|while|tomorrow|tonight|later|yesterday|soon|provided|assuming|suppose|case|whether|maybe|perhaps|possibly|might|may|could|would|should|shall|can|must|wonder\w*|think\w*|thought|guess|said|says|told|asked|suggest\w*|mistake|idea|wise|safe|sense|reason|why|who|what|how|where|which|or|but|except|only|some|part|apart|other|unused|almost|nearly|pretend|imagine|dry|preview|simulat\w*|joking|kidding)\b/
const harmless =
  /\b(?:as (?:soon|quickly) as possible|at once|right now|right away|no matter what|without (?:any |the )?(?:safety )?checks?|only the best)\b/g

/** Why it is not plainly asked for; `undefined` where it is. */
export function whyNotPlain(tokens: readonly Token[], { spec, given }: Command): string | undefined {
  const said = tokens.map(({ kind, word }) => (kind === 'word' || kind === 'mark' ? word : `<${kind}>`)).join(' ')
  const text = said.replace(harmless, ' ')
  if (refused.test(text)) return 'That is a question, or says what is not to be done.'
  const verb = verbs[spec.name]
  const orders = text.split(/ [.!;] /).map((one) => one.replace(/ [.!;]+$/, ''))
  const order = orders.find((one) => one.split(/ (?:[,:-]|and|then) /).some((part) => verb?.test(behindCourtesy(part))))
  if (order === undefined) return 'That is no plain order.'
  if (doubtful.test(behindCourtesy(order))) return 'That is no plain order.'
  if (given.force !== undefined && !forced.test(text)) return 'Nothing says that it is to be forced.'
  if (spec.name === 'STATE:clear') {
    const named = /^(?:key|name|path|context|folder|checkpoint|agent|task|quote|code)$/
    const isOther = tokens.some(({ kind }) => named.test(kind))
    const isPart =
      /\bkey\b|\bfrom (?:the |our |your )?(?:session )?(?:state|memory)\b/.test(text) &&
      !/\b(?:all|every|each|everything)\b/.test(text)
    return isOther || isPart ? 'It clears all of the state, not a part of it.' : undefined
  }
  // A branch, a package or a table can be imported and merged too, and is no context.
  if (spec.name === 'CONTEXT:import' && !/\.ctx$/i.test(given.filepath ?? '') && !/\b(?:context|session)\b/.test(text))
    return 'It is not said that it is a context.'
  const object = given.id ?? given.resource ?? given.filepath ?? ''
  const isNamed = tokens.some(({ kind, value }) => kind !== 'word' && value === object)
  // A resource may be called by plain words, one after the other; a checkpoint and a file have a form.
  const isSaid = spec.name === 'UNLOCK' && flat(tokens.map(({ raw }) => raw).join('')).includes(flat(object))
  return isNamed || isSaid ? undefined : 'It is not said which one.'
}

const behindCourtesy = (text: string): string => text.trim().replace(courtesy, '')

/** An order not to do something. */
const negated =
  /^(?:(?:please|hey|ok|no|well|whatever you do|under no circumstances)[\s,]+)*(?:do not|never|(?:we |you |i )?(?:must|should|would|need) not|let us not|(?:there is )?no need to|avoid|refrain|nobody (?:may|should|must))\b/
const mayBeNegated = /^(?:LOCK|WAIT|STATE:save|UNSUBSCRIBE|DEPENDS|UNLOCK|DIRECT|BROADCAST|ESCALATE)$/
/** A question whether to do it, or something that depends on something else. */
const wondered =
  /^(?:(?:hey|ok|so|well|and)[\s,]+)*(?:should (?:we|i|you|it)|shall (?:we|i)|do (?:we|i) (?:have|need) to|is it (?:a good idea|wise|ok|okay|safe|time|better|possible|sensible)|would it (?:be (?:a good idea|wise|better)|help|make sense)|what if (?:we|i)|how about we|if|unless|provided|assuming|suppose|in case)\b/

/** Why something harmless is asked back although the model is sure of it. */
export function whyDoubted(tokens: readonly Token[], { spec }: Command): string | undefined {
  const said = tokens.map(({ word }) => word).join(' ')
  const asks =
    /^(?:HELP|VERSION|SUPPORTS|REPORT|ASK|DEFINE|EVALUATE|SUMMARY|HEALTH|NEXT|STATE:l|CHECKPOINT:[ld]|ROLLBACK:|CONTEXT:[lv])/
  if (asks.test(spec.name)) return undefined
  if (negated.test(said) && !mayBeNegated.test(spec.name)) return 'It says what is not to be done.'
  if (spec.name === 'UNLOCK' && /\b(?:do|must|should) not\b(?! (?:need|have|want|require|touch))|\bnever\b/.test(said))
    return 'It says what is not to be done.'
  return wondered.test(said) ? 'You asked whether to.' : undefined
}
