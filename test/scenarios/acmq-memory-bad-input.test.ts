/** What a mission may hold that nobody expects: no crash, no nonsense cluster, a clear document or a clear error. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { type AcmqBox, boxOn, memoryBox, openBox } from '../support/acmq.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
let box: AcmqBox
beforeEach(async () => {
  box = await memoryBox({ clock })
})
const mission = 'llm/missions/alpha'
const at = (path: string) => treePath(`${mission}/${path}`)
const textAt = async (path: string) => Buffer.from((await box.tree.read(treePath(path)))!.bytes).toString()
const send = async (bodies: readonly string[], on: Mission = box.mission) => {
  for (const [n, body] of bodies.entries())
    await on.sending.send({ from: 'claude', to: 'gemini', id: `m${1_000_000 + n}`, body })
}

/** Everything that reads a mission as a whole. */
async function everything(on: Mission = box.mission) {
  const { documents } = await (await on.memory()).bus()
  const asked = await (await on.memory()).bus({ query: 'something else entirely' })
  const { hits } = await (await on.memory()).search('anything')
  const snapshots = await (await on.memory()).snapshot()
  await (await on.memory()).merge()
  const organized = await (await on.memory()).organize()
  const reports: string[] = []
  for (const mode of ['bottom-up', 'top-down', 'holistic'] as const)
    reports.push((await (await on.memory()).report({ mode })).document)
  return { documents, asked, hits, snapshots, organized, reports }
}

describe('a mission', () => {
  it('[AC-13.2a][AC-14.1][AC-15.1][AC-16.1] without anything in it', async () => {
    const all = await everything()
    expect(all).toMatchObject({
      documents: [],
      asked: { outcome: 'nothing', documents: [] },
      hits: [],
      organized: { outcome: 'unchanged', moves: [] },
    })
    expect(all.snapshots.map(({ messages }) => messages)).toEqual([0, 0, 0, 0])
    for (const report of all.reports) expect(report).toContain('No messages.')
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({ outcome: 'unchanged' })
  })

  it('[AC-13.2a] of one message', async () => {
    await send(['A lonely wish.'])
    const { documents, reports } = await everything()
    expect(documents).toEqual([])
    expect(await (await box.mission.memory()).bus({ query: 'lonely' })).toMatchObject({
      documents: [{ messages: ['m1000000'] }],
    })
    for (const report of reports) expect(report).toContain('There is one message; it waits.')
  })

  const code = [
    'const total = orders.reduce((sum, { price }) => sum + price, 0)',
    'SELECT name FROM customers WHERE city = 1',
    'def parse(line): return line.split(",")',
    '#include <stdio.h>\nint main(void) { return 0; }',
    'fn main() { println!("hi"); }',
    'for f in *.log; do gzip "$f"; done',
    '.button { color: red }',
    '{"version": 3, "files": []}',
  ]
  const kinds: Readonly<Record<string, (n: number) => string>> = {
    'only code': (n) => `\`\`\`\n${code[n]}\n\`\`\`\n`,
    'only numbers': (n) => `${n} ${n * 7} ${n * 13} 3.14159 2026\n`,
    'only signs': (n) => `${'!?… --- *** '.repeat(n + 1)}\n`,
    'nothing at all': () => '',
  }
  for (const [name, bodyOf] of Object.entries(kinds))
    it(`[AC-13.2a] that says ${name} has no theme, and can be reported on`, async () => {
      await send(Array.from({ length: 8 }, (_, n) => bodyOf(n)))
      const { documents, reports } = await everything()
      expect(documents).toEqual([])
      for (let n = 0; n < 8; n++) expect(reports[0]).toContain(`m${1_000_000 + n}-from-claude-to-gemini.md`)
    })

  it('[AC-13.2a][AC-13.2e] in other languages and scripts is grouped and found', async () => {
    await send([
      '订单查询太慢，订单表需要索引。',
      '订单表的索引让订单查询变快。',
      '慢的订单查询扫描整个订单表。',
      '订单查询在订单表上测量很慢。',
      'Der Hund schläft im Garten.',
      'Запрос к таблице заказов медленный.',
      'الاستعلام بطيء في جدول الطلبات',
      'คำสั่งซื้อช้าเกินไป',
    ])
    const { documents } = await everything()
    expect(documents.flatMap(({ messages }) => messages)).not.toContain('m1000004')
    for (const [query, id] of [
      ['订单表', 'm1000000'],
      ['Gärten Hund', 'm1000004'],
      ['таблице', 'm1000005'],
      ['الطلبات', 'm1000006'],
      ['คำสั่งซื้อ', 'm1000007'],
    ] as const) {
      const { hits } = await (await box.mission.memory()).search(query, { only: 'words' })
      expect([query, hits.map(({ message }) => message.id)]).toEqual([query, expect.arrayContaining([id])])
    }
    const made = await (await box.mission.memory()).bus({ query: '订单 查询' })
    expect(made.documents[0]!.path).toMatch(/\/bus-document-订单-查询-\d{14}\.md$/)
  })

  it('[AC-13.1b][AC-16.1] with bodies of a megabyte: each is there, whole in the report, and said to be cut elsewhere', async () => {
    const large = (n: number) =>
      `Slow orders query ${n} of the orders table.\n${`${n} line of a long log\n`.repeat(50_000)}THE END ${n}\n`
    await send([0, 1, 2, 3].map(large))
    const { documents, reports } = await everything()
    expect(documents).toMatchObject([
      { trigger: 'similarity', messages: ['m1000000', 'm1000001', 'm1000002', 'm1000003'] },
    ])
    const text = await textAt(documents[0]!.path)
    expect(text).toMatch(/\(These are its first 65536 of \d+ bytes; all of it is in context\/message-m1000000\.md\.\)/)
    for (let n = 0; n < 4; n++) expect(reports[0]).toContain(`THE END ${n}\n`)
    expect((await (await box.mission.documents()).hydrate()).document).not.toContain('THE END 0')
  })

  verifies(
    'AC-13.2a',
    'of 10,000 messages that say the same has no theme; a document prints the text once',
    async () => {
      const header = (n: number) =>
        `id: m${1_000_000 + n}\nmission_id: alpha\ntimestamp: "2026-11-17T15:00:00Z"\nfrom: a\nto: b\nstatus: pending\ndependencies: []\nsummary: Ping`
      for (let n = 0; n < 10_000; n++)
        await box.tree.create(
          at(`queue/pending/20261117150000-m${1_000_000 + n}-from-a-to-b.md`),
          `---\n${header(n)}\n---\nAre you there?\n`,
        )
      expect(await (await box.mission.memory()).bus()).toMatchObject({ outcome: 'unchanged', documents: [] })
      const { documents } = await (await box.mission.memory()).bus({ query: 'are you there, ping' })
      expect(documents[0]!.messages).toHaveLength(50)
      expect((await textAt(documents[0]!.path)).split('Are you there?\n')).toHaveLength(2)
      expect((await (await box.mission.memory()).search('ping', { limit: 3 })).hits).toHaveLength(3)
    },
  )
})

