/**
 * The suite can be passed with every kind of answer: a toy does it. Protocols are held to it by `describeNeutral`.
 */
import { ask, openAsking } from '../support/asking.ts'
import { describeQuestions } from './questions.ts'

describeQuestions('A toy', {
  open: async (tree) => openAsking(tree),
  asks: {
    'a question in words': (tree) => ask(tree, 'question-1'),
    'a question with options': (tree) => ask(tree, 'question-2', { options: ['The red one', 'The blue one'] }),
    'an escalation that can also be approved': (tree) =>
      ask(tree, 'question-3', { kind: 'escalation', answers: ['answer', 'approve', 'deny'], options: ['Go', 'Stop'] }),
  },
})
