/** Longer ways through several protocols: chains, tasks with checks, plans, delegation, and people in the middle. */
import { describe, expect } from 'vitest'
import {
  type Desk,
  openDesk,
  putEvent,
  putMarkdown,
  say,
  shellAgents,
  type TakenFile,
} from '../support/shell-agents.ts'
import { verifies } from '../support/verifies.ts'

const { acmq, mr, circe, dream, session } = shellAgents
const statusOf = (desk: Desk, task: string): string => desk.sh('cat "AI_MANAGER/TASKS/$1.status"', task)

/** What an AC-MQ message says beside its fields, as an agent copies it into one of its own. */
const threadIn = ({ text }: TakenFile): string => /\\"thread\\":\\"([^\\]*)\\"/.exec(text)![1]!

verifies('X-bridge', 'a chain through three protocols and back is one thread', async () => {
  const desk = await openDesk({ alice: 'mr', bob: 'acmq:shop', carol: 'circe' })
  await mr.ask(desk, { from: 'alice', to: 'bob', text: 'Design the schema' })
  const asked = await desk.bridge()
  const atBob = (await acmq.take(desk, 'bob'))!
  const header = ['---', 'id: for-carol', 'from: bob', 'to: carol', 'status: pending']
  const envelope = `envelope: '${JSON.stringify({ thread: threadIn(atBob) })}'`
  desk.put(
    'llm/missions/shop/queue/pending',
    'for-carol.md',
    `${[...header, envelope, '---', 'Which database?'].join('\n')}\n`,
  )
  const askedOn = await desk.bridge()
  const atCarol = (await circe.take(desk, 'carol'))!
  expect(atCarol.text).toContain('from: bob\n')
  await circe.finish(desk, 'carol', 'bob', atCarol, 'SQLite')
  await desk.bridge()
  expect(await acmq.read(desk, 'bob')).toContain('SQLite')
  await acmq.finish(desk, 'bob', 'alice', atBob, 'Three tables in SQLite')
  await desk.bridge()
  expect(await mr.read(desk, 'alice')).toContain('Three tables in SQLite')
  const handles = [...asked.carried, ...askedOn.carried].flatMap(({ from, to }) => [from, to])
  expect(handles.map((handle) => handle.split(':')[0])).toEqual(['mr', 'acmq', 'acmq', 'circe'])
  for (const handle of handles) {
    const { messages, owed } = await desk.json('thread', handle)
    const found = messages.map((one: { handle: string }) => one.handle)
    expect(found).toEqual(expect.arrayContaining(handles))
    // The two answers: what carol wrote, and what alice got.
    expect(messages.filter(({ kind }: { kind: string }) => kind === 'answer')).toHaveLength(2)
    expect(found).toHaveLength(6)
    expect(owed).toEqual([])
  }
})

