/** A context that organizes itself: what moves, what stays, and that everything is still found and can be put back. */
import { beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { PlannedMove } from '../../src/protocols/ac-mq/store/memory/organize.ts'
import { type AcmqBox, memoryBox } from '../support/acmq.ts'
import { verifies } from '../support/verifies.ts'

let box: AcmqBox
beforeEach(async () => {
  box = await memoryBox({ clock: heldClock(Date.parse('2026-11-17T15:00:00Z')) })
})
const mission = 'llm/missions/alpha'
const at = (path: string) => treePath(`${mission}/${path}`)
const write = async (path: string, text: string | Uint8Array) => {
  const before = await box.tree.read(at(path))
  if (before) await box.tree.replace(at(path), Buffer.from(text), before.revision)
  else await box.tree.create(at(path), text)
}
const read = async (path: string) => {
  const leaf = await box.tree.read(at(path))
  return leaf && Buffer.from(leaf.bytes).toString()
}
/** Every file of context/, with its bytes. */
async function picture(folder = 'context'): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, kind } of await box.tree.list(at(folder))) {
    if (kind === 'folder') Object.assign(found, await picture(`${folder}/${name}`))
    else found[`${folder}/${name}`] = (await read(`${folder}/${name}`))!
  }
  return found
}
const database = {
  'analysis-of-query-plans.md':
    '# Query plans\n\nThe database query plans of the orders table show a slow sequential scan.\n',
  'indexing-strategy.md':
    'An index on the orders table makes each slow database query fast. See benchmark-results.csv.\n',
  'benchmark-results.csv':
    'database,query,table,ms\norders,slow query without index,orders,9100\norders,query with index,orders,40\n',
}
const others = {
  'brand-colours.md': 'The logo is dark blue on white paper.\n',
  'holidays.txt': 'Nobody works between Christmas and New Year.\n',
}
const fill = async () => {
  for (const [name, text] of Object.entries({ ...database, ...others })) await write(`context/${name}`, text)
}

