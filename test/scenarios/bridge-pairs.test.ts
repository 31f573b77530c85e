/** All twenty ordered pairs of protocols, for agents with nothing but a shell at both ends, and `bridge --once` in between. */
import { describe, expect } from 'vitest'
import { type Desk, openDesk, protocolNames, type ShellAgents, shellAgents } from '../support/shell-agents.ts'
import { verifies } from '../support/verifies.ts'

const pairs = protocolNames.flatMap((one) =>
  protocolNames.flatMap((other) => (one === other ? [] : [[one, other] as const])),
)
const passed = '2020-01-01T00:00:00Z'

/** Asks, and lets the bridge carry it: what the other agent then takes. */
async function carry(desk: Desk, here: ShellAgents, there: ShellAgents, text: string, deadline?: string) {
  await here.ask(desk, { from: 'alice', to: 'bob', text, ...(deadline === undefined ? {} : { deadline }) })
  expect((await desk.bridge()).carried).toHaveLength(1)
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
