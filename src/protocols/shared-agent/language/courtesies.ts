/** How requests begin and end without meaning more: politely, doubtfully, or with a negation. Pure. */
import { type Token, trimmed } from './tokens.ts'

export const phrases = (text: string): readonly (readonly string[])[] =>
  text
    .split('|')
    .map((phrase) => phrase.trim().split(' '))
    // The longest first, so that "go ahead and" is not taken for "go".
    .sort((a, b) => b.length - a.length)

export const courtesies = phrases(
  'please|plz|pls|kindly|yo|i think|i guess|i believe|hmm|um|uh|oh|by the way|btw|hey|hi|hello|ok|okay|so|well|now|just|also|then|and|alright|all right|go ahead and|can you|could you|would you|will you|can you please|can we|could we|can i|could i|may i|may we|' +
    'i want you to|i want to|i would like to|i would like you to|we would like to|i need to|i need you to|we need to|you need to|we should|you should|i should|we have to|i have to|i must|we must|' +
    'let us|let me|would you mind|do me a favor and|do me a favour and|be so kind as to|be a dear and|it would be nice if you could|it would be great if you could|make sure to|make sure you|make sure that you|' +
    'time to|try to|quickly|i think we should|i think you should|maybe|perhaps|you can|you could|are you able to|would it be possible to|i wish to|we want to|we want you to|i am going to|i will|we will|' +
    'i would appreciate it if you could|if you could|if you can|if you do not mind|go and|come on|sorry|excuse me|right|signalbox|orchestrator|for now|dear orchestrator|any chance you could|you may|you might want to|we had better|you had better|better|we ought to|feel free to',
)
export const farewells = phrases(
  'please|plz|pls|thanks|thank you|many thanks|thx|for me|for us|now|if possible|if you can|if you could|will you|would you|could you|can you|ok|okay|cheers|thanks a lot|thank you very much|if you do not mind|if you please|when you get this|for now|so far|at the moment|currently|today|right|alright|then|already|here|this time|to me',
)

/** Questions whether something should be done: no request to do it. */
const doubts = phrases(
  'should i|should we|shall i|shall we|should you|do you think we should|do you think i should|is it a good idea to|would it be a good idea to|is it wise to|would it be wise to|is it ok to|is it okay to|is it safe to|is it time to|is it possible to|what if we|what if i|what happens if we|what happens if i|would it help to|do i have to|do we have to|do i need to|do we need to|does it make sense to|is it better to|why not|why do not we|how about we|what about|may one|was it right to|did you|did we|did i|have you|have we|would it be better to|am i allowed to|are we allowed to|who can|when should we|when should i|why should we|why should i|why did you|why did we',
)

const negations = phrases(
  'do not|never|you must not|you should not|must not|should not|we should not|we must not|avoid|refrain from|instead of|under no circumstances|by no means|let us not|do not ever|there is no need to|no need to|it is not necessary to|be careful not to|make sure not to|make sure you do not|rather than|forbid|prevent|i refuse to',
)
/** "do not forget" is no negation. */
const doubleNegation = ['do', 'not', 'forget']

export const startsWith = (tokens: readonly Token[], phrase: readonly string[], at = 0): boolean =>
  phrase.every((word, n) => tokens[at + n]?.word === word && !tokens[at + n]!.isQuoted)

export const endsWith = (tokens: readonly Token[], phrase: readonly string[]): boolean =>
  tokens.length >= phrase.length && startsWith(tokens, phrase, tokens.length - phrase.length)

/** Without what is only polite at its beginning. The last word that is left is never taken away. */
export function withoutCourtesies(all: readonly Token[]): readonly Token[] {
  let tokens = trimmed(all)
  for (;;) {
    const first = courtesies.find((phrase) => phrase.length < tokens.length && startsWith(tokens, phrase))
    if (!first) return tokens
    tokens = trimmed(tokens.slice(first.length))
  }
}

/** Behind "should we", if that is how it begins. */
export function behindDoubt(tokens: readonly Token[]): readonly Token[] | undefined {
  const found = doubts.find((phrase) => phrase.length < tokens.length && startsWith(tokens, phrase))
  return found && trimmed(tokens.slice(found.length))
}

export const isNegated = (tokens: readonly Token[]): boolean =>
  !startsWith(tokens, doubleNegation) && negations.some((phrase) => startsWith(tokens, phrase))