describe('a query', () => {
  for (const [name, query] of [
    ['of stop words', 'the of and is'],
    ['of 100,000 characters that mean nothing here', 'qzxv '.repeat(20_000)],
    ['in no language', '¿¡§¶•ªº¬'],
    ['of nothing', '   '],
  ] as const)
    verifies(['AC-13.2d', 'AC-13.2e'], `${name} finds nothing, and makes no document`, async () => {
      await send(['The orders table is slow.', 'The dog sleeps.'])
      expect((await (await box.mission.memory()).search(query)).hits).toEqual([])
      expect(await (await box.mission.memory()).bus({ query })).toMatchObject({ outcome: 'nothing', documents: [] })
      expect(await box.tree.list(at('findings'))).toEqual([])
    })

  verifies('AC-13.2d', 'of 100,000 characters that means something makes a document with a short name', async () => {
    await send(['The orders table is slow.', 'The dog sleeps.'])
    const { documents } = await (await box.mission.memory()).bus({ query: 'orders tables '.repeat(8000) })
    expect(documents).toMatchObject([{ messages: ['m1000000'] }])
    const [, name = ''] = /\/([^/]+)$/.exec(documents[0]!.path) ?? []
    expect(name.length).toBeLessThan(120)
    expect((await textAt(documents[0]!.path)).length).toBeLessThan(10_000)
    expect(await (await box.mission.memory()).bus({ query: 'orders tables '.repeat(8000) })).toMatchObject({
      outcome: 'unchanged',
    })
  })
})

