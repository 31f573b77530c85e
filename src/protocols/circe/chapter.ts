import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../chapter.ts'
import { circe } from './index.ts'

export const circeChapter: Chapter = {
  name: 'circe',
  title: 'CIRCE: tasks with owners, checks and questions to people',
  async play({ tree, another, clock, say, step, show }) {
    const open = async (on: typeof tree) => circe.open({ tree: on, clock, settings: circe.defaults })
    const coordinator = await open(tree)
    const { root } = circe.defaults
    say('A coordinator asks for a feature. Whoever claims it first owns the task.')
    for (const agent of ['engineer', 'engineer-2', 'qa']) await coordinator.agents.init(agent)
    const task = 'AUTH-012'
    const sent = await coordinator.sending.send({
      from: 'coordinator',
      to: 'all',
      intent: 'implement_feature',
      task,
      summary: 'Implement JWT-based authentication',
      sections: [{ name: 'Acceptance Criteria', text: '- Tokens are refreshed' }],
    })
    step('circe send --to all --intent implement_feature --task AUTH-012', sent.outcome)
    await show(treePath(sent.message.path))
    const both = await Promise.all([
      (await open(await another())).claiming.claim('engineer'),
      (await open(await another())).claiming.claim('engineer-2'),
    ])
    for (const [n, { outcome }] of both.entries()) step(`circe claim ${n === 0 ? 'engineer' : 'engineer-2'}`, outcome)
    const owner = both[0].outcome === 'claimed' ? 'engineer' : 'engineer-2'
    const me = await open(await another())
    step(`circe start ${owner}`, (await me.settling.start(owner, sent.message.id)).outcome)

    say('The owner needs a decision that only a person can take. The task is blocked until the answer comes.')
    const asked = await me.sending.send({
      from: owner,
      to: 'coordinator',
      intent: 'escalate',
      task,
      status: 'blocked',
      summary: 'RS256 or HS256?',
      sections: [{ name: 'Options', text: '1. RS256: slower, safer\n2. HS256: faster' }],
    })
    const blocked = (await coordinator.overview.tasks(task))[0]!.status
    step('circe send --intent escalate --status blocked', blocked)
    const answered = await coordinator.people.answer(asked.message.id, { text: 'RS256: slower, safer' })
    step(
      'human answer … --option 1',
      `${answered.outcome}; the task is ${(await coordinator.overview.tasks(task))[0]!.status}`,
    )

    say('QA has nothing but a shell: a file is written under a temporary name and moved. That counts like any other.')
    const name = `20260101_120000_qa-${owner}_test-results_${task}.md`
    const text = `# MESSAGE\nfrom: qa\nto: ${owner}\nintent: test_results\ntask_id: ${task}\nstatus: completed\ncreated_at: 2026-01-01T12:00:00Z\n\n## Summary\n47 of 47 passed\n`
    await tree.create(treePath(`${root}/NEW_MESSAGES/${name}`), bytesOf(text))
    const { checks } = (await coordinator.overview.tasks(task))[0]!
    step('circe tasks AUTH-012', `tests_passed: ${checks.tests_passed}`)

    say('Now the task can be completed. Everything of it goes into the log.')
    const completed = await coordinator.tasks.status(task, 'completed', 'coordinator')
    step('circe status AUTH-012 completed', completed.task.status)
    const left = (await tree.list(treePath(`${root}/NEW_MESSAGES`))).length
    const { entries } = await coordinator.overview.log({ task })
    step('circe log --task AUTH-012', `${entries.length} events, ${left} messages left in NEW_MESSAGES/`)
    return {
      sent: sent.outcome,
      claimers: both.filter(({ outcome }) => outcome === 'claimed').length,
      blocked,
      answered: answered.outcome,
      tested: checks.tests_passed,
      completed: completed.task.status,
      left,
      events: entries.map(({ event }) => event).join(' '),
    }
  },
}
