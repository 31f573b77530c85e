import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'

const letter = treePath('post/waiting/hello.md')

export const deliver: Chapter = {
  name: 'deliver',
  title: 'A message is a file',
  async play({ tree, say, step, show }) {
    say('An agent leaves a message. It appears whole or not at all: no reader ever sees half of it.')
    const first = await tree.create(letter, bytesOf('from: ada\nto: grace\n\nThe schema is ready. Please review it.\n'))
    step(`create ${letter}`, first.outcome)
    await show(letter)

    say('The same name again is refused, so nothing is ever overwritten.')
    const second = await tree.create(letter, bytesOf('from: eve\n\nSomething else.\n'))
    step(`create ${letter}`, second.outcome)
    return { first: first.outcome, second: second.outcome }
  },
}
