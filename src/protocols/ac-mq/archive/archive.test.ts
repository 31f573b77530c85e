import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withTempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { denied } from '../../../kernel/errors.ts'
import { childOf, treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import {
  type ArchiveProblem,
  archiveMessages,
  findArchived,
  listArchived,
  mendIndexes,
  readArchived,
  type ToArchive,
} from './archive.ts'
import { inspectArchive } from './inspect.ts'
import { endMark, printMember } from './member.ts'

const archive = treePath('m/archive')
const queues = { completed: treePath('m/queue/completed'), failed: treePath('m/queue/failed') }
const november = Date.UTC(2026, 10, 3, 14, 15)
const day = 24 * 60 * 60 * 1000
const owner = 'tester'

const idOf = (i: number) => `${String(i).padStart(8, '0')}-e5f6-4a7b-8c9d-0e1f2a3b4c5d`
const textOf = (i: number, body = `Body ${i}\n`) =>
  `---\nid: ${idOf(i)}\nmission_id: m\ntimestamp: 2026-11-01T00:00:00Z\nfrom: ada\nto: bob\nstatus: completed\nsummary: Task ${i}\n---\n${body}`

function toArchive(
  i: number,
  { status = 'completed' as 'completed' | 'failed', finishedAt = november } = {},
): ToArchive {
  const name = `20261101000000-${idOf(i).slice(0, 8)}-from-ada-to-bob.md`
  const common = { from: 'ada', to: 'bob', summary: `Task ${i}`, timestamp: '2026-11-01T00:00:00Z' }
  return { path: childOf(queues[status], name), id: idOf(i), name, status, finishedAt, ...common }
}

async function put(tree: Tree, messages: readonly ToArchive[], body?: string): Promise<void> {
  for (const { path, id } of messages) await tree.create(path, Buffer.from(textOf(Number(id.slice(0, 8)), body)))
}

const many = (count: number, parts?: Parameters<typeof toArchive>[1]) =>
  Array.from({ length: count }, (_, i) => toArchive(i, parts))
const asText = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
const namesIn = async (tree: Tree, folder: string) => (await tree.list(treePath(folder))).map(({ name }) => name)
const shape = (names: readonly string[]) => names.map((name) => name.replace(/[0-9a-f]{8}\./, 'X.'))

describe('archiving', () => {
  it.each([
    ['the archive', 'm/archive'],
    ['a month', 'm/archive/2026-11'],
    ['the place in a month', 'm/archive/2026-11/completed'],
  ])('[X-odd] stages nothing at all while a file or link stands where %s should be', async (_what, path) => {
    await withTempDir(async (root) => {
      const tree = await openFileTree({ root })
      const messages = [toArchive(1, { finishedAt: Date.UTC(2026, 9, 31) }), toArchive(2)]
      await put(tree, messages)
      mkdirSync(join(root, path, '..'), { recursive: true })
      for (const plant of [() => writeFileSync(join(root, path), 'x'), () => symlinkSync('/tmp', join(root, path))]) {
        plant()
        await expect(archiveMessages(tree, archive, messages, { owner })).rejects.toMatchObject({
          code: expect.stringMatching(/^(NOT_A_FOLDER|LINK_REFUSED)$/),
          hint: expect.any(String),
        })
        expect(await namesIn(tree, queues.completed)).toHaveLength(2)
        unlinkSync(join(root, path))
      }
      expect(await archiveMessages(tree, archive, messages, { owner })).toMatchObject({ archived: 2 })
      await tree.close()
    })
  })

  it('packs by month of completion and by status, and empties the queue', async () => {
    const tree = openMemoryTree()
    const messages = [
      toArchive(1),
      toArchive(2, { finishedAt: november + day }),
      toArchive(3, { status: 'failed' }),
      toArchive(4, { finishedAt: Date.UTC(2026, 9, 31, 23, 59, 59) }),
    ]
    await put(tree, messages)
    const progress: [number, number][] = []
    const onProgress = (done: number, total: number) => void progress.push([done, total])
    expect(await archiveMessages(tree, archive, messages, { owner, onProgress })).toEqual({
      archived: 4,
      alreadyThere: 0,
    })
    expect(shape(await namesIn(tree, 'm/archive/2026-11'))).toEqual([
      'completed',
      'completed-20261103141500-X.index.jsonl',
      'completed-20261103141500-X.md.gz',
      'failed',
      'failed-20261103141500-X.index.jsonl',
      'failed-20261103141500-X.md.gz',
    ])
    expect(shape(await namesIn(tree, 'm/archive/2026-10'))).toEqual([
      'completed',
      'completed-20261031235959-X.index.jsonl',
      'completed-20261031235959-X.md.gz',
    ])
    for (const folder of [...Object.values(queues), 'm/archive/2026-11/completed', 'm/archive/2026-11/failed']) {
      expect(await namesIn(tree, folder)).toEqual([])
    }
    expect(progress.at(-1)).toEqual([4, 4])
    expect(await tree.leases()).toEqual([])
    const listed = await listArchived(tree, archive)
    expect(listed.map(({ id, status }) => [Number(id.slice(0, 8)), status])).toEqual([
      [4, 'completed'],
      [1, 'completed'],
      [3, 'failed'],
      [2, 'completed'],
    ])
    for (const entry of listed)
      expect(asText(await readArchived(tree, entry))).toBe(textOf(Number(entry.id.slice(0, 8))))
  })

  it('gives back every byte, whatever the message is', async () => {
    const tree = openMemoryTree()
    const bodies = ['', 'no line end', '\r\n', 'x'.repeat(3_000_000), '\0\xff', 'ünïcödé\n', '\u001f\u008b\b\0\0\0\0\0']
    const messages = many(bodies.length)
    for (const [i, body] of bodies.entries()) await put(tree, [messages[i]!], body)
    const empty = { ...toArchive(99), path: childOf(queues.completed, 'empty.md'), name: 'empty.md', id: 'empty' }
    await tree.create(empty.path, new Uint8Array())
    await archiveMessages(tree, archive, [...messages, empty], { owner })
    for (const [i, body] of bodies.entries()) {
      const [entry] = await findArchived(tree, archive, idOf(i))
      expect(asText(await readArchived(tree, entry!)) === textOf(i, body)).toBe(true)
    }
    expect((await readArchived(tree, (await findArchived(tree, archive, 'empty'))[0]!)).length).toBe(0)
  })

  it('is printed by zcat, each message on its own lines', async () => {
    await withTempDir(async (root) => {
      const tree = await openFileTree({ root })
      const messages = many(3)
      await put(tree, messages, 'no line end')
      await archiveMessages(tree, archive, messages, { owner })
      await tree.close()
      const month = join(root, archive, '2026-11')
      const pack = readdirSync(month).find((name) => name.endsWith('.gz'))!
      const { stdout } = spawnSync('gzip', ['-dc', join(month, pack)], { encoding: 'utf8' })
      expect(stdout).toBe([0, 1, 2].map((i) => `${textOf(i, 'no line end')}\n`).join(''))
    })
  })

  it('begins a new pack after a thousand messages or a megabyte', async () => {
    const tree = openMemoryTree()
    const messages = many(2100)
    await put(tree, messages)
    expect(await archiveMessages(tree, archive, messages, { owner })).toEqual({ archived: 2100, alreadyThere: 0 })
    expect((await namesIn(tree, 'm/archive/2026-11')).filter((name) => name.endsWith('.gz')).length).toBe(3)
    expect((await listArchived(tree, archive)).length).toBe(2100)

    const large = openMemoryTree()
    const noise = () => Array.from({ length: 60_000 }, () => Math.random().toString(36)).join('')
    for (const message of many(4)) await put(large, [message], noise())
    await archiveMessages(large, archive, many(4), { owner })
    const packs = (await large.list(treePath('m/archive/2026-11'), { times: true })).filter(({ name }) =>
      name.endsWith('.gz'),
    )
    expect(packs.length).toBeGreaterThan(1)
    expect((await listArchived(large, archive)).length).toBe(4)
  })

  it('leaves alone what has moved on, and is fine with nothing to do', async () => {
    const tree = openMemoryTree()
    await put(tree, [toArchive(1)])
    expect(await archiveMessages(tree, archive, [toArchive(1), toArchive(2)], { owner })).toEqual({
      archived: 1,
      alreadyThere: 0,
    })
    expect(await archiveMessages(tree, archive, [toArchive(1), toArchive(2)], { owner })).toEqual({
      archived: 0,
      alreadyThere: 0,
    })
    expect(await archiveMessages(tree, archive, [], { owner })).toEqual({ archived: 0, alreadyThere: 0 })
    expect((await listArchived(tree, archive)).length).toBe(1)
  })

  it('removes a copy of what is packed already, but never another text under the same id', async () => {
    const tree = openMemoryTree()
    await put(tree, [toArchive(1)])
    await archiveMessages(tree, archive, [toArchive(1)], { owner })
    await put(tree, [toArchive(1)])
    expect(await archiveMessages(tree, archive, [toArchive(1)], { owner })).toEqual({ archived: 0, alreadyThere: 1 })
    expect((await listArchived(tree, archive)).length).toBe(1)
    await put(tree, [toArchive(1)], 'Another body\n')
    const later = toArchive(1, { finishedAt: november + day })
    expect(await archiveMessages(tree, archive, [later], { owner })).toEqual({ archived: 1, alreadyThere: 0 })
    const texts = await Promise.all(
      (await findArchived(tree, archive, idOf(1))).map((entry) => readArchived(tree, entry)),
    )
    expect(texts.map(asText)).toEqual([textOf(1), textOf(1, 'Another body\n')])
  })

  it('keeps two files of one name apart', async () => {
    const tree = openMemoryTree()
    const month = treePath('m/archive/2026-11/completed')
    await tree.create(childOf(month, 'task.md'), Buffer.from('of an earlier archiving that was cut off'))
    const loose = { ...toArchive(1), name: 'task.md', path: childOf(queues.completed, 'task.md') }
    await tree.create(loose.path, Buffer.from(textOf(1)))
    // The earlier one is packed first, so the name is free again; make it taken once more while messages move.
    const racing = new Proxy(tree, {
      get(target, key: keyof Tree) {
        if (key !== 'move')
          return typeof target[key] === 'function' ? (target[key] as () => void).bind(target) : target[key]
        return async (from: never, to: never) => {
          await target.create(childOf(month, 'task.md'), Buffer.from('moved here by hand'))
          return target.move(from, to)
        }
      },
    })
    expect(await archiveMessages(racing, archive, [loose], { owner })).toEqual({ archived: 3, alreadyThere: 0 })
    expect(await namesIn(tree, month)).toEqual([])
    expect((await listArchived(tree, archive)).map(({ name }) => name)).toEqual(['task.md', 'task.md', 'task.md'])
  })
})

describe('finding', () => {
  it('[X-memory] goes on when there are more indexes than are kept in memory', async () => {
    const tree = openMemoryTree()
    const messages = many(3000)
    await put(tree, messages)
    await archiveMessages(tree, archive, messages, { owner })
    for (let round = 0; round < 3; round++) {
      for (const i of [0, 999, 1000, 2999]) {
        const found = [idOf(i), idOf(i).slice(0, 8)].map((id) => findArchived(tree, archive, id))
        expect((await Promise.all(found)).map(([one]) => one?.id)).toEqual([idOf(i), idOf(i)])
      }
      expect(await findArchived(tree, archive, idOf(3000))).toEqual([])
      expect(await listArchived(tree, archive)).toHaveLength(3000)
    }
  })

  it('by whole or short id, in every month, reading indexes alone', async () => {
    const tree = openMemoryTree()
    const messages = [...many(5), toArchive(6, { finishedAt: november - 40 * day })]
    const twin = {
      ...toArchive(7),
      id: `${idOf(6).slice(0, 8)}-ffff`,
      name: 'twin.md',
      path: childOf(queues.completed, 'twin.md'),
    }
    await put(tree, messages)
    await tree.create(twin.path, Buffer.from(textOf(7)))
    await archiveMessages(tree, archive, [...messages, twin], { owner })
    const read: string[] = []
    const watched = new Proxy(tree, {
      get(target, key: keyof Tree) {
        if (key !== 'read')
          return typeof target[key] === 'function' ? (target[key] as () => void).bind(target) : target[key]
        return (path: never) => {
          read.push(path)
          return target.read(path)
        }
      },
    })
    const ids = async (id: string) => (await findArchived(watched, archive, id)).map((entry) => entry.id)
    expect(await ids(idOf(3))).toEqual([idOf(3)])
    expect(await ids(idOf(3).slice(0, 8))).toEqual([idOf(3)])
    expect((await ids(idOf(6).slice(0, 8))).sort()).toEqual([idOf(6), twin.id].sort())
    expect(await ids(twin.id)).toEqual([twin.id])
    for (const nobody of ['99999999', '0000000', '', 'Task 3', '"', '\\', '\n'])
      expect(await ids(nobody), nobody).toEqual([])
    expect(read.filter((path) => path.endsWith('.gz'))).toEqual([])
    // Indexes do not change: each was read once for all these questions.
    expect(read.length).toBe(2)
  })

  it('files that were moved there by hand, zipped or not', async () => {
    const tree = openMemoryTree()
    const put = (path: string, text: string | Uint8Array) =>
      tree.create(treePath(`m/archive/${path}`), Buffer.from(text))
    await put('20261101000000-00000001-from-ada-to-bob.md', textOf(1))
    await put('old/notes.md', textOf(2).replace('status: completed', 'status: failed'))
    await put('2026-11/broken.md', 'no header at all')
    await put('20261101000000-0000000a-from-ada-to-bob.md', 'no header either')
    const zipped = process.getBuiltinModule('node:zlib').gzipSync(textOf(3))
    await put('old/zipped.md.gz', zipped)
    await put('old/bad.md.gz', 'not gzip')
    await put('.hidden/x.md', textOf(4))
    await put('duplicates/20261116000000-x.md', textOf(5))
    await put('2026-11/readme.txt', 'not a message')
    const problems: ArchiveProblem[] = []
    const listed = await listArchived(tree, archive, { onProblem: (problem) => void problems.push(problem) })
    expect(listed.map(({ id, status, pack, offset, from }) => [id, status, pack, offset, from]).sort()).toEqual([
      [idOf(1), 'completed', 'm/archive/20261101000000-00000001-from-ada-to-bob.md', 0, 'ada'],
      [idOf(2), 'failed', 'm/archive/old/notes.md', 0, 'ada'],
      [idOf(3), 'completed', 'm/archive/old/zipped.md.gz', 0, 'ada'],
      ['0000000a', 'completed', 'm/archive/20261101000000-0000000a-from-ada-to-bob.md', 0, 'ada'],
      ['broken', 'completed', 'm/archive/2026-11/broken.md', 0, ''],
    ])
    expect(problems.map(({ path }) => path)).toEqual(['m/archive/old/bad.md.gz'])
    for (const i of [1, 3]) {
      const [entry] = await findArchived(tree, archive, idOf(i))
      expect(asText(await readArchived(tree, entry!))).toBe(textOf(i))
    }
    // Archiving does not touch them.
    await archiveMessages(tree, archive, [], { owner })
    expect((await listArchived(tree, archive)).length).toBe(5)
  })

  it('a message that is packed between being found and being read', async () => {
    const tree = openMemoryTree()
    await tree.create(treePath('m/archive/2026-11/completed/x.md'), Buffer.from(textOf(1)))
    const [entry] = await findArchived(tree, archive, idOf(1))
    expect(entry).toMatchObject({ pack: 'm/archive/2026-11/completed/x.md', status: 'completed' })
    await archiveMessages(tree, archive, [], { owner })
    expect(asText(await readArchived(tree, entry!))).toBe(textOf(1))
  })
})

describe('damage', () => {
  async function packed() {
    const tree = openMemoryTree()
    await put(tree, many(3))
    await archiveMessages(tree, archive, many(3), { owner })
    const names = await namesIn(tree, 'm/archive/2026-11')
    const find = (ending: string) => treePath(`m/archive/2026-11/${names.find((name) => name.endsWith(ending))}`)
    return { tree, pack: find('.gz'), index: find('.jsonl') }
  }
  async function rewrite(tree: Tree, path: ReturnType<typeof treePath>, change: (bytes: Buffer) => Uint8Array) {
    const leaf = await tree.read(path)
    await tree.replace(path, change(Buffer.from(leaf!.bytes)), leaf!.revision)
  }

  it('of a message is told with its place, and spares the others', async () => {
    const { tree, pack } = await packed()
    const [first, second, third] = await listArchived(tree, archive)
    await rewrite(tree, pack, (bytes) => {
      bytes[second!.offset + second!.length - 30]! ^= 0xff
      return bytes
    })
    await expect(readArchived(tree, second!)).rejects.toMatchObject({
      code: 'BAD_ARCHIVE',
      details: { id: second!.id, pack, offset: second!.offset },
    })
    for (const entry of [first!, third!]) expect(asText(await readArchived(tree, entry))).toContain(entry.id)
    await rewrite(tree, pack, (bytes) => bytes.subarray(0, third!.offset + 10))
    await expect(readArchived(tree, third!)).rejects.toMatchObject({ code: 'BAD_ARCHIVE' })
    await tree.remove(pack)
    await expect(readArchived(tree, first!)).rejects.toMatchObject({ code: 'ARCHIVE_GONE' })
  })

  it('a member that unfolds to more than it says is not unfolded', async () => {
    const { tree, pack } = await packed()
    const [first] = await listArchived(tree, archive)
    const bomb = process.getBuiltinModule('node:zlib').gzipSync(Buffer.alloc(50_000_000))
    await rewrite(tree, pack, () => bomb)
    await expect(readArchived(tree, { ...first!, offset: 0, length: bomb.length })).rejects.toMatchObject({
      code: 'BAD_ARCHIVE',
    })
  })

  const spoilt = (bytes: Buffer) => {
    const lines = bytes.toString('utf8').split('\n')
    return Buffer.from([lines[0], '{"id": 1}', '[]', lines[1]!.slice(0, 40), lines[2], '{"id":"cut'].join('\n'))
  }
  const read = async (tree: Tree, path: ReturnType<typeof treePath>) => asText((await tree.read(path))!.bytes)

  it('of a line in the index is told and skipped where the pack is gone too', async () => {
    const { tree, pack, index } = await packed()
    await rewrite(tree, index, spoilt)
    await tree.remove(pack)
    const problems: ArchiveProblem[] = []
    const listed = await listArchived(tree, archive, { onProblem: (problem) => void problems.push(problem) })
    expect(listed.map(({ id }) => id)).toEqual([idOf(0), idOf(2)])
    expect(problems.map(({ path, line }) => [path, line])).toEqual([2, 3, 4, 6].map((line) => [index, line]))
    expect((await findArchived(tree, archive, idOf(2))).length).toBe(1)
    expect(await findArchived(tree, archive, idOf(1))).toEqual([])
  })

  const indexDamage: [what: string, change: ((bytes: Buffer) => Uint8Array) | 'removed'][] = [
    ['lost', 'removed'],
    ['empty', () => new Uint8Array()],
    ['cut off in a line', (bytes) => bytes.subarray(0, -30)],
    ['cut off between lines', (bytes) => bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1)],
    ['garbage', (bytes) => Buffer.alloc(bytes.length + 1, 7)],
    ['with lines that say nothing', spoilt],
  ]
  const lookers: [who: string, look: (tree: Tree) => Promise<unknown>][] = [
    ['listed', (tree) => listArchived(tree, archive)],
    ['searched', (tree) => findArchived(tree, archive, idOf(1))],
    ['archived into', (tree) => archiveMessages(tree, archive, [], { owner })],
    ['mended', (tree) => mendIndexes(tree, archive)],
  ]
  for (const [what, change] of indexDamage) {
    it.each(lookers)(
      `[X-index] an index that is ${what} is made again, byte for byte, when it is %s`,
      async (who, look) => {
        const { tree, index } = await packed()
        const [before, listed] = [await read(tree, index), await listArchived(tree, archive)]
        if (change === 'removed') await tree.remove(index)
        else await rewrite(tree, index, change)
        // What looks for lost ones only leaves the others to those who read them.
        if (change !== 'removed' && (who === 'archived into' || who === 'mended')) await listArchived(tree, archive)
        // A line that is damaged and not the one wanted shows when all are read.
        else if (change === spoilt && who === 'searched') await listArchived(tree, archive)
        await look(tree)
        expect(await read(tree, index)).toBe(before)
        expect(await listArchived(tree, archive)).toEqual(listed)
        expect((await findArchived(tree, archive, idOf(1))).map(({ id }) => id)).toEqual([idOf(1)])
      },
    )
  }

  it('[X-index] what the message does not say itself is in the pack: its name, when it was finished, what its view said', async () => {
    const tree = openMemoryTree()
    const odd = {
      ...toArchive(1),
      name: 'Ünï cödé.md',
      id: 'another-id',
      summary: 'x'.repeat(500),
      finishedAt: november + 0.25,
    }
    const loud = { ...toArchive(2), summary: '\u0000ö'.repeat(40_000) }
    await put(tree, [odd, loud])
    await archiveMessages(tree, archive, [odd, loud], { owner })
    const before = await listArchived(tree, archive)
    expect(before[1]).toMatchObject({ name: odd.name, id: odd.id, summary: odd.summary, finishedAt: odd.finishedAt })
    for (const name of await namesIn(tree, 'm/archive/2026-11')) {
      if (name.endsWith('.jsonl')) await tree.remove(treePath(`m/archive/2026-11/${name}`))
    }
    expect(await listArchived(tree, archive)).toEqual([{ ...before[0], summary: 'Task 2' }, before[1]])
  })

  it('[X-index] whoever may not write still finds everything', async () => {
    const { tree, index } = await packed()
    await tree.remove(index)
    const reading = new Proxy(tree, {
      get(target, key: keyof Tree) {
        if (key !== 'create')
          return typeof target[key] === 'function' ? (target[key] as () => void).bind(target) : target[key]
        return async () => {
          throw denied('READ_ONLY', 'It may only be read.')
        }
      },
    })
    expect((await listArchived(reading, archive)).length).toBe(3)
    expect((await findArchived(reading, archive, idOf(2))).length).toBe(1)
    expect(await tree.look(index)).toBeUndefined()
  })

  it('[X-index] a copy that lies loose beside the pack is removed though the index was lost', async () => {
    const { tree, index } = await packed()
    await tree.remove(index)
    await tree.create(treePath('m/archive/2026-11/completed/x.md'), Buffer.from(textOf(1)))
    expect(await archiveMessages(tree, archive, [], { owner })).toEqual({ archived: 0, alreadyThere: 1 })
    expect((await listArchived(tree, archive)).length).toBe(3)
  })

  it('a pack that is cut off: what can be read of it is found, no index hides the damage, and a restored one is whole', async () => {
    const { tree, pack, index } = await packed()
    const whole = await listArchived(tree, archive)
    const bytes = (await tree.read(pack))!.bytes
    const places = [
      bytes.length - 1,
      whole[2]!.offset + whole[2]!.length,
      whole[2]!.offset + 10,
      whole[2]!.offset,
      12,
      0,
    ]
    for (const [i, length] of places.entries()) {
      await tree.remove(index)
      await rewrite(tree, pack, () => bytes.slice(0, length))
      const left = whole.slice(0, [3, 3, 2, 2, 0, 0][i])
      expect(await listArchived(tree, archive), `${length} bytes`).toEqual(left)
      for (const entry of left) expect(asText(await readArchived(tree, entry))).toContain(entry.id)
      expect(await tree.look(index)).toBeUndefined()
      expect(await inspectArchive(tree, archive)).toMatchObject([
        { code: 'ARCHIVE_PACK_DAMAGED', severity: 'error', path: pack, message: expect.stringContaining('cut off') },
      ])
      await rewrite(tree, pack, () => bytes)
      expect(await listArchived(tree, archive)).toEqual(whole)
      expect(await inspectArchive(tree, archive)).toEqual([])
    }
  })

  it('in the middle of a pack whose index is lost spares what comes before and after', async () => {
    const { tree, pack, index } = await packed()
    const whole = await listArchived(tree, archive)
    const second = whole[1]!
    // The header, its length, its field, what is compressed, its checksum.
    for (const at of [0, 3, 11, 17, 40, second.length - 30, second.length - 6, second.length - 1]) {
      await tree.remove(index)
      const before = (await tree.read(pack))!.bytes.slice()
      await rewrite(tree, pack, (bytes) => {
        bytes[second.offset + at]! ^= 0x55
        return bytes
      })
      const offsets = (await listArchived(tree, archive)).map(({ offset }) => offset)
      expect(offsets, `byte ${at}`).toEqual(expect.arrayContaining([whole[0]!.offset, whole[2]!.offset]))
      await rewrite(tree, pack, () => before)
    }
  })

  it('a message is found where it is, though the index says another place', async () => {
    const { tree, index } = await packed()
    await rewrite(tree, index, (bytes) => Buffer.from(bytes.toString('utf8').replace('"offset":0', '"offset":3')))
    const [first] = await findArchived(tree, archive, idOf(0))
    expect(asText(await readArchived(tree, first!))).toBe(textOf(0))
  })

  it('is an error for doctor, with what is lost and what is not', async () => {
    const { tree, pack, index } = await packed()
    const [, , third] = await listArchived(tree, archive)
    expect(await inspectArchive(tree, archive)).toEqual([])
    const bytes = (await tree.read(pack))!.bytes.slice()
    await rewrite(tree, pack, () => bytes.subarray(0, third!.offset + 5))
    expect(await inspectArchive(tree, archive)).toEqual([
      {
        code: 'ARCHIVE_PACK_DAMAGED',
        severity: 'error',
        path: pack,
        message: `The pack is damaged from byte ${third!.offset} on (it is cut off). 2 messages in it can still be read and found; "${idOf(2)}" cannot.`,
        hint: `Restore ${pack} from a copy.`,
        repaired: false,
      },
    ])
    await tree.remove(pack)
    expect(await inspectArchive(tree, archive)).toEqual([
      {
        code: 'ARCHIVE_PACK_MISSING',
        severity: 'error',
        path: pack,
        message: `The pack is missing; by its index it holds "${idOf(0)}", "${idOf(1)}", "${idOf(2)}".`,
        hint: `Restore ${pack} from a copy. If there is none, delete ${index}: these messages are lost.`,
        repaired: false,
      },
    ])
    // Its messages are known all the same, and what depends on them stays fulfilled.
    expect((await listArchived(tree, archive)).length).toBe(3)
  })

  it('[X-memory] what unfolds to more than a message may be is not unfolded: packs, lies and loose files', async () => {
    const { gzipSync } = process.getBuiltinModule('node:zlib')
    const huge = gzipSync(Buffer.alloc(300_000_000), { level: 1 })
    const lying = Buffer.from(huge)
    lying.writeUInt32LE(1000, lying.length - 4)
    const { tree, pack, index } = await packed()
    await tree.remove(index)
    const [first] = [printMember(toArchive(9), Buffer.from(textOf(9)))]
    // A member as we make it, around something else.
    const around = (member: Buffer) => {
      const head = Buffer.from(first!.subarray(0, first!.length - gzipSync(textOf(9)).length + 10))
      head.writeUInt32LE(member.length - 10, 16)
      return Buffer.concat([head, member.subarray(10)])
    }
    const good = printMember(toArchive(8), Buffer.from(textOf(8)))
    await rewrite(tree, pack, () => Buffer.concat([around(huge), around(lying), good, endMark]))
    for (const i of [1, 2, 3]) await tree.create(treePath(`m/archive/old/${i}.md.gz`), i === 3 ? lying : huge)
    const before = process.memoryUsage().rss
    const problems: ArchiveProblem[] = []
    const listed = await listArchived(tree, archive, { onProblem: (problem) => void problems.push(problem) })
    expect(listed.map(({ id }) => id)).toEqual([idOf(8)])
    expect(problems.map(({ path }) => path)).toEqual([1, 2, 3].map((i) => `m/archive/old/${i}.md.gz`))
    expect((await inspectArchive(tree, archive)).map(({ code }) => code)).toEqual([
      'ARCHIVE_PACK_DAMAGED',
      ...Array(3).fill('ARCHIVE_UNREADABLE'),
    ])
    const loose = { ...listed[0]!, pack: treePath('m/archive/old/1.md.gz') }
    await expect(readArchived(tree, loose)).rejects.toMatchObject({ code: 'BAD_ARCHIVE' })
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  it('a message that is larger than messages may be is left where it lies, and the others are packed', async () => {
    const tree = openMemoryTree()
    const place = 'm/archive/2026-11/completed'
    await tree.create(treePath(`${place}/a.md`), Buffer.from(textOf(1, 'x'.repeat(5000))))
    await tree.create(treePath(`${place}/b.md`), Buffer.from(textOf(2)))
    await tree.create(treePath(`${place}/c.md.gz`), process.getBuiltinModule('node:zlib').gzipSync(textOf(3)))
    const limits = { largestMessage: 1000 }
    expect(await archiveMessages(tree, archive, [], { owner, ...limits })).toEqual({ archived: 2, alreadyThere: 0 })
    expect(await namesIn(tree, place)).toEqual(['a.md'])
    // Packed as it was before somebody zipped it.
    const [third] = await findArchived(tree, archive, idOf(3))
    expect(third).toMatchObject({ name: 'c.md', size: textOf(3).length })
    expect(asText(await readArchived(tree, third!))).toBe(textOf(3))
    const [first] = await findArchived(tree, archive, idOf(1), limits)
    await expect(readArchived(tree, first!, limits)).rejects.toMatchObject({ code: 'BAD_ARCHIVE' })
  })

  it('a pack without an index that cannot be read is left for a person', async () => {
    const { tree, pack, index } = await packed()
    await tree.remove(index)
    await rewrite(tree, pack, (bytes) => bytes.fill(7, 40))
    await archiveMessages(tree, archive, [], { owner })
    expect(await tree.look(pack)).toBeDefined()
    // Neither is what only looks a little like one of ours.
    await tree.create(treePath('m/archive/2026-11/completed-mine.md.gz'), Buffer.from('mine'))
    await archiveMessages(tree, archive, [], { owner })
    expect(await tree.look(treePath('m/archive/2026-11/completed-mine.md.gz'))).toBeDefined()
  })
})

describe('interruptions', () => {
  /** A tree that dies before its write number `at`, and stays dead. */
  const dying = (tree: Tree, at: number) => {
    let writes = 0
    return new Proxy(tree, {
      get(target, key: keyof Tree) {
        if (target[key] === undefined) return undefined // A verb that this engine does without.
        if (typeof target[key] !== 'function') return target[key]
        const call = (target[key] as (...values: unknown[]) => unknown).bind(target)
        return async (...values: unknown[]) => {
          if (['create', 'move', 'remove'].includes(key)) writes++
          if (writes >= at) throw new Error('dead')
          return call(...values)
        }
      },
    })
  }

  it('of the archiving and of what carries it on, anywhere: each message is there once, and the third run ends it', async () => {
    const messages = [...many(2), toArchive(2, { status: 'failed' }), toArchive(3, { finishedAt: november - 30 * day })]
    const ids = messages.map(({ id }) => id).sort()
    const run = (tree: Tree) =>
      archiveMessages(tree, archive, messages, { owner }).catch((error: Error) => {
        expect(error.message).toBe('dead')
        return undefined
      })
    let points = 0
    for (let first = 1, ended: boolean[] = []; !ended[0]; first++) {
      ended = []
      for (let second = 1; !ended[1]; second++, points++) {
        const clock = heldClock()
        const tree = openMemoryTree({ clock })
        await put(tree, messages)
        ended = []
        for (const at of [first, second, Number.POSITIVE_INFINITY]) {
          ended.push((await run(dying(tree, at))) !== undefined)
          clock.advance(60_000)
          const lying = await Promise.all(Object.values(queues).map((queue) => namesIn(tree, queue)))
          const archived = await listArchived(tree, archive)
          const found = [
            ...lying.flat().map((name) => idOf(Number(name.slice(15, 23)))),
            ...archived.map(({ id }) => id),
          ]
          expect(found.sort(), `dead at ${first}, then at ${second}`).toEqual(ids)
        }
        for (const entry of await listArchived(tree, archive)) {
          expect(entry.pack).toMatch(/\.md\.gz$/)
          expect(asText(await readArchived(tree, entry))).toBe(textOf(Number(entry.id.slice(0, 8))))
        }
      }
    }
    expect(points).toBeGreaterThan(100)
  })
})

describe('several archivers', () => {
  it('take turns, also under one name, and every message is archived once', async () => {
    for (const open of [async () => openMemoryTree(), undefined]) {
      await withTempDir(async (root) => {
        const trees = open
          ? Array(4).fill(await open())
          : await Promise.all([1, 2, 3, 4].map(() => openFileTree({ root })))
        const messages = many(60)
        await put(trees[0], messages)
        let archived = 0
        while (archived < 60) {
          const results = await Promise.all(trees.map((tree) => archiveMessages(tree, archive, messages, { owner })))
          for (const result of results) archived += result.archived
        }
        expect(archived).toBe(60)
        expect((await listArchived(trees[0], archive)).map(({ id }) => id).sort()).toEqual(messages.map(({ id }) => id))
        for (const tree of new Set(trees)) await tree.close()
      })
    }
  })

  it('a busy archive says who is at it', async () => {
    const tree = openMemoryTree()
    await put(tree, many(1))
    const first = archiveMessages(tree, archive, many(1), { owner: 'ada' })
    const second = await archiveMessages(tree, archive, many(1), { owner: 'bob' })
    expect(second).toMatchObject({ archived: 0, alreadyThere: 0, busy: { owner: expect.stringMatching(/^ada /) } })
    expect(await first).toEqual({ archived: 1, alreadyThere: 0 })
  })

  it('one that slept through its turn stops, and the next finishes', async () => {
    const clock = heldClock()
    const messages = many(10)
    // It falls asleep before each write in turn; the lease runs out, another archives, then it wakes up.
    for (let at = 1; ; at++) {
      const sleepy = openMemoryTree({ clock })
      await put(sleepy, messages)
      let writes = 0
      let slept = false
      const asleep = new Proxy(sleepy, {
        get(target, key: keyof Tree) {
          if (target[key] === undefined) return undefined // A verb that this engine does without.
          if (typeof target[key] !== 'function') return target[key]
          const call = (target[key] as (...values: unknown[]) => unknown).bind(target)
          if (!['create', 'move', 'remove'].includes(key)) return call
          return async (...values: unknown[]) => {
            if (++writes === at) {
              slept = true
              clock.advance(60_000)
              await archiveMessages(target, archive, messages, { owner: 'other' })
            }
            return call(...values)
          }
        },
      })
      await archiveMessages(asleep, archive, messages, { owner })
      await archiveMessages(sleepy, archive, messages, { owner: 'third' })
      const listed = await listArchived(sleepy, archive)
      expect(listed.map(({ id }) => id).sort(), `asleep before write ${at}`).toEqual(messages.map(({ id }) => id))
      for (const entry of listed) expect(asText(await readArchived(sleepy, entry))).toContain(entry.id)
      if (!slept) break
    }
  })

  it('a message retried at the same moment is pending or archived, never both', async () => {
    for (let round = 0; round < 20; round++) {
      const tree = openMemoryTree()
      const messages = many(20, { status: 'failed' })
      await put(tree, messages)
      const pending = treePath('m/queue/pending')
      const retry = async () => {
        for (const { path, name } of [...messages].reverse()) await tree.move(path, childOf(pending, name))
      }
      await Promise.all([archiveMessages(tree, archive, messages, { owner }), retry()])
      const archived = (await listArchived(tree, archive)).map(({ name }) => name)
      const all = [...archived, ...(await namesIn(tree, pending))].sort()
      expect(all).toEqual(messages.map(({ name }) => name))
    }
  })

  it('whoever reads meanwhile sees every message exactly once', async () => {
    await withTempDir(async (root) => {
      const [writer, reader] = [await openFileTree({ root }), await openFileTree({ root })]
      const messages = many(300)
      await put(writer, messages)
      let done = false
      const archiving = archiveMessages(writer, archive, messages, { owner }).finally(() => (done = true))
      let looks = 0
      while (!done) {
        const lying = new Set(await namesIn(reader, queues.completed))
        const archived = (await listArchived(reader, archive)).map(({ name }) => name)
        expect(new Set(archived).size).toBe(archived.length)
        expect(new Set([...lying, ...archived]).size).toBe(300)
        looks++
      }
      await archiving
      expect(looks).toBeGreaterThan(0)
      await writer.close()
      await reader.close()
    })
  })
})
