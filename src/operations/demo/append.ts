import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'

const log = treePath('post/log.jsonl')
const writers = 4
const linesEach = 3

export const append: Chapter = {
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
