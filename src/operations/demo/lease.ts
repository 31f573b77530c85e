import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../../protocols/chapter.ts'

const resource = 'website'
const plan = treePath('post/website-plan.md')
const minute = 60_000

export const lease: Chapter = {
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
