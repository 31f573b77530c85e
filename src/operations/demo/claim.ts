import { childOf, treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'
import type { Tree } from '../../tree/tree.ts'

const waiting = treePath('post/waiting')
const working = treePath('post/working')
const contenders = 8
const messages = 40

export const claim: Chapter = {
  name: 'claim',
  title: 'Many hands, one winner',
  async play({ tree, another, say, step, show, progress }) {
    for (let n = 1; n <= messages; n++) {
      await tree.create(
        childOf(waiting, `task-${String(n).padStart(2, '0')}.md`),
        bytesOf(`task: ${n}\nclaimed-by: nobody\n`),
      )
    }
    say(
      `${messages} tasks wait. ${contenders} contenders, each with its own engine on the same files, try to take every ` +
        'one of them. Taking is moving the file, with the name of the taker written into it.',
    )
    const hands = await Promise.all(Array.from({ length: contenders }, () => another()))
    const names = (await tree.list(waiting)).map((entry) => entry.name).filter((name) => name.startsWith('task-'))
    const wins = new Map<number, number>()
    let won = 0
    let lost = 0
    for (const [done, name] of names.entries()) {
      // The first to try differs from task to task, or the first in the list would win them all.
      const tries = hands.map((_, n) => take(hands[(n + done) % contenders]!, name, (n + done) % contenders))
      for (const { hand, outcome } of await Promise.all(tries)) {
        if (outcome === 'moved') {
          won++
          wins.set(hand, (wins.get(hand) ?? 0) + 1)
        } else lost++
      }
      progress('taking tasks', done + 1, names.length)
    }
    step(
      `move post/waiting/task-* → post/working/ (${names.length * contenders} attempts)`,
      `${won} moved, ${lost} gone`,
    )
    const arrived = (await tree.list(working)).length
    say(`Each task has exactly one taker: ${won} won, ${arrived} files arrived, and each other attempt was told so.`)
    await show(childOf(working, names[0]!))
    return { messages: names.length, contenders, won, lost, arrived, winners: wins.size }
  },
}

async function take(tree: Tree, name: string, hand: number) {
  const { outcome } = await tree.move(childOf(waiting, name), childOf(working, name), {
    change: (before) => bytesOf(new TextDecoder().decode(before).replace('nobody', `agent-${hand + 1}`)),
  })
  return { hand, outcome }
}
