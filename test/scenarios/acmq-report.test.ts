/** The three reports, on a mission with everything in it. One of each stands in `docs/examples/`, written by this test. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { unavailable } from '../../src/kernel/errors.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { mission as demo } from '../../src/protocols/ac-mq/chapter.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { type AcmqBox, memoryBox } from '../support/acmq.ts'
import { verifies } from '../support/verifies.ts'

let box: AcmqBox
let inner: Mission
let clock: ReturnType<typeof heldClock>

const minutes = (n: number) => clock.advance(n * 60_000)
const mission = 'llm/missions/alpha'
const write = async (path: string, text: string) => {
  const at = treePath(`${mission}/${path}`)
  const before = await box.tree.read(at)
  if (before) await box.tree.replace(at, Buffer.from(text), before.revision)
  else await box.tree.create(at, text)
}
const send = async (
  to: Mission,
  id: string,
  from: string,
  recipient: string,
  summary: string,
  body: string,
  after: readonly string[] = [],
) => {
  minutes(20)
  await to.sending.send({ id, from, to: recipient, summary, body, dependencies: after.map((one) => `msg:${one}`) })
}
const finish = async (to: Mission, id: string, agent: string, text: string, links: readonly string[] = []) => {
  await to.claims.next({ agent, id })
  minutes(45)
  await to.settling.complete(id, { agent }, { text, links })
}

beforeEach(async () => {
  clock = heldClock(Date.parse('2026-11-02T08:00:00Z'))
  box = await memoryBox({ clock })
  await write(
    '_meta/manifest.md',
    `# alpha

## Objective

Make the list of orders open in under a second for every customer. Today those with many orders wait nine seconds.

## Milestones

- [ ] Cause of the slow order list is known
- [ ] Index on orders is live
- [ ] Customers are told
`,
  )
  const { mission: alpha } = box
  inner = (await box.missions.create('alpha/load-test')).mission
  await send(
    alpha,
    'cause000-1',
    'claude',
    'codex',
    'Find the cause of the slow order list',
    'Customers with more than 10,000 orders wait nine seconds. Which statement is it, and why?',
  )
  await write(
    'findings/order-plan.md',
    '# Plan of the order list\n\nThe statement scans 48 million rows of the orders table to return twenty of them.\n',
  )
  await finish(
    alpha,
    'cause000-1',
    'codex',
    'The order list scans the whole orders table, since nothing covers customer and date. The plan is in findings/order-plan.md.',
    ['findings/order-plan.md'],
  )
  await (await alpha.documents()).milestone('Cause of the slow order list is known', true)
  await send(
    alpha,
    'index000-2',
    'claude',
    'codex',
    'Put an index on orders',
    'On customer and date, without locking. Try it on staging first.',
    ['cause000-1'],
  )
  await write(
    'artifacts/0142_orders_index.sql',
    'CREATE INDEX CONCURRENTLY orders_by_customer ON orders (customer_id, created_at DESC);\n',
  )
  await finish(
    alpha,
    'index000-2',
    'codex',
    'The index is live. The list opens in 40 milliseconds at the 95th percentile.',
    ['artifacts/0142_orders_index.sql'],
  )
  await (await alpha.documents()).milestone('Index on orders is live', true)
  await send(
    inner,
    'load0000-3',
    'claude',
    'gemini',
    'Load test of the order list',
    'Two hundred customers at once, for ten minutes.',
  )
  await finish(inner, 'load0000-3', 'gemini', 'No request took longer than 300 milliseconds.')
  await send(
    alpha,
    'older000-4',
    'claude',
    'codex',
    'Drop the old index',
    'Nobody uses the one on customer alone any more.',
    ['index000-2'],
  )
  await alpha.claims.next({ agent: 'codex', id: 'older000-4' })
  minutes(5)
  await alpha.settling.fail('older000-4', { agent: 'codex' }, { reason: 'The nightly report still uses it.' })
  await send(
    alpha,
    'tell0000-5',
    'claude',
    'gemini',
    'Write to the customers',
    'Three sentences. Should we mention the nine seconds?',
  )
  minutes(60 * 24)
  await (await alpha.memory()).bus()
  await (await alpha.memory()).bus({ query: 'customer order index' })
})

const report = async (mode: 'bottom-up' | 'top-down' | 'holistic', more: object = {}) =>
  (await box.mission.memory()).report({ mode, ...more }, [inner])

/** Every target of a link, from the folder of the mission. */
const linksIn = (text: string) => [...text.matchAll(/\]\(<([^>]+)>\)/g)].map(([, target]) => target!)