describe('organize', () => {
  verifies('AC-15.1', 'brings related files into a folder with a telling name and a README', async () => {
    await fill()
    const planned = await (await box.mission.memory()).organize({ dryRun: true })
    expect(planned.outcome).toBe('planned')
    expect(Object.keys(await picture())).toHaveLength(5)
    const { outcome, moves } = await (await box.mission.memory()).organize()
    expect(outcome).toBe('organized')
    expect(moves).toEqual(planned.moves)
    const [cluster] = new Set(moves.map((move) => move.cluster))
    expect(cluster).toMatch(/^[a-z]+(-[a-z]+){0,2}$/)
    expect(moves.map(({ to }) => to)).toEqual(
      Object.keys(database)
        .sort()
        .map((name) => `context/${cluster}/${name}`),
    )
    const readme = (await read(`context/${cluster}/README.md`))!
    for (const name of Object.keys(database)) expect(readme).toContain(`](<${name}>)`)
    expect(readme).toContain('`indexing-strategy.md` names `benchmark-results.csv`.')
    const shared = [...readme!.matchAll(/ speak of (.*)\.$/gm)].flatMap(([, words]) => words!.split(/, | and /))
    expect(shared).toEqual([...new Set(shared)])
    expect(shared).toContain('orders')
    expect(await read('context/holidays.txt')).toBe(others['holidays.txt'])
    expect(await (await box.mission.memory()).organize()).toMatchObject({ outcome: 'unchanged', moves: [] })
  })

  verifies('AC-15.1', 'a file that comes later joins the folder it belongs to', async () => {
    await fill()
    const [move] = (await (await box.mission.memory()).organize()).moves
    await write('context/later.md', 'Another slow database query on the orders table, without an index.\n')
    expect((await (await box.mission.memory()).organize()).moves).toMatchObject([
      { from: 'context/later.md', cluster: move!.cluster },
    ])
    expect(await read(`context/${move!.cluster}/README.md`)).toContain('](<later.md>)')
  })

  verifies('AC-15.1b', 'what somebody needs where it is stays, and folders made by hand are not touched', async () => {
    await fill()
    await write('context/pinned.md', 'A slow database query of the orders table, pinned.\n')
    await write('context/literal.md', 'A slow database query of the orders table, named by the manifest.\n')
    await write('context/mine/own.md', 'A slow database query of the orders table, put here by hand.\n')
    await write('context/picture.bin', new Uint8Array([0, 1, 2]))
    await write('_meta/manifest.md', '# alpha\n\n## Context\n\n- `context/literal.md`\n- `context/*.md`\n')
    await (await box.mission.memory()).pin(['context/pinned.md'])
    await box.mission.sending.send({
      from: 'a',
      to: 'b',
      id: 'needs000',
      body: 'x',
      dependencies: ['path:context/indexing-strategy.md'],
    })
    const { stay } = await (await box.mission.memory()).organize()
    expect(Object.fromEntries(stay.map(({ path, reason }) => [path, reason]))).toEqual({
      'context/pinned.md': 'it is pinned',
      'context/literal.md': 'the manifest names it',
      'context/indexing-strategy.md': 'message needs000 depends on it, and is not finished',
      'context/picture.bin': 'it is no text, or too large',
    })
    const files = Object.keys(await picture())
    for (const name of ['pinned.md', 'literal.md', 'indexing-strategy.md', 'mine/own.md', 'picture.bin'])
      expect(files).toContain(`context/${name}`)
    // When the message is finished, nobody looks for it there any more.
    await box.mission.claims.next({ agent: 'b', id: 'needs000' })
    await box.mission.settling.complete('needs000', { agent: 'b' })
    expect((await (await box.mission.memory()).organize()).moves.map(({ from }) => from)).toContain(
      'context/indexing-strategy.md',
    )
  })

  verifies(
    ['AC-15.1b', 'AC-13.2f'],
    'a report that is kept in context/ is not clustered, and not hydrated',
    async () => {
      await fill()
      await box.mission.sending.send({
        from: 'a',
        to: 'b',
        id: 'orders00',
        body: 'The slow database query of the orders table',
      })
      await (await box.mission.memory()).report({ mode: 'holistic', out: 'context/story.md' })
      const { moves, stay } = await (await box.mission.memory()).organize()
      expect(moves.map(({ from }) => from)).toEqual(
        Object.keys(database)
          .sort()
          .map((name) => `context/${name}`),
      )
      expect(stay).toEqual([{ path: 'context/story.md', reason: 'it is a report' }])
      await write('_meta/manifest.md', '# alpha\n\n## Context\n\n- `context/**`\n')
      const included = (await (await box.mission.documents()).hydrate()).included.map(({ path }) => path)
      expect(included).not.toContain(`${mission}/context/story.md`)
      expect(included).toContain(`${mission}/context/${moves[0]!.cluster}/README.md`)
    },
  )

  verifies(
    'AC-15.2',
    'dependencies, patterns, links and hydration still find what moved, after a rename by hand too',
    async () => {
      await fill()
      await write('_meta/manifest.md', '# alpha\n\n## Context\n\n- `context/*.md`\n')
      const before = (await (await box.mission.documents()).hydrate()).included.map(({ path }) =>
        path.split('/').at(-1),
      )
      const { moves } = await (await box.mission.memory()).organize()
      const after = (await (await box.mission.documents()).hydrate()).included.map(({ path }) => path.split('/').at(-1))
      expect(after.sort()).toEqual(before.sort())
      expect((await box.mission.settling.checkLinks(['context/indexing-strategy.md'])).notices).toEqual([])
      await box.mission.sending.send({
        from: 'a',
        to: 'b',
        id: 'after000',
        body: 'x',
        dependencies: ['path:context/indexing-strategy.md'],
      })
      expect(await box.mission.claims.next({ agent: 'b' })).toMatchObject({ outcome: 'claimed' })
      const hydrated = await (await box.mission.documents()).hydrate({ id: 'after000' })
      expect(hydrated.included.map(({ path }) => path)).toContain(
        `${mission}/${moves.find(({ from }) => from.includes('indexing'))!.to}`,
      )
      // A person gives the folder another name.
      for (const { to } of moves) await box.tree.move(at(to), at(`context/renamed/${to.split('/').at(-1)}`))
      expect((await box.mission.settling.checkLinks(['context/indexing-strategy.md'])).notices).toEqual([])
      const renamed = (await (await box.mission.documents()).hydrate()).included.map(({ path }) => path)
      expect(renamed).toContain(`${mission}/context/renamed/indexing-strategy.md`)
    },
  )

  verifies(['AC-15.2', 'AC-15.2b'], 'undo restores every name and byte, and the next time makes the same', async () => {
    await fill()
    const before = await picture()
    const { moves } = await (await box.mission.memory()).organize()
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({ outcome: 'undone' })
    expect(await picture()).toEqual(before)
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({ outcome: 'unchanged' })
    expect((await (await box.mission.memory()).organize()).moves).toEqual(moves)
  })

  verifies('AC-15.2b', 'undo brings an edited file back with its edit, and says what stays and why', async () => {
    await fill()
    const { moves } = await (await box.mission.memory()).organize()
    const [edited, taken, other] = moves as [PlannedMove, PlannedMove, PlannedMove]
    await write(edited.to, 'changed')
    await write(taken.from, 'a new one')
    const readme = `context/${edited.cluster}/README.md`
    await write(readme, 'mine')
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({
      outcome: 'undone',
      moves: [edited, other].map(({ from, to }) => ({ from: to, to: from })),
      stay: [
        { path: taken.to, reason: `${taken.from} is there again` },
        { path: readme, reason: 'somebody changed it' },
      ],
    })
    expect(await read(edited.from)).toBe('changed')
    expect([await read(taken.from), await read(readme)]).toEqual(['a new one', 'mine'])
    // What stayed is tried again, and is a conflict as long as nothing can go back.
    await expect((await box.mission.memory()).undoOrganize()).rejects.toMatchObject({ code: 'CHANGED_SINCE' })
    await box.tree.remove(at(taken.from))
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({
      outcome: 'undone',
      moves: [{ to: taken.from }],
    })
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({ outcome: 'unchanged', moves: [] })
  })

  verifies('AC-15.2b', 'undo leaves what somebody took elsewhere where it is, and forgets what is gone', async () => {
    await fill()
    const { moves } = await (await box.mission.memory()).organize()
    const [elsewhere, gone, other] = moves as [PlannedMove, PlannedMove, PlannedMove]
    const text = await read(elsewhere.to)
    await write('context/kept/mine.md', text!)
    for (const { to } of [elsewhere, gone]) await box.tree.remove(at(to))
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({
      moves: [{ to: other.from }],
      stay: [
        { path: elsewhere.to, reason: 'somebody moved it to context/kept/mine.md' },
        { path: gone.to, reason: 'it is gone' },
      ],
    })
    // By the name it had it is still found.
    await box.mission.sending.send({
      from: 'claude',
      to: 'gemini',
      body: 'Go on',
      dependencies: [`path:${elsewhere.from}`],
    })
    expect((await (await box.mission.overview()).blocked()).map(({ reason }) => reason)).toEqual([])
  })

  verifies(['AC-15.2b', 'X-journal'], 'what an earlier version was killed in is finished, both ways', async () => {
    await fill()
    const before = await picture()
    const { moves } = await (await box.mission.memory()).organize()
    const organized = await picture()
    const ledger = treePath('.signalbox/state/aliases/alpha.json')
    const interrupt = async (state: string) => {
      const { bytes, revision } = (await box.tree.read(ledger))!
      const text = Buffer.from(bytes).toString().replace('"state": "done"', `"state": "${state}"`)
      await box.tree.replace(ledger, Buffer.from(text), revision)
      const told = async (repair: boolean) =>
        (await (await box.mission.inspection()).run({ repair })).map(({ code, repaired }) => [code, repaired])
      expect(await told(false)).toEqual([['UNFINISHED_CHANGE', false]])
      expect(await told(true)).toEqual([['UNFINISHED_CHANGE', true]])
      expect(await told(true)).toEqual([])
    }
    await box.tree.move(at(moves[0]!.to), at(moves[0]!.from))
    await interrupt('moving')
    expect(await picture()).toEqual(organized)
    await box.tree.move(at(moves[0]!.to), at(moves[0]!.from))
    await interrupt('undoing')
    expect(await picture()).toEqual(before)
    expect(await (await box.mission.memory()).undoOrganize()).toMatchObject({ outcome: 'unchanged' })
  })

  it('[AC-15.2b][X-notes] a journal that a stranger wrote leads nowhere', async () => {
    await fill()
    for (const text of [
      '',
      '{"runs":7}',
      '{"runs":[{"at":1,"state":"moving","clusters":["../.."],"moves":[{"from":"context/../../x","to":"../../../etc","digest":"a"},{"from":"_meta/manifest.md","to":"context/a","digest":""}]}]}',
    ]) {
      const path = treePath('.signalbox/state/aliases/alpha.json')
      const found = await box.tree.read(path)
      if (found) await box.tree.replace(path, Buffer.from(text), found.revision)
      else await box.tree.create(path, text)
      expect((await (await box.mission.memory()).organize({ dryRun: true })).moves).toHaveLength(3)
      await (await box.mission.documents()).hydrate()
    }
    expect((await (await box.mission.memory()).organize()).outcome).toBe('organized')
    expect(await read('_meta/manifest.md')).toContain('alpha')
  })

  it('[AC-15.1b] by itself only above the configured number', async () => {
    await fill()
    const keep = async (organizeFrom: number) =>
      (await box.mission.memory()).keep({ bus: false, snapshots: false, organizeFrom })
    expect((await keep(6)).moves).toEqual([])
    expect((await keep(0)).moves).toEqual([])
    expect((await keep(5)).moves).toHaveLength(3)
  })

  it('[AC-15.1b] refuses to pin what is not there or lies elsewhere', async () => {
    await expect((await box.mission.memory()).pin(['context/none.md'])).rejects.toMatchObject({ code: 'NO_SUCH_FILE' })
    await expect((await box.mission.memory()).pin(['../../x'])).rejects.toMatchObject({ code: 'NOT_IN_CONTEXT' })
  })
})