describe('a task of CIRCE that an agent of AC-MQ works on', () => {
  async function begun() {
    const desk = await openDesk({ lead: 'circe', qa: 'circe', bob: 'acmq:shop' })
    const ask = { from: 'lead', to: 'bob', text: 'Log in with JWT', status: 'new', task_id: 'AUTH-1' }
    putMarkdown(desk, { ...ask, intent: 'implement_feature' })
    await desk.bridge()
    expect(statusOf(desk, 'AUTH-1')).toContain('status: claimed')
    expect(desk.sh('cat AI_MANAGER/TASKS/AUTH-1.owner')).toContain('owner: bob')
    await desk.bridge()
    expect(statusOf(desk, 'AUTH-1')).toContain('status: claimed')
    const taken = (await acmq.take(desk, 'bob'))!
    expect(taken.text).toContain('Log in with JWT')
    await desk.bridge()
    expect(statusOf(desk, 'AUTH-1')).toContain('status: in_progress')
    return { desk, taken }
  }
  const tested = (desk: Desk) =>
    putMarkdown(desk, {
      ...{ from: 'qa', to: 'bob', text: '47 of 47 passed' },
      ...{ intent: 'test_results', status: 'completed', task_id: 'AUTH-1' },
    })

  verifies('X-bridge', 'is completed with it, where the tests have passed', async () => {
    const { desk, taken } = await begun()
    tested(desk)
    await desk.bridge()
    expect(desk.sh('cat AI_MANAGER/TASKS/AUTH-1.checks')).toContain('tests_passed: true')
    expect(await acmq.read(desk, 'bob')).toContain('47 of 47 passed')
    await acmq.finish(desk, 'bob', 'lead', taken, 'Tokens are refreshed')
    await desk.bridge()
    expect(statusOf(desk, 'AUTH-1')).toContain('status: completed')
    // Everything of it is in the log, but for the answer, which its reader has not seen yet.
    expect(await circe.read(desk, 'lead')).toContain('Tokens are refreshed')
    expect(desk.sh('ls AI_MANAGER/LOGS')).toContain('implement-feature_AUTH-1.md')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })

  verifies('X-bridge', 'stays in progress where they have not, and the asker has the answer', async () => {
    const { desk, taken } = await begun()
    await acmq.finish(desk, 'bob', 'lead', taken, 'Tokens are refreshed')
    await desk.bridge()
    expect(statusOf(desk, 'AUTH-1')).toContain('status: in_progress')
    expect(await circe.read(desk, 'lead')).toContain('Tokens are refreshed')
    tested(desk)
    await desk.signalbox('circe', 'status', 'AUTH-1', 'completed', '--as', 'lead')
    expect(statusOf(desk, 'AUTH-1')).toContain('status: completed')
  })

  verifies('X-bridge', 'has failed with it', async () => {
    const { desk, taken } = await begun()
    await acmq.fail(desk, 'bob', 'lead', taken, 'No keys here')
    await desk.bridge()
    expect(statusOf(desk, 'AUTH-1')).toContain('status: failed')
    expect(await circe.read(desk, 'lead')).toContain('No keys here')
  })
})

verifies('X-bridge', 'the tasks of a Dream.OS plan go to agents of other protocols and come back', async () => {
  const workers = { ann: acmq, max: mr, cid: circe, sue: session } as const
  const homes = Object.entries(workers).map(([name, { home }]) => [name, home])
  const desk = await openDesk({ planner: 'dream', chief: 'dream', ...Object.fromEntries(homes) })
  const names = Object.keys(workers) as (keyof typeof workers)[]
  const { plan } = await desk.json('dream', 'plan', '--to', 'planner', '--goal', 'Ship it', '--as', 'chief')
  const results = names.map((target_agent, n) => ({
    ...{
      task_id: `step-${n}`,
      action: 'DO',
      params: { text: `Do step ${n}` },
      target_agent,
      status: 'PENDING',
      priority: 3,
    },
    depends_on: n === 0 ? [] : [`step-${n - 1}`],
  }))
  desk.sh('rm runtime/planner/inbox/*.json')
  putEvent(desk, 'planner', 'chief', 'TASK_COMPLETED', { task_id: plan, results })
  await desk.bridge()
  for (const [n, name] of names.entries()) {
    await desk.signalbox('dream', 'tasks', '--dispatch', '--as', 'chief')
    await desk.bridge()
    const taken = (await workers[name].take(desk, name))!
    expect(taken.text).toContain(`Do step ${n}`)
    await workers[name].finish(desk, name, 'chief', taken, `Step ${n} is done`)
    await desk.bridge()
    const { tasks } = await desk.json('dream', 'tasks')
    expect(tasks[n]).toMatchObject({ task_id: `step-${n}`, status: 'COMPLETED' })
  }
  const told = await dream.read(desk, 'chief')
  for (const n of names.keys()) expect(told).toMatch(new RegExp(`TASK_COMPLETED[^}]*"task_id": "step-${n}"`))
  const log = desk.sh('cat _agent_coordination/shared_mailboxes/completed_tasks.json')
  for (const [n, name] of names.entries()) {
    expect(log).toMatch(
      new RegExp(`"task_id":"step-${n}","agent_id":"${name}","status":"COMPLETED".*Step ${n} is done`),
    )
  }
})

