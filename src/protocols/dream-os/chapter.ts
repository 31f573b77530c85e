import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../chapter.ts'
import { dream } from './index.ts'
import type { Task } from './schema.ts'

const minute = 60_000
const mailbox = `${dream.defaults.places.mailboxes}/mailbox_1.json`

export const dreaming: Chapter = {
  name: 'dream',
  title: 'Dream.OS: mailboxes, plans and prompts',
  async play({ tree, another, clock, say, step, show }) {
    const open = (on: typeof tree, by = clock) => dream.open({ tree: on, clock: by, settings: dream.defaults })
    const one = await open(tree)
    say('Agents share numbered mailboxes. Whoever has claimed one finds its messages there, each for a while.')
    step('dream mailbox init 1', (await one.mailboxes.init(1)).outcome)
    step('dream mailbox claim --as Worker', (await one.mailboxes.claim('Worker')).outcome)
    const send = (command: string) => one.messages.send({ mailbox: 1, from: 'Agent_0', command, params: {} })
    const sent = await send('run_test')
    await send('refactor_file')
    await show(treePath(mailbox))

    say('Two of its processes ask at the same moment: each gets another message, and none is given twice.')
    const both = await Promise.all([await open(await another()), await open(await another())])
    const given = await Promise.all(both.map((store) => store.messages.next(1, 'Worker')))
    for (const answer of given)
      step(
        'dream mailbox next',
        answer.outcome === 'given' ? `${answer.message.command}, attempt ${answer.attempt}` : answer.outcome,
      )

    say(
      'Worker is gone for six minutes. Another agent takes the mailbox over, and what was in hand is given again, marked as such.',
    )
    const later = { now: () => clock.now() + 6 * minute }
    const heir = await open(await another(later), later)
    const taken = await heir.mailboxes.claim('Heir')
    step('dream mailbox claim --as Heir', taken.outcome)
    const again = await heir.messages.next(1, 'Heir')
    const isAgain = again.outcome === 'given' && again.redelivered
    step(
      'dream mailbox next',
      again.outcome === 'given'
        ? `${again.message.command}, attempt ${again.attempt}, redelivered: ${again.redelivered}`
        : 'nothing',
    )
    const done =
      again.outcome === 'given'
        ? await heir.messages.done(1, 'Heir', again.message.message_id, { output: { passed: 12 } })
        : undefined
    step(`dream mailbox done ${sent.message.message_id}`, done?.outcome ?? 'nothing')

    say('A program that knows nothing of locks writes an old copy back. What was sent is sent again, under its id.')
    const before = (await tree.read(treePath(mailbox)))!
    const extra = await send('later')
    const after = (await tree.read(treePath(mailbox)))!
    await tree.replace(treePath(mailbox), before.bytes, after.revision)
    const { resent } = await both[0]!.router.route('Supervisor')
    step('dream route', resent.some(({ id }) => id === extra.message.message_id) ? 'sent again' : 'nothing')

    say('A goal goes to a planner. Its answer is joined into the list of tasks, and a part that must wait waits.')
    const { plan } = await one.planning.plan({ from: 'Agent_0', to: 'Planner', goal: 'Remove unused code' })
    step('dream plan --to Planner --goal "Remove unused code"', plan.replace(/-.*/, '-…'))
    const task = (task_id: string, depends_on: readonly string[] = []): Task => ({
      task_id,
      action: 'RUN',
      params: {},
      target_agent: 'Coder',
      status: 'PENDING',
      priority: 3,
      depends_on,
    })
    const answers = await Promise.all([
      both[0]!.planning.answer({ plan, planner: 'Planner', results: [task('find'), task('remove', ['find'])] }),
      both[1]!.planning.answer({ plan, planner: 'Planner', results: [task('find'), task('remove', ['find'])] }),
    ])
    step(
      'the same answer, twice at once',
      answers
        .map(({ outcome }) => outcome)
        .sort()
        .join(' and '),
    )
    const dispatched = await one.tasks.dispatch('Supervisor')
    step('dream tasks --dispatch', dispatched.tasks.map(({ task_id }) => task_id).join(', '))
    await one.claiming.take('Coder')
    const finished = await one.settling.done('Coder', 'task_find.json', { output: { files: 3 } })
    const next = await one.tasks.list({ runnable: true })
    step(
      'dream task done task_find.json --as Coder',
      `${finished.outcome}; may start now: ${next.tasks.map(({ task_id }) => task_id).join(', ')}`,
    )

    say('A response of the bridge is taken once, by a rename; of two who wait, one gets it.')
    await tree.create(treePath('temp/cursor_output.json'), bytesOf('{"answer": "yes"}'))
    const fetched = await Promise.all(both.map((store) => store.prompts.fetch()))
    for (const { outcome } of fetched) step('dream prompt fetch', outcome)
    return {
      given: new Set(given.map((answer) => (answer.outcome === 'given' ? answer.message.message_id : ''))).size,
      takenOver: taken.outcome,
      redelivered: isAgain,
      recorded: done?.outcome ?? 'nothing',
      resent: resent.length,
      joined: answers.filter(({ outcome }) => outcome === 'joined').length,
      dispatched: dispatched.tasks.length,
      runnable: next.tasks.length,
      fetched: fetched.filter(({ outcome }) => outcome === 'fetched').length,
    }
  },
}
