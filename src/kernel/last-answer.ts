/**
 * A pure function that remembers its last answer: whoever sends many messages asks for the same names, and for the same
 * millisecond, again and again.
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