verifies('X-bridge', 'delegated in a session to agents at home anywhere', async () => {
  const workers = { ann: acmq, max: mr, cid: circe, dan: dream } as const
  const homes = Object.entries(workers).map(([name, { home }]) => [name, home])
  const desk = await openDesk({ sue: 'session:s1', ...Object.fromEntries(homes) })
  const names = Object.keys(workers) as (keyof typeof workers)[]
  for (const name of names) await say(desk, 'sue', `#DELEGATE:${name}:implement_${name}:P0`)
  // Who delegates carries it.
  expect((await desk.bridge()).carried).toEqual([])
  expect(await say(desk, 'sue', '#SUMMARY')).toBe('done 0, running 4, blocked 0\n')
  const urgent = { ann: /priority: 1\n/, max: /"priority": 9/, cid: /priority: high\n/, dan: /"priority": 1/ }
  for (const name of names) {
    const taken = (await workers[name].take(desk, name))!
    expect(taken.text).toContain(`implement_${name}`)
    expect(taken.text).toMatch(urgent[name])
    await workers[name].finish(desk, name, 'sue', taken, `${name} has done it`)
  }
  expect((await desk.bridge()).settled).toHaveLength(4)
  expect(await say(desk, 'sue', '#SUMMARY')).toBe('done 4, running 0, blocked 0\n')
  const told = await session.read(desk, 'sue')
  for (const name of names) expect(told).toContain(`${name} has done it`)
})

describe('a person in the middle', () => {
  const question = async (desk: Desk) => (await desk.json('human', 'list')).waiting[0].id as string

  verifies('X-bridge', 'asked in CIRCE', async () => {
    const desk = await openDesk({ alice: 'mr', bob: 'circe' })
    await mr.ask(desk, { from: 'alice', to: 'bob', text: 'Sign the tokens' })
    await desk.bridge()
    const taken = (await circe.take(desk, 'bob'))!
    putMarkdown(desk, { from: 'bob', to: 'rooster', text: 'RS256 or HS256?', intent: 'escalate', status: 'blocked' })
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    await desk.signalbox('human', 'answer', await question(desk), '--body', 'RS256')
    expect(await circe.read(desk, 'bob')).toContain('RS256')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    await circe.finish(desk, 'bob', 'alice', taken, 'Signed by RS256')
    await desk.bridge()
    expect(await mr.read(desk, 'alice')).toContain('Signed by RS256')
  })

  verifies('X-bridge', 'asked in a session', async () => {
    const desk = await openDesk({ alice: 'dream', bob: 'session:s1' })
    await dream.ask(desk, { from: 'alice', to: 'bob', text: 'Sign the tokens' })
    await desk.bridge()
    const taken = (await session.take(desk, 'bob'))!
    await say(desk, 'bob', '#ESCALATE:RS256 or HS256?')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    await desk.signalbox('human', 'answer', await question(desk), '--body', 'RS256')
    expect(await session.read(desk, 'bob')).toContain('RS256')
    await session.finish(desk, 'bob', 'alice', taken, 'Signed by RS256')
    await desk.bridge()
    expect(await dream.read(desk, 'alice')).toContain('Signed by RS256')
  })

  verifies('X-bridge', 'who lets through what a policy of the target holds back, or does not', async () => {
    for (const verdict of ['approve', 'deny'] as const) {
      const desk = await openDesk({ alice: 'circe', bob: 'acmq:shop' })
      desk.put('.signalbox', 'policy.yaml', 'hold: ["deploy*"]\n')
      await circe.ask(desk, { from: 'alice', to: 'bob', text: 'deploy it' })
      const { notices } = await desk.json('bridge', '--once')
      expect(notices).toEqual([expect.stringMatching(/^It matches "deploy\*": a person must approve it first/)])
      await desk.signalbox(
        'human',
        verdict,
        await question(desk),
        ...(verdict === 'deny' ? ['--reason', 'Not today'] : []),
      )
      if (verdict === 'approve') {
        const taken = (await acmq.take(desk, 'bob'))!
        await acmq.finish(desk, 'bob', 'alice', taken, 'It is out')
      }
      await desk.bridge()
      expect(await circe.read(desk, 'alice')).toContain(verdict === 'approve' ? 'It is out' : 'Not today')
    }
  })
})
