/** Bus documents as missions move: what makes one, how it grows, and what is never touched. */
import { beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { unavailable } from '../../src/kernel/errors.ts'
import { estimateTokens } from '../../src/kernel/token-estimate.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { readBus } from '../../src/protocols/ac-mq/memory/bus-document.ts'
import { type AcmqBox, memoryBox } from '../support/acmq.ts'
import { verifies } from '../support/verifies.ts'

let box: AcmqBox
let clock: ReturnType<typeof heldClock>
beforeEach(async () => {
  clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
  box = await memoryBox({ clock })
})

const findings = treePath('llm/missions/alpha/findings')
const send = async (id: string, body: string, dependencies: readonly string[] = [], to = 'gemini') => {
  clock.advance(1000)
  await box.mission.sending.send({ from: 'claude', to, id, body, dependencies })
}
const finish = async (id: string, text = 'Done.', agent = 'gemini') => {
  await box.mission.claims.next({ agent, id })
  await box.mission.settling.complete(id, { agent }, { text })
}
const names = async () => (await box.tree.list(findings)).map(({ name }) => name)
const read = async (name: string) =>
  Buffer.from((await box.tree.read(treePath(`${findings}/${name}`)))!.bytes).toString()
const write = async (path: string, text: string) => {
  const before = await box.tree.read(treePath(path))
  if (before) await box.tree.replace(treePath(path), Buffer.from(text), before.revision)
  else await box.tree.create(treePath(path), text)
}
const slow = [
  'Slow orders query: it scans the orders table',
  'The orders query is slow, add an index to the orders table',
  'Explain the slow orders query of the orders table',
  'Index of the orders table makes the orders query less slow',
  'Another slow orders query on the orders table',
]
const sendSlow = async (count: number, from = 0) => {
  for (let i = from; i < count; i++) await send(`slow000${i}`, slow[i]!)
}

describe('similar messages', () => {
  verifies('AC-13.2a', 'a cluster that is large enough gets a document, which grows and keeps its name', async () => {
    await send('other000', 'Invite the new colleague to lunch')
    await sendSlow(3)
    expect(await (await box.mission.memory()).bus()).toEqual({ outcome: 'unchanged', documents: [] })
    await sendSlow(4, 3)
    const made = await (await box.mission.memory()).bus()
    expect(made).toMatchObject({
      outcome: 'made',
      documents: [
        { outcome: 'made', trigger: 'similarity', messages: ['slow0000', 'slow0001', 'slow0002', 'slow0003'] },
      ],
    })
    const before = await names()
    expect(before[0]).toMatch(/^bus-document-[a-z-]+-20261117150005\.md$/)
    expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged' })
    await sendSlow(5, 4)
    expect(await (await box.mission.memory()).bus()).toMatchObject({
      outcome: 'made',
      documents: [{ outcome: 'renewed' }],
    })
    expect(await names()).toEqual(before)
    const text = await read(before[0]!)
    expect(text).toContain('**Messages Included:** 5\n')
    expect(text).toContain('**Generated:** 2026-11-17T15:00:06Z\n')
    expect(text).not.toContain('lunch')
  })

  verifies(['AC-13.2a', 'AC-13.2f'], 'archived messages count, and documents are not messages', async () => {
    await sendSlow(4)
    for (const id of ['slow0000', 'slow0001']) await finish(id)
    await (await box.mission.upkeep()).archive({ olderThanMs: 0 })
    await (await box.mission.memory()).bus()
    const [name] = await names()
    expect(await read(name!)).toContain('**Messages Included:** 4\n')
    expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged' })
  })
})

describe('a document that a person changed', () => {
  verifies('AC-13.1c', 'is never overwritten; the next one gets a new name and says so', async () => {
    await sendSlow(4)
    await (await box.mission.memory()).bus()
    const [mine] = await names()
    const changed = (await read(mine!)).replace('## Thematic Summary\n', '## Thematic Summary\n\nMy own words.\n')
    await write(`${findings}/${mine}`, changed)
    await sendSlow(5, 4)
    await (await box.mission.memory()).bus()
    expect(await read(mine!)).toBe(changed)
    const other = (await names()).find((name) => name !== mine)!
    expect(await read(other)).toContain(`**Instead Of:** \`${mine}\`, which somebody changed\n`)
    expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged' })
    expect(await names()).toHaveLength(2)
  })
})

describe('a long document', () => {
  const small = { ...acmq.defaults, busDocumentBytes: 16 * 1024 }
  const open = async () => (await acmq.open({ tree: box.tree, clock, settings: small })).open('alpha')
  const sendLong = async (count: number, from = 0) => {
    for (let i = from; i < count; i++) await send(`long000${i}`, `${slow[i % 5]} ${i}\n${'More of it. '.repeat(600)}`)
  }
  const ids = async () => {
    const found: string[] = []
    for (const name of await names())
      found.push(...[...(await read(name)).matchAll(/^\*\*File:\*\* `\d{14}-(\w+)-/gm)].map(([, id]) => id!))
    return found.sort()
  }

  verifies('AC-13.1b', 'a part that is missing or old is written again, and one too many goes', async () => {
    await sendLong(8)
    const mission = await open()
    const all = Array.from({ length: 8 }, (_, i) => `long000${i}`)
    expect(await (await mission.memory()).bus()).toMatchObject({ outcome: 'made' })
    const parts = (await names()).filter((name) => name.includes('-part-'))
    expect(parts.length).toBeGreaterThan(2)
    expect(await ids()).toEqual(all)
    await box.tree.remove(treePath(`${findings}/${parts[1]}`))
    expect(await (await mission.memory()).bus()).toMatchObject({ outcome: 'made', documents: [{ outcome: 'renewed' }] })
    expect(await ids()).toEqual(all)
    // Somebody corrects a message: the table is the same, and only the part that quotes it is another.
    const path = (await (await mission.overview()).show('long0006')).path
    await write(
      path,
      Buffer.from((await box.tree.read(treePath(path)))!.bytes)
        .toString()
        .replace('More', 'Even more'),
    )
    expect(await (await mission.memory()).bus()).toMatchObject({ documents: [{ outcome: 'renewed' }] })
    expect((await Promise.all(parts.map(read))).join('')).toContain('Even more of it.')
    expect(await (await mission.memory()).bus()).toMatchObject({ outcome: 'unchanged' })
  })

  verifies('AC-13.1c', 'a part that a person changed is theirs, with the whole document', async () => {
    await sendLong(8)
    const mission = await open()
    await (await mission.memory()).bus()
    const before = await names()
    const mine = before.find((name) => name.endsWith('-part-2.md'))!
    const changed = `${await read(mine)}My own words.\n`
    await write(`${findings}/${mine}`, changed)
    await sendLong(9, 8)
    await (await mission.memory()).bus()
    expect(await read(mine)).toBe(changed)
    const others = (await names()).filter((name) => !before.includes(name))
    const main = others.find((name) => !name.includes('-part-'))!
    expect(await read(main)).toMatch(/^\*\*Instead Of:\*\* `bus-document-/m)
    expect((await names()).filter((name) => before.includes(name))).toEqual(before)
  })
})

describe('chains', () => {
  verifies('AC-13.2b', 'a dependency chain gets a document once all of it is completed', async () => {
    await send('first000', 'Design the schema')
    await send('second00', 'Write the endpoints', ['msg:first000'])
    await finish('first000')
    expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged', documents: [] })
    await finish('second00')
    expect(await (await box.mission.memory()).bus()).toMatchObject({
      documents: [{ trigger: 'chain', messages: ['first000', 'second00'] }],
    })
    await send('third000', 'Test them', ['msg:second00'])
    await finish('third000')
    expect(await (await box.mission.memory()).bus()).toMatchObject({
      documents: [{ outcome: 'renewed', messages: ['first000', 'second00', 'third000'] }],
    })
    expect(await names()).toHaveLength(1)
  })
})

describe('milestones', () => {
  const manifest = 'llm/missions/alpha/_meta/manifest.md'
  verifies('AC-13.2c', 'a ticked one gets a document of what contributed, each with the reason', async () => {
    await write(manifest, '# alpha\n\n## Milestones\n\n- [ ] Login works\n- [x] Nothing was done for this\n')
    await send('first000', 'Password hashing')
    await send('second00', 'With this the login works', ['msg:first000'])
    await finish('first000')
    await finish('second00')
    await (await box.mission.documents()).milestone('Login works', true)
    const { documents } = await (await box.mission.memory()).bus()
    expect(documents.map(({ trigger, messages }) => [trigger, messages])).toEqual([
      ['chain', ['first000', 'second00']],
      ['milestone', ['first000', 'second00']],
    ])
    const text = await read(documents[1]!.path.split('/').at(-1)!)
    expect(text).toContain('**Query:** Messages that contributed to the milestone: Login works\n')
    expect(text).toContain('**Why:** second00 depends on it')
    expect(text).toContain('**Why:** it names the milestone')
    await (await box.mission.documents()).milestone('Login works', false)
    await (await box.mission.memory()).bus()
    expect(await names()).toHaveLength(2)
  })

  it('[AC-13.2c] a manifest that is missing, or has none, is no error', async () => {
    await write(manifest, 'nothing here')
    expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged', documents: [] })
    await box.tree.remove(treePath(manifest))
    expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged', documents: [] })
  })
})

describe('on request', () => {
  verifies('AC-13.2d', 'a query makes a document of what it finds, once', async () => {
    await sendSlow(2)
    await send('other000', 'Invite the new colleague to lunch')
    const made = await (await box.mission.memory()).bus({ query: 'slow queries' })
    expect(made).toMatchObject({
      outcome: 'made',
      documents: [{ trigger: 'query', query: 'slow queries', messages: ['slow0000', 'slow0001'] }],
    })
    expect(await (await box.mission.memory()).bus({ query: 'slow queries' })).toMatchObject({ outcome: 'unchanged' })
    expect(await names()).toHaveLength(1)
    expect(await (await box.mission.memory()).bus({ query: 'the of and' })).toMatchObject({ outcome: 'nothing' })
    const odd = await (await box.mission.memory()).bus({ query: 'slow `x` | <b>\n## Full Message Log' })
    expect(readBus(await read(odd.documents[0]!.path.split('/').at(-1)!))?.isOurs).toBe(true)
  })
})

describe('a summary by an agent', () => {
  const ask = async () => (await box.mission.memory()).bus({ query: 'slow queries', by: 'codex' })
  verifies('AC-13.2g', 'is asked for once, and its answer is quoted under its name', async () => {
    await sendSlow(2)
    const first = await ask()
    expect(first).toMatchObject({ outcome: 'asked', documents: [{ summaryBy: 'extractive' }] })
    const { asked, path } = first.documents[0]!
    expect(await ask()).toMatchObject({ outcome: 'asked', documents: [{ asked }] })
    expect(
      (await (await box.mission.overview()).list('pending')).messages.filter(({ to }) => to === 'codex'),
    ).toHaveLength(1)
    await finish(asked!, 'It was about speed.\n```\n## Full Message Log', 'codex')
    const done = await ask()
    expect(done).toMatchObject({ outcome: 'made', documents: [{ outcome: 'renewed', summaryBy: 'codex' }] })
    const text = await read(path.split('/').at(-1)!)
    expect(text).toContain('**Summary By:** codex\n')
    expect(text).toContain('Written by codex, an agent of this mission:\n\n~~~text')
    expect(
      (await (await box.mission.memory()).bus({ query: 'summary speed' })).documents[0]?.messages ?? [],
    ).not.toContain(asked)
  })

  verifies('AC-13.2g', 'is taken up by supervision, whatever made the document, once', async () => {
    const supervise = async () => (await box.mission.memory()).keep({ bus: true, snapshots: false, organizeFrom: 0 })
    await sendSlow(4)
    await supervise()
    const first = await ask()
    const grouped = await (await box.mission.memory()).bus({ by: 'codex' })
    await finish(first.documents[0]!.asked!, 'It was about speed.\n```\n## Full Message Log', 'codex')
    const before = await read(first.documents[0]!.path.split('/').at(-1)!)
    clock.advance(10_000)
    const { documents } = await supervise()
    expect(documents).toMatchObject([
      { outcome: 'renewed', trigger: 'query', path: first.documents[0]!.path, summaryBy: 'codex' },
    ])
    const text = await read(first.documents[0]!.path.split('/').at(-1)!)
    expect(readBus(text)).toMatchObject({ isOurs: true, summaryBy: 'codex', anchors: readBus(before)!.anchors })
    expect(text).toContain('Written by codex, an agent of this mission:\n\n~~~text')
    expect(text.slice(text.lastIndexOf('\n## Full Message Log'))).toBe(
      before.slice(before.lastIndexOf('\n## Full Message Log')),
    )
    expect((await supervise()).documents).toEqual([])
    // Asking for it again finds it as it is.
    expect(await ask()).toMatchObject({ outcome: 'unchanged', documents: [{ summaryBy: 'codex' }] })
    await finish(grouped.documents[0]!.asked!, 'They belong together.', 'codex')
    expect((await supervise()).documents).toMatchObject([{ trigger: 'similarity', summaryBy: 'codex' }])
  })

  verifies('AC-13.2g', 'is not put into a document that a person changed', async () => {
    await sendSlow(2)
    const { asked, path } = (await ask()).documents[0]!
    const changed = `${await read(path.split('/').at(-1)!)}My own words.\n`
    await write(path, changed)
    await finish(asked!, 'It was about speed.', 'codex')
    expect(await (await box.mission.memory()).keep({ bus: true, snapshots: false, organizeFrom: 0 })).toMatchObject({
      documents: [],
    })
    expect(await read(path.split('/').at(-1)!)).toBe(changed)
  })

  verifies('AC-13.2g', 'that is empty or failed leaves the extractive one', async () => {
    await sendSlow(2)
    const { documents } = await ask()
    const id = documents[0]!.asked!
    await box.mission.claims.next({ agent: 'codex', id })
    await box.mission.settling.fail(id, { agent: 'codex' }, { reason: 'No time' })
    expect(await ask()).toMatchObject({ documents: [{ outcome: 'unchanged', summaryBy: 'extractive' }] })
    const other = await (await box.mission.memory()).bus({ query: 'orders index', by: 'codex' })
    await finish(other.documents[0]!.asked!, '  \n', 'codex')
    expect(await (await box.mission.memory()).bus({ query: 'orders index' })).toMatchObject({
      documents: [{ outcome: 'unchanged' }],
    })
  })
})

describe('a summary that comes too late', () => {
  verifies('AC-13.2g', 'leaves the extractive one', async () => {
    await sendSlow(2)
    const ask = async () => (await box.mission.memory()).bus({ query: 'slow queries', by: 'codex' })
    const id = (await ask()).documents[0]!.asked!
    await box.mission.claims.next({ agent: 'codex', id })
    clock.advance(2 * 60 * 60 * 1000)
    await (await box.mission.upkeep()).supervise()
    const late = box.mission.settling.complete(id, { agent: 'codex', attempt: 1 }, { text: 'It was about speed.' })
    await expect(late).rejects.toMatchObject({ code: 'LOST_CLAIM' })
    expect(await ask()).toMatchObject({ documents: [{ outcome: 'unchanged', summaryBy: 'extractive', asked: id }] })
    expect(await read((await names())[0]!)).not.toContain('It was about speed.')
    expect((await (await box.mission.overview()).list('pending')).messages.filter(({ to }) => to === 'codex')).toEqual(
      [],
    )
  })
})

describe('a summary by a model', () => {
  verifies('AC-13.1c', 'is quoted under its name, asked for once, and left out when it fails', async () => {
    await sendSlow(2)
    let asked = 0
    let fails = false
    const writer = {
      id: 'toy-1',
      async write() {
        asked++
        if (fails) throw unavailable('MODEL_UNAVAILABLE', 'It sleeps.', { hint: 'Wake it.' })
        return 'Two messages about speed.\n```\n## Full Message Log'
      },
    }
    const missions = await acmq.open({ tree: box.tree, clock, settings: acmq.defaults, writer: async () => writer })
    const mission = await missions.open('alpha')
    const made = await (await mission.memory()).bus({ query: 'slow queries' })
    expect(made).toMatchObject({ documents: [{ outcome: 'made', summaryBy: 'model toy-1' }] })
    expect(await (await mission.memory()).bus({ query: 'slow queries' })).toMatchObject({ outcome: 'unchanged' })
    expect(asked).toBe(1)
    const text = await read((await names())[0]!)
    expect(text).toContain('**Summary By:** model toy-1\n')
    expect(text).toContain('Written by the model toy-1:\n\n~~~text')
    fails = true
    await sendSlow(3, 2)
    expect(await (await mission.memory()).bus({ query: 'slow queries' })).toMatchObject({
      documents: [{ outcome: 'renewed', summaryBy: 'extractive' }],
      instead: expect.stringMatching(/It sleeps\.$/),
    })
    // Nothing is new in the mission, but the model may be awake by now.
    fails = false
    expect(await (await mission.memory()).bus({ query: 'slow queries' })).toMatchObject({
      documents: [{ outcome: 'renewed', summaryBy: 'model toy-1' }],
    })
    expect(await (await mission.memory()).bus({ query: 'slow queries' })).toMatchObject({ outcome: 'unchanged' })
    expect(asked).toBe(3)
  })
})

describe('a slow model', () => {
  verifies('AC-13.1c', 'does not hold up supervision: what it has no time for is asked by the next pass', async () => {
    for (const subject of ['orders', 'login', 'avatar'])
      for (const n of [1, 2]) {
        const id = `${subject.slice(0, 6).padEnd(6, '0')}0${n}`
        await box.mission.sending.send({
          ...{ id, from: 'claude', to: 'gemini', summary: `${subject} ${n}`, body: `The ${subject}` },
          dependencies: n === 1 ? [] : [`msg:${id.slice(0, -1)}1`],
        })
        await box.mission.claims.next({ agent: 'gemini', id })
        await box.mission.settling.complete(id, { agent: 'gemini' }, { text: 'Done.' })
      }
    let asked = 0
    const writer = {
      id: 'snail',
      async write() {
        asked++
        clock.advance(20_000)
        return 'Slowly.'
      },
    }
    const missions = await acmq.open({ tree: box.tree, clock, settings: acmq.defaults, writer: async () => writer })
    const mission = await missions.open('alpha')
    const pass = async () => {
      const { documents } = await (await mission.memory()).keep({ bus: true, snapshots: false, organizeFrom: 0 })
      return documents.map(({ outcome, summaryBy }) => `${outcome} ${summaryBy}`).sort()
    }
    expect(await pass()).toEqual(['made extractive', 'made model snail', 'made model snail'])
    expect(await pass()).toEqual(['renewed model snail'])
    expect(await pass()).toEqual([])
    expect(asked).toBe(3)
  })
})

describe('hydration', () => {
  /** Ten subjects, each with words of its own. */
  const subjects = ['orders', 'login', 'search', 'payment', 'export', 'avatar', 'invoice', 'cache', 'backup', 'mail']
  const seconds = (n: number) => new Date(Date.parse('2026-11-17T10:00:00Z') + n * 1000).toISOString()
  const file = (n: number) => {
    const subject = subjects[n % subjects.length]!
    const at = seconds(n)
    const name = `${at.replace(/\D/g, '').slice(0, 14)}-many${1000 + n}-from-claude-to-gemini.md`
    const text = `The ${subject} service of the ${subject} team: ${subject} case ${n} shows the ${subject} error again. `
    const header = `id: many${1000 + n}\nmission_id: alpha\ntimestamp: "${at}"\nfrom: claude\nto: gemini\nstatus: completed`
    return { name, text: `---\n${header}\ndependencies: []\nsummary: ${subject} case ${n}\n---\n${text.repeat(8)}\n` }
  }

  verifies('AC-13.2f', 'is not flooded by the documents of a mission of 1,000 messages', async () => {
    const completed = 'llm/missions/alpha/queue/completed'
    for (let n = 0; n < 1000; n++) {
      const { name, text } = file(n)
      await box.tree.create(treePath(`${completed}/${name}`), text)
    }
    const before = await (await box.mission.documents()).hydrate()
    const { documents } = await (await box.mission.memory()).bus()
    expect(new Set(documents.flatMap(({ messages }) => messages)).size).toBe(1000)
    await (await box.mission.memory()).bus({ query: 'invoice error' })
    await (await box.mission.memory()).snapshot()
    await (await box.mission.memory()).report({ mode: 'bottom-up', out: 'findings/log.md' })
    await (await box.mission.memory()).report({ mode: 'top-down', out: 'artifacts/state.md' })
    let written = 0
    for (const name of await names()) written += estimateTokens(await read(name))
    const after = await (await box.mission.documents()).hydrate()
    // Whatever was written, little of it comes back: header, the ends of the table, and the summary.
    expect(written).toBeGreaterThan(300_000)
    expect(after.tokens - before.tokens).toBeLessThan(22_000)
    expect(after.document).toContain('## Thematic Summary')
    expect(after.document).toContain('| 60 more messages |')
    expect(after.document).not.toContain('Full Message Log')
    expect(after.included.map(({ path }) => path)).not.toContain('llm/missions/alpha/findings/log.md')
    expect(after.leftOut.map(({ path }) => path).filter((path) => /log\.md|state\.md|snapshots/.test(path))).toEqual([])
  })
})

describe('two at once', () => {
  verifies('AC-13.2a', 'make each document once', async () => {
    await sendSlow(4)
    const made = await Promise.all([
      (await box.mission.memory()).bus(),
      (await box.mission.memory()).bus(),
      (await box.mission.memory()).bus(),
    ])
    expect(await names()).toHaveLength(1)
    expect(made.map(({ outcome }) => outcome).sort()).toEqual(['made', 'unchanged', 'unchanged'])
  })
})

it('[X-notes] what strangers put into findings/ stops nobody', async () => {
  await sendSlow(4)
  await write(`${findings}/bus-document-x-20261117150000.md`, 'not one of ours')
  await write(
    `${findings}/bus-document-y-20261117150000.md`,
    '# Message Bus: y\n\n**Check:** `00000000000000000000000000000000`\n',
  )
  await box.tree.makeFolder(treePath(`${findings}/bus-document-z-20261117150000.md`))
  expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'made' })
  expect(await read('bus-document-x-20261117150000.md')).toBe('not one of ours')
})
