/** All twenty ordered pairs of protocols, for agents with nothing but a shell at both ends, and `bridge --once` in between. */
import { describe, expect } from 'vitest'
import {
  type Desk,
  openDesk,
  protocolNames,
  putMarkdown,
  putRouted,
  type ShellAgents,
  say,
  shellAgents,
} from '../support/shell-agents.ts'
import { verifies } from '../support/verifies.ts'

const pairs = protocolNames.flatMap((one) =>
  protocolNames.flatMap((other) => (one === other ? [] : [[one, other] as const])),
)
const passed = '2020-01-01T00:00:00Z'

/** Asks, and lets the bridge carry it: what the other agent then takes. */
async function carry(desk: Desk, here: ShellAgents, there: ShellAgents, text: string, deadline?: string) {
  await here.ask(desk, { from: 'alice', to: 'bob', text, ...(deadline === undefined ? {} : { deadline }) })
  // What is delegated in a session is carried by who says it.
  expect((await desk.bridge()).carried).toHaveLength(here === shellAgents.session ? 0 : 1)
  const taken = (await there.take(desk, 'bob'))!
  expect(taken.text).toContain(text)
  expect(taken.text).toContain('alice')
  return taken
}

/** What an agent did not find in its files before. */
async function news(desk: Desk, { read }: ShellAgents, agent: string, doing: () => Promise<unknown>): Promise<string> {
  const before = await read(desk, agent)
  await doing()
  return (await read(desk, agent)).replace(before, '')
}

describe.each(pairs)('%s to %s', (one, other) => {
  const [here, there] = [shellAgents[one], shellAgents[other]]
  const open = () => openDesk({ alice: here.home, bob: there.home })

  verifies('X-bridge', 'asked and answered', async () => {
    const desk = await open()
    const taken = await carry(desk, here, there, 'Design_the_schema')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    await there.finish(desk, 'bob', 'alice', taken, 'Three tables')
    const found = await news(desk, here, 'alice', async () => {
      expect((await desk.bridge()).settled).toMatchObject([{ outcome: 'completed' }])
    })
    expect(found).toContain('Three tables')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })

  verifies('X-bridge', 'asked, and failed with its reason', async () => {
    const desk = await open()
    const taken = await carry(desk, here, there, 'Design_the_schema')
    await there.fail(desk, 'bob', 'alice', taken, 'No database here')
    const found = await news(desk, here, 'alice', async () => {
      expect((await desk.bridge()).settled).toMatchObject([{ outcome: 'failed' }])
    })
    expect(found).toContain('No database here')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })

  verifies('X-bridge', 'told', async () => {
    const desk = await open()
    await here.tell(desk, { from: 'alice', to: 'bob', text: 'The build is green' })
    const found = await news(desk, there, 'bob', async () => expect((await desk.bridge()).carried).toHaveLength(1))
    expect(found).toContain('The build is green')
    expect(found).toContain('alice')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })

  if (!here.hasDeadlines) return
  verifies('X-bridge', 'never answered in time, and answered late', async () => {
    const desk = await open()
    const taken = await carry(desk, here, there, 'Design_the_schema', passed)
    const told = await news(desk, here, 'alice', async () => {
      expect((await desk.bridge()).settled).toMatchObject([{ outcome: 'failed' }])
    })
    expect(told).toContain('bob has not answered by 2020-01-01')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    await there.finish(desk, 'bob', 'alice', taken, 'Three tables after all')
    const late = await news(desk, here, 'alice', () => desk.bridge())
    expect(late).toContain('Three tables after all')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })

  verifies('X-bridge', 'never taken in time: the copy is taken back', async () => {
    const desk = await open()
    await here.ask(desk, { from: 'alice', to: 'bob', text: 'Design_the_schema', deadline: passed })
    await desk.bridge()
    const told = await news(desk, here, 'alice', () => desk.bridge())
    expect(told).toContain('bob has not answered by 2020-01-01')
    expect(await there.take(desk, 'bob')).toBeUndefined()
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })
})

const known = protocolNames.filter((name) => shellAgents[name].progress)

