import { childOf, treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'

const folder = treePath('post/inbox-of-grace')
const patienceSeconds = 5

export const watch: Chapter = {
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