describe('a milestone', () => {
  verifies('AC-13.2c', 'that is ticked by hand, unticked and ticked again keeps its one document', async () => {
    const tick = async (sign: string) => {
      const path = at('_meta/manifest.md')
      const before = await box.tree.read(path)
      const text = `# alpha\n\n## Milestones\n\n- [${sign}] Orders table is fast\n`
      if (before) await box.tree.replace(path, Buffer.from(text), before.revision)
      else await box.tree.create(path, text)
    }
    await send(['The orders table is fast now.'])
    await box.mission.claims.next({ agent: 'gemini' })
    await box.mission.settling.complete('m1000000', { agent: 'gemini' })
    await tick(' ')
    expect((await (await box.mission.memory()).bus()).documents).toEqual([])
    await tick('x')
    const made = await (await box.mission.memory()).bus()
    expect(made.documents).toMatchObject([{ outcome: 'made', trigger: 'milestone', messages: ['m1000000'] }])
    const text = await textAt(made.documents[0]!.path)
    await tick(' ')
    expect((await (await box.mission.memory()).bus()).documents).toEqual([])
    expect(await textAt(made.documents[0]!.path)).toBe(text)
    expect((await (await box.mission.memory()).report({ mode: 'top-down' })).document).toContain(
      '- [ ] Orders table is fast',
    )
    await tick('x')
    const { path } = made.documents[0]!
    expect((await (await box.mission.memory()).bus()).documents).toMatchObject([{ outcome: 'unchanged', path }])
    // It grows as more is done for it.
    await box.mission.sending.send({
      from: 'claude',
      to: 'gemini',
      id: 'm2000000',
      body: 'With this the orders table is fast.',
    })
    await box.mission.claims.next({ agent: 'gemini', id: 'm2000000' })
    await box.mission.settling.complete('m2000000', { agent: 'gemini' })
    expect((await (await box.mission.memory()).bus()).documents).toMatchObject([
      { outcome: 'renewed', path, messages: ['m1000000', 'm2000000'] },
    ])
  })
})

describe('a context file', () => {
  const related = {
    'plans.md': 'The database query plans of the orders table show a slow scan.\n',
    'indexing.md': 'An index on the orders table makes each slow database query fast.\n',
    'times.csv': 'database,query,table\norders,slow query of the orders table,9100\n',
  }

  verifies('AC-15.1b', 'that is a link, or is called README.md, stays where it is', async () => {
    const root = tempDir()
    const files = await openBox(root)
    const context = join(root, mission, 'context')
    mkdirSync(context, { recursive: true })
    for (const [name, text] of Object.entries(related)) writeFileSync(join(context, name), text)
    writeFileSync(join(context, 'README.md'), 'What this folder is for: the slow database query of the orders table.\n')
    writeFileSync(join(root, 'secret.md'), 'The slow database query of the orders table, outside.\n')
    symlinkSync('../../../../secret.md', join(context, 'link.md'))
    const { moves, stay } = await (await files.mission.memory()).organize()
    expect(moves.map(({ from }) => from).sort()).toEqual(
      Object.keys(related)
        .map((name) => `context/${name}`)
        .sort(),
    )
    expect(stay).toEqual([{ path: 'context/link.md', reason: 'it is a link, pipe or device' }])
    expect((await (await files.mission.memory()).undoOrganize()).outcome).toBe('undone')
    await files.close()
  })

  verifies('AC-15.1b', 'that vanishes meanwhile is left out, and the others move', async () => {
    const inner = box.tree
    for (const [name, text] of Object.entries(related)) await inner.create(at(`context/${name}`), text)
    /** Somebody deletes it after it was read. */
    const tree = new Proxy(inner, {
      get(target, key) {
        if (key === 'move')
          return async (...given: Parameters<Tree['move']>) => {
            if (given[0].endsWith('/plans.md')) await target.remove(given[0])
            return target.move(...given)
          }
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { mission: racing } = await boxOn(tree, { clock })
    const { moves } = await (await racing.memory()).organize()
    const cluster = moves[0]!.cluster
    expect((await inner.list(at(`context/${cluster}`))).map(({ name }) => name).sort()).toEqual([
      ...['README.md', 'indexing.md', 'times.csv'],
    ])
    expect(await textAt(`${mission}/context/${cluster}/README.md`)).not.toContain('plans.md')
    expect(await (await racing.memory()).undoOrganize()).toMatchObject({ outcome: 'undone' })
    expect(
      (await inner.list(at('context')))
        .filter(({ kind }) => kind === 'leaf')
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...['indexing.md', 'times.csv']])
  })
})