describe.each(known)('from %s, how far it is', (other) => {
  const there = shellAgents[other]
  const text = 'Half of it'

  /** Asked by this agent, begun by the other one, which then says how far it is. */
  async function progress(one: 'mr' | 'circe' | 'session') {
    const here = shellAgents[one]
    const desk = await openDesk({ alice: here.home, bob: there.home })
    const taken = await carry(desk, here, there, 'Design_the_schema')
    await desk.bridge()
    await there.progress!(desk, 'bob', 'alice', taken, text)
    const told = await news(desk, here, 'alice', async () => {
      expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
      expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    })
    await there.finish(desk, 'bob', 'alice', taken, 'Three tables')
    const ended = await news(desk, here, 'alice', () => desk.bridge())
    expect(ended).toContain('Three tables')
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    return { desk, told }
  }

  if (other !== 'mr')
    verifies('X-bridge', 'is a status-update in Message Routing', async () => {
      const { told } = await progress('mr')
      expect(told.match(/Half of it/g)).toHaveLength(1)
      expect(told).toContain('"type": "status-update"')
      expect(told).toContain('"correlation_id": "msg_00000001"')
    })
  if (other !== 'circe')
    verifies('X-bridge', 'is a status_update in CIRCE', async () => {
      const { told } = await progress('circe')
      expect(told.match(/Half of it/g)).toHaveLength(1)
      expect(told).toContain('intent: status_update\nstatus: in_progress\n')
    })
  if (other !== 'session')
    verifies('X-bridge', 'is recorded in a session, as #PROGRESS is', async () => {
      const { desk } = await progress('session')
      const log = await desk.signalbox('session', 'log', '--session', 's1')
      expect(log).toMatch(/bob +PROGRESS .*Half of it/)
    })
})

verifies('X-bridge', 'a message that wants to be acknowledged is, when its recipient has begun elsewhere', async () => {
  const desk = await openDesk({ alice: 'mr', bob: 'acmq:shop' })
  const payload = { task: 'Design the schema' }
  const id = putRouted(desk, { from: 'alice', to: 'bob', type: 'task-delegation', payload, requires_ack: true })
  const { mr, acmq } = shellAgents
  await desk.bridge()
  expect(await news(desk, mr, 'alice', () => desk.bridge())).toBe('')
  const taken = (await acmq.take(desk, 'bob'))!
  const acked = await news(desk, mr, 'alice', () => desk.bridge())
  expect(acked).toContain(`"message": "Received ${id}"`)
  await acmq.finish(desk, 'bob', 'alice', taken, 'Three tables')
  const ended = await news(desk, mr, 'alice', () => desk.bridge())
  expect(ended.match(/"type"/g)).toEqual(['"type"'])
  expect(ended).toContain('Three tables')
})

verifies(
  'X-bridge',
  'a message that wants to be acknowledged has one answer, where all was done between two passes',
  async () => {
    const desk = await openDesk({ alice: 'mr', bob: 'acmq:shop' })
    const payload = { task: 'Design the schema' }
    putRouted(desk, { from: 'alice', to: 'bob', type: 'task-delegation', payload, requires_ack: true })
    await desk.bridge()
    const taken = (await shellAgents.acmq.take(desk, 'bob'))!
    await shellAgents.acmq.finish(desk, 'bob', 'alice', taken, 'Three tables')
    const ended = await news(desk, shellAgents.mr, 'alice', () => desk.bridge())
    expect(ended.match(/"type"/g)).toEqual(['"type"'])
    expect(ended).toMatch(/"status": "completed",\s+"message": "Three tables"/)
  },
)

describe('an answer that names no message', () => {
  verifies('X-bridge', 'counts where nothing else is open with that agent', async () => {
    const desk = await openDesk({ alice: 'acmq:shop', bob: 'circe', carol: 'mr' })
    const { acmq, circe, mr } = shellAgents
    await acmq.ask(desk, { from: 'alice', to: 'bob', text: 'Which signature?' })
    await acmq.ask(desk, { from: 'alice', to: 'carol', text: 'Which database?' })
    await desk.bridge()
    await circe.take(desk, 'bob')
    await mr.take(desk, 'carol')
    putMarkdown(desk, { from: 'bob', to: 'alice', text: 'RS256', intent: 'answer', status: 'completed' })
    putRouted(desk, { from: 'carol', to: 'alice', type: 'result', payload: { status: 'success', message: 'SQLite' } })
    expect((await desk.bridge()).settled).toHaveLength(2)
    expect(await acmq.read(desk, 'alice')).toMatch(/Which signature\?[\s\S]*RS256[\s\S]*Which database\?[\s\S]*SQLite/)
  })

  verifies('X-bridge', 'counts for neither of two, and reaches the asker as a message', async () => {
    const desk = await openDesk({ alice: 'acmq:shop', bob: 'circe' })
    const { acmq, circe } = shellAgents
    await acmq.ask(desk, { from: 'alice', to: 'bob', text: 'Which signature?' })
    await acmq.ask(desk, { from: 'alice', to: 'bob', text: 'Which database?' })
    await desk.bridge()
    const [first, second] = [(await circe.take(desk, 'bob'))!, (await circe.take(desk, 'bob'))!]
    putMarkdown(desk, { from: 'bob', to: 'alice', text: 'RS256', intent: 'answer', status: 'completed' })
    expect((await desk.bridge()).carried).toMatchObject([{ from: expect.stringContaining('bob-alice_answer') }])
    expect(await acmq.read(desk, 'alice')).toContain('RS256')
    await circe.finish(desk, 'bob', 'alice', first, 'As I said')
    await circe.finish(desk, 'bob', 'alice', second, 'SQLite')
    expect((await desk.bridge()).settled).toHaveLength(2)
  })
})