/** What stands in `docs/examples/` is this mission, file by file. */
async function expectExample(name: string, tree: Tree, at: string): Promise<void> {
  const made: Record<string, string> = {}
  const collect = async (folder: string): Promise<void> => {
    for (const { name: inner, kind } of await tree.list(treePath(`${at}${folder}`))) {
      const path = `${folder}/${inner}`
      if (kind === 'folder') await collect(path)
      else made[path.slice(1)] = Buffer.from((await tree.read(treePath(`${at}${path}`)))!.bytes).toString()
    }
  }
  await collect('')
  const examples = new URL(`../../docs/examples/${name}/`, import.meta.url)
  for (const [path, text] of Object.entries(made)) {
    const file = new URL(path, examples)
    if (process.env.UPDATE_DOCS) {
      mkdirSync(new URL('./', file), { recursive: true })
      writeFileSync(file, text)
    }
    expect([path, readFileSync(file, 'utf8')]).toEqual([path, text])
  }
  const files = readdirSync(examples, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files).toHaveLength(Object.keys(made).length)
}

describe('reports', () => {
  verifies(
    ['AC-16.1', 'AC-16.3b'],
    'bottom-up has every message once, archived, failed and of sub-missions',
    async () => {
      await (await box.mission.upkeep()).archive({ olderThanMs: 20 * 60 * 60 * 1000 })
      const { document } = await report('bottom-up')
      for (const id of ['cause000', 'index000', 'load0000', 'older000', 'tell0000'])
        expect(document.match(new RegExp(`^\\*\\*File:\\*\\* \`\\d{14}-${id}-`, 'gm'))).toHaveLength(1)
      expect(document).toContain('**Mission:** alpha/load-test  \n')
      expect(document).toMatch(/claude to codex, completed, archived: Find the cause/)
      expect(document.indexOf('cause000')).toBeLessThan(document.indexOf('index000'))
    },
  )

  verifies('AC-16.2', 'top-down follows the milestones and names results with their sources', async () => {
    const { document } = await report('top-down')
    expect(document).toContain('2 of 3 milestones are reached. Of 5 messages 3 are completed, 1 failed and 1 waits.')
    expect(document).toMatch(
      /- \[x\] \[Index on orders is live\]\(<findings\/bus-document-.*>\)\n {2}- “The index is live\. The list opens in 40 milliseconds at the 95th percentile\.”/,
    )
    expect(document).toContain('](<findings/order-plan.md>): “The statement scans 48 million rows')
    expect(document).toContain('](<artifacts/0142_orders_index.sql>)')
    expect(document).toMatch(/## What Failed\n\n- Drop the old index: “The nightly report still uses it\.”/)
    expect(document).toContain('## What Is Open\n\n- Write to the customers (waits for gemini, ')
  })

  verifies('AC-16.3', 'holistic tells why, what and how', async () => {
    const { document } = await report('holistic')
    const heads = [...document.matchAll(/^## (.*)$/gm)].map(([, head]) => head)
    expect(heads).toEqual([
      ...['Why', 'What', 'How', 'What Failed', 'What Is Open'],
      ...['Digests of Messages', 'Figures', 'Timeline', 'Dependencies'],
    ])
    expect(document).toContain('```mermaid\nflowchart TD\n')
    expect(document).toMatch(
      /asked gemini: “Load test of the order list” \(`load0000-3` of alpha\/load-test\)\. The result: “No request took longer than 300 milliseconds\.”/,
    )
  })

  verifies('AC-16.3b', 'every link leads to something that is there', async () => {
    await (await box.mission.upkeep()).archive({ olderThanMs: 20 * 60 * 60 * 1000 })
    for (const mode of ['top-down', 'holistic'] as const) {
      const links = linksIn((await report(mode)).document)
      expect(links.length).toBeGreaterThan(3)
      for (const link of links)
        expect([link, await box.tree.look(treePath(`${mission}/${link}`))]).not.toEqual([link, undefined])
    }
  })

  verifies(
    'AC-16.3b',
    'one that is kept links from where it lies, is renewed, and never replaces what is not ours',
    async () => {
      const { path, document } = await report('holistic', { out: 'findings/reports/story.md' })
      expect(path).toBe(`${mission}/findings/reports/story.md`)
      expect(linksIn(document)).toContain('../order-plan.md')
      await report('holistic', { out: 'findings/reports/story.md' })
      await write('findings/reports/story.md', `${document}mine`)
      await expect(report('holistic', { out: 'findings/reports/story.md' })).rejects.toMatchObject({
        code: 'NOT_OUR_FILE',
      })
      for (const out of [
        '../x.md',
        'queue/pending/x.md',
        'findings/bus-document-x-20261117150000.md',
        '/etc/passwd',
        'findings/x.sh',
      ])
        await expect(report('holistic', { out })).rejects.toMatchObject({ code: 'BAD_PLACE' })
    },
  )

  verifies(['AC-16.3b', 'AC-13.2f'], 'fits a budget, and is not hydrated or reported on itself', async () => {
    const short = await report('top-down', { budgetTokens: 700 })
    expect(short.tokens).toBeLessThanOrEqual(700)
    expect(short.isShortened).toBe(true)
    await expect(report('top-down', { budgetTokens: 5 })).rejects.toMatchObject({ code: 'BUDGET_TOO_SMALL' })
    const before = await (await box.mission.documents()).hydrate()
    await report('holistic', { out: 'findings/story.md' })
    const paths = (one: typeof before) => one.included.map(({ path }) => path)
    expect(paths(await (await box.mission.documents()).hydrate())).toEqual(paths(before))
    expect((await report('top-down')).document).not.toContain('findings/story.md')
  })

  verifies(['AC-16.2', 'AC-16.3b'], 'an agent that is asked writes it', async () => {
    const asked = await report('top-down', { by: 'gemini' })
    expect(asked).toMatchObject({ outcome: 'asked', writtenBy: 'extractive' })
    expect(await report('top-down', { by: 'gemini' })).toMatchObject({ asked: asked.asked })
    await finish(box.mission, asked.asked!, 'gemini', 'All is well.\n\n## Really')
    const { document, writtenBy } = await report('top-down', { by: 'gemini' })
    expect(writtenBy).toBe('gemini')
    const at = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    // It may be read long after, when the mission has moved on.
    minutes(60)
    expect((await report('top-down')).document).toContain(`at ${at}:\n`)
    expect(document).toContain(
      `Written by gemini, an agent of this mission, at ${at}:\n\n\`\`\`text quoted\nAll is well.\n\n## Really\n\`\`\``,
    )
    await expect(report('bottom-up', { by: 'gemini' })).rejects.toMatchObject({ code: 'NOTHING_TO_WRITE' })
  })

  verifies(
    ['AC-16.2', 'AC-16.3b'],
    'once the mission has moved on it is told as it is, and can be asked for anew',
    async () => {
      const out = 'findings/state.md'
      const supervise = async () =>
        (await box.mission.memory()).keep({ bus: true, snapshots: false, organizeFrom: 0 }, [inner])
      const first = await report('top-down', { by: 'gemini', out })
      await finish(box.mission, first.asked!, 'gemini', 'All is well.')
      minutes(1)
      await box.mission.sending.send({ from: 'claude', to: 'gemini', id: 'lateone1', body: 'The roof leaks' })
      // What was asked for is put in, however much has happened since.
      expect((await supervise()).reports).toMatchObject([{ writtenBy: 'gemini' }])
      minutes(1)
      const now = await report('top-down', { out })
      expect(now.writtenBy).toBe('extractive')
      expect(now.document).toContain('The roof leaks')
      expect((await supervise()).reports).toEqual([])
      const second = await report('top-down', { by: 'gemini' })
      expect(second.asked).not.toBe(first.asked)
      expect(await report('top-down', { by: 'gemini' })).toMatchObject({ asked: second.asked })
      await finish(box.mission, second.asked!, 'gemini', 'It rains in.')
      expect((await report('top-down')).document).toContain('It rains in.')
    },
  )

  verifies(
    ['AC-16.2', 'AC-13.2g'],
    'supervision puts what an agent wrote into the report that is kept, once',
    async () => {
      const out = 'findings/story.md'
      const supervise = async () =>
        (await box.mission.memory()).keep({ bus: true, snapshots: false, organizeFrom: 0 }, [inner])
      const { asked } = await report('holistic', { by: 'gemini', out })
      expect((await supervise()).reports).toEqual([])
      await finish(box.mission, asked!, 'gemini', 'Once upon a time.')
      expect((await supervise()).reports).toEqual([
        { path: `${mission}/${out}`, mode: 'holistic', writtenBy: 'gemini' },
      ])
      const kept = Buffer.from((await box.tree.read(treePath(`${mission}/${out}`)))!.bytes).toString()
      expect(kept).toContain('**Written By:** gemini\n')
      expect(kept).toContain('Once upon a time.')
      expect((await supervise()).reports).toEqual([])
      // One that a person changed stays theirs.
      const other = await report('top-down', { by: 'gemini', out: 'findings/state.md' })
      await write('findings/state.md', `${other.document}mine`)
      await finish(box.mission, other.asked!, 'gemini', 'All is well.')
      expect((await supervise()).reports).toEqual([])
    },
  )

  verifies(['AC-16.2', 'X-model'], 'a model that is configured writes it, and is labelled', async () => {
    let answer = 'The order list is fast.\n\n# Not a title'
    const asked: string[] = []
    const writer = {
      id: 'toy-1',
      async write({ material }: { readonly material: string }) {
        asked.push(material)
        if (answer === '') throw unavailable('MODEL_UNAVAILABLE', 'It sleeps.')
        return answer
      },
    }
    const missions = await acmq.open({ tree: box.tree, clock, settings: acmq.defaults, writer: async () => writer })
    const alpha = await missions.open('alpha')
    const told = await (await alpha.memory()).report({ mode: 'top-down' })
    expect(told).toMatchObject({ outcome: 'reported', writtenBy: 'model toy-1' })
    expect(told.document).toContain('**Written By:** model toy-1\n')
    expect(told.document).toContain(
      'Written by the model toy-1:\n\n```text quoted\nThe order list is fast.\n\n# Not a title\n```',
    )
    expect(asked[0]).toContain('Executive Summary')
    // Where nobody writes it in words of their own, nobody is asked; an agent that is asked for comes first.
    await (await alpha.memory()).report({ mode: 'bottom-up' })
    expect(await (await alpha.memory()).report({ mode: 'holistic', by: 'gemini' })).toMatchObject({
      writtenBy: 'extractive',
    })
    expect(asked).toHaveLength(1)
    answer = 'too long '.repeat(1000)
    const short = await (await alpha.memory()).report({ mode: 'top-down', budgetTokens: 700 })
    expect(short).toMatchObject({ writtenBy: 'extractive' })
    expect(short.tokens).toBeLessThanOrEqual(700)
    answer = ''
    expect(await (await alpha.memory()).report({ mode: 'holistic' })).toMatchObject({
      writtenBy: 'extractive',
      instead: 'It sleeps.',
    })
  })

  it('[AC-16.1] an empty mission has a report too', async () => {
    const { mission: empty } = await box.missions.create('empty')
    for (const mode of ['bottom-up', 'top-down', 'holistic'] as const)
      expect((await (await empty.memory()).report({ mode })).document).toContain('No messages.')
  })

  it('[AC-16.3] docs/examples/alpha is this mission, with one report of each kind', async () => {
    const context = {
      'order-plans.md': '# Plans\n\nThe slow query of the order list scans the orders table. See order-times.csv.\n',
      'order-index.md': 'An index on the orders table makes the slow query of the order list fast.\n',
      'order-times.csv': 'query,table,ms\nslow order list,orders table,9100\norder list with index,orders table,40\n',
      'holidays.txt': 'Nobody works between Christmas and New Year.\n',
    }
    for (const [name, text] of Object.entries(context)) await write(`context/${name}`, text)
    await (await box.mission.memory()).organize()
    await (await box.mission.memory()).snapshot(['completed'])
    for (const mode of ['bottom-up', 'top-down', 'holistic'] as const)
      await report(mode, { out: `findings/report-${mode}.md` })
    await expectExample('alpha', box.tree, mission)
  })

  it('[AC-16.3] docs/examples/login is the mission of `signalbox demo`, with one report of each kind', async () => {
    const begin = heldClock(Date.parse('2026-11-02T08:00:00Z'))
    let now: Clock = begin
    const tree = openMemoryTree({ clock: { now: () => now.now() } })
    let ids = 0
    const uuid = vi
      .spyOn(crypto, 'randomUUID')
      .mockImplementation(
        () =>
          `${++ids}0000000-0000-4000-8000-000000000000`.slice(
            -36,
          ) as `${string}-${string}-${string}-${string}-${string}`,
      )
    try {
      await demo.play({
        tree,
        clock: begin,
        // A supervisor comes a day later, and from then on that is the time.
        another: async (clock = begin) => {
          now = clock
          return tree
        },
        step: () => void begin.advance(60_000),
        ...{ say: () => {}, show: async () => {}, progress: () => {}, ports: {}, makeRepository: async () => false },
      })
      const login = await (await acmq.open({ tree, clock: now, settings: acmq.defaults })).open('login')
      for (const mode of ['bottom-up', 'top-down', 'holistic'] as const)
        await (await login.memory()).report({ mode, out: `findings/report-${mode}.md` })
    } finally {
      uuid.mockRestore()
    }
    await expectExample('login', tree, 'llm/missions/login')
  })
})
