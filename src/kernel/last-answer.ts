/**
 * Makes a pure function remember its last answer. Sending many messages asks about the same names, and the same millisecond,
 * again and again.
 */
export function lastAnswer<Question extends string | number, Answer>(
  answer: (question: Question) => Answer,
): (question: Question) => Answer {
  let last: { readonly question: Question; readonly answer: Answer } | undefined
  return (question) => {
    if (last?.question !== question) last = { question, answer: answer(question) }
    return last.answer
  }
}

/** Longer questions are not remembered: they are rarely repeated, and would fill the memory. */
const longest = 256

/** Remembers up to `most` answers, then forgets all and begins again. */
export function lastAnswers<Question extends string, Answer>(
  most: number,
  answer: (question: Question) => Answer,
): (question: Question) => Answer {
  const known = new Map<Question, Answer>()
  return (question) => {
    const found = known.get(question)
    if (found !== undefined) return found
    const made = answer(question)
    if (known.size >= most) known.clear()
    if (question.length <= longest) known.set(question, made)
    return made
  }
}