describe('to all', () => {
  const homes = { ann: 'acmq:shop', max: 'mr', cid: 'circe', dan: 'dream', sue: 'session:s1' } as const
  const text = 'The build is green'

  /** What each agent at home elsewhere finds after a pass or two. */
  async function reached(desk: Desk, sender: string): Promise<string[]> {
    await desk.bridge()
    await desk.bridge()
    const found: string[] = []
    for (const [name, home] of Object.entries(homes)) {
      const words = await shellAgents[home.split(':')[0] as (typeof protocolNames)[number]].read(desk, name)
      if (name !== sender && words.includes(text)) found.push(name)
      expect(words.split(text).length).toBeLessThan(name === sender ? 9 : 4)
    }
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
    return found
  }

  verifies('X-bridge', 'of CIRCE', async () => {
    const desk = await openDesk(homes)
    desk.sh('mkdir -p AI_MANAGER/NEW_MESSAGES')
    await desk.bridge()
    putMarkdown(desk, { from: 'cid', to: 'all', text, intent: 'inform', status: 'new' })
    expect(await reached(desk, 'cid')).toEqual(['ann', 'max', 'dan', 'sue'])
  })

  verifies('X-bridge', 'of Dream.OS, by its outbox', async () => {
    const desk = await openDesk(homes)
    const whole = {
      message_id: 'm-1',
      sender_agent_id: 'dan',
      target_id: 'broadcast',
      command: 'MESSAGE',
      params: { text },
    }
    desk.put('runtime/dan/outbox', 'msg_m-1.json', JSON.stringify(whole))
    expect(await reached(desk, 'dan')).toEqual(['ann', 'max', 'cid', 'sue'])
  })

  verifies('X-bridge', 'of Message Routing: a file for each inbox that is there', async () => {
    const desk = await openDesk(homes)
    desk.sh('mkdir -p state/agents')
    await desk.bridge()
    for (const to of desk.sh('ls state/agents').trim().split('\n'))
      if (to !== 'max') await shellAgents.mr.tell(desk, { from: 'max', to, text })
    expect(await reached(desk, 'max')).toEqual(['ann', 'cid', 'dan', 'sue'])
  })

  verifies('X-bridge', 'of a session: those who have subscribed', async () => {
    const desk = await openDesk(homes)
    for (const agent of ['ann', 'dan']) await say(desk, agent, '#SUBSCRIBE:builds')
    await say(desk, 'sue', `#BROADCAST:builds:${text}`)
    expect(await reached(desk, 'sue')).toEqual(['ann', 'dan'])
  })

  verifies('X-bridge', 'of AC-MQ is for the first agent that reads there, and stays', async () => {
    const desk = await openDesk(homes)
    await shellAgents.acmq.ask(desk, { from: 'lead', to: 'all', text })
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })

  verifies('X-bridge', 'asked in CIRCE, each agent answers for itself', async () => {
    const desk = await openDesk(homes)
    const { mr, acmq, dream, session, circe } = shellAgents
    desk.sh('mkdir -p AI_MANAGER/NEW_MESSAGES')
    await desk.bridge()
    putMarkdown(desk, { from: 'cid', to: 'all', text: 'Are you ready?', intent: 'question', status: 'new' })
    expect((await desk.bridge()).carried).toHaveLength(4)
    for (const [name, there] of Object.entries({ ann: acmq, max: mr, dan: dream, sue: session })) {
      const taken = (await there.take(desk, name))!
      expect(taken.text).toContain('Are you ready?')
      await there.finish(desk, name, 'cid', taken, `${name} is ready`)
    }
    expect((await desk.bridge()).settled).toHaveLength(4)
    const told = await circe.read(desk, 'cid')
    for (const name of ['ann', 'max', 'dan', 'sue']) expect(told).toContain(`${name} is ready`)
    expect(await desk.bridge()).toEqual({ carried: [], settled: [] })
  })
})
