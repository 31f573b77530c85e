/** The first part of the tour: what the tree promises, a chapter a promise. The protocols bring chapters of their own. */
import { childOf, treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'
import type { Tree } from '../../tree/tree.ts'

const letter = treePath('post/waiting/hello.md')

const deliver: Chapter = {
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

const waiting = treePath('post/waiting')
const working = treePath('post/working')
const contenders = 8
const messages = 40

const claim: Chapter = {
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

const board = treePath('post/board.md')

const replace: Chapter = {
  name: 'replace',
  title: 'No update is lost',
  async play({ tree, say, step, show }) {
    const created = await tree.create(board, bytesOf('status: draft\n'))
    const seen = created.outcome === 'created' ? created.revision : undefined
    const revision = seen ?? (await tree.read(board))!.revision
    say('Two agents read the board at the same revision. Ada writes first.')
    const ada = await tree.replace(board, bytesOf('status: reviewed\n'), revision)
    step(`replace ${board} (Ada, with the revision both have read)`, ada.outcome)
    say('Grace still holds the old revision. She is told, instead of wiping out what Ada wrote.')
    const grace = await tree.replace(board, bytesOf('status: rejected\n'), revision)
    step(`replace ${board} (Grace, with the old revision)`, grace.outcome)
    await show(board)
    return { first: ada.outcome, second: grace.outcome }
  },
}

const log = treePath('post/log.jsonl')
const writers = 4
const linesEach = 3

const append: Chapter = {
  name: 'append',
  title: 'Lines stay whole',
  async play({ tree, another, say, step, show }) {
    say(`${writers} writers add ${linesEach} lines each to one log, all at once.`)
    const pens = await Promise.all(Array.from({ length: writers }, () => another()))
    await Promise.all(
      pens.flatMap((pen, writer) =>
        Array.from({ length: linesEach }, (_, line) =>
          pen.append(log, JSON.stringify({ writer: writer + 1, line: line + 1 })),
        ),
      ),
    )
    const text = new TextDecoder().decode((await tree.read(log))?.bytes ?? bytesOf(''))
    const whole = text.split('\n').filter((line) => /^\{"writer":\d,"line":\d\}$/.test(line)).length
    step(`append ${log} (${writers * linesEach} times)`, `${whole} whole lines`)
    await show(log)
    return { appended: writers * linesEach, whole }
  },
}

const resource = 'website'
const plan = treePath('post/website-plan.md')
const minute = 60_000

const lease: Chapter = {
  name: 'lease',
  title: 'A claim that ends',
  async play({ tree, say, step }) {
    say('Ada takes a lease for a minute. It has a fencing number that grows with every new holder.')
    const ada = await tree.lease(resource, 'ada', minute)
    step(`lease ${resource} (ada)`, `${ada.outcome}, fence ${ada.lease.fence}`)
    const busy = await tree.lease(resource, 'grace', minute)
    step(`lease ${resource} (grace)`, `${busy.outcome}: held by ${busy.lease.owner}`)

    say('Ada lets go, Grace takes over. A late write of Ada under her old lease is stopped.')
    await tree.release(resource, 'ada')
    const grace = await tree.lease(resource, 'grace', minute)
    step(`lease ${resource} (grace)`, `${grace.outcome}, fence ${grace.lease.fence}`)
    const late = await tree.create(plan, bytesOf('written too late\n'), { under: ada.lease })
    step(`create ${plan} (ada, under fence ${ada.lease.fence})`, late.outcome)
    await tree.release(resource, 'grace')
    return {
      first: ada.outcome,
      second: busy.outcome,
      third: grace.outcome,
      grew: grace.lease.fence > ada.lease.fence,
      late: late.outcome,
    }
  },
}

const folder = treePath('post/inbox-of-grace')
const patienceSeconds = 5

const watch: Chapter = {
  name: 'watch',
  title: 'Woken, not polling',
  async play({ tree, another, clock, say, step }) {
    say('Grace watches her folder. A hint wakes her; what is really there she learns by listing.')
    const sender = await another()
    await tree.makeFolder(folder)
    let wake = (_isHint: boolean) => {}
    const woken = new Promise<boolean>((resolve) => {
      wake = resolve
    })
    const patience = setTimeout(wake, patienceSeconds * 1000, false)
    const watching = tree.watch(folder, () => wake(true))
    const startedAt = clock.now()
    await sender.create(childOf(folder, 'news.md'), bytesOf('from: ada\n\nThere is news.\n'))
    const isWoken = await woken
    const { by } = watching
    watching.close()
    clearTimeout(patience)
    const listed = (await tree.list(folder)).map((entry) => entry.name).join(', ')
    step(`watch ${folder} (${by})`, isWoken ? `woken within ${Math.max(1, clock.now() - startedAt)} ms` : 'no hint yet')
    step(`list ${folder}`, listed)
    return { woken: isWoken, by, listed }
  },
}

export const treeChapters: readonly Chapter[] = [deliver, claim, replace, append, lease, watch]
