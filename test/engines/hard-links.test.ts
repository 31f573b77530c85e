/**
 * Files with a second name outside the root: whatever is done to them by their name in the tree, the other one shows the
 * same bytes, time and mode as before. A write that changed both would let a tree change files that are not in it.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Disk, type FilePlace, realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const at = treePath
const long = 'a line\n'

function pictureOf(path: string) {
  const { mode, mtimeMs, size } = fs.lstatSync(path)
  return { mode, mtimeMs, size, bytes: fs.readFileSync(path, 'utf8') }
}

/** Gives a file a second name outside, some time ago. */
function shared(base: string, path: string) {
  const other = join(base, 'outside')
  fs.mkdirSync(join(path, '..'), { recursive: true })
  if (!fs.existsSync(path)) fs.writeFileSync(path, long, { mode: 0o640 })
  fs.linkSync(path, other)
  fs.utimesSync(other, 1_700_000_000, 1_700_000_000)
  const before = pictureOf(other)
  return { expectUnchanged: () => expect(pictureOf(other)).toEqual(before) }
}

const ways: readonly [name: string, disk: () => Disk][] = [
  ['by portable calls', realDisk],
  ...(loadNative() ? [['by the system’s own', () => Object.assign(realDisk(), loadNative())] as const] : []),
].map(([name, disk]) => [name as string, disk as () => Disk])

describe.each(ways)('a leaf with a second name outside, %s,', (_way, disk) => {
  const each: readonly [verb: string, run: (tree: Tree) => Promise<{ readonly outcome: string }>, expected: RegExp][] =
    [
      ['is appended to', (tree) => tree.append(at('q/a.md'), 'another'), /^a line\nanother\n$/],
      ['is touched', (tree) => tree.touch(at('q/a.md')), /^a line\n$/],
      [
        'is replaced',
        async (tree) => tree.replace(at('q/a.md'), Buffer.from('new'), (await tree.read(at('q/a.md')))!.revision),
        /^new$/,
      ],
      [
        'is rewritten on a move',
        (tree) => tree.move(at('q/a.md'), at('q/a.md'), { change: () => Buffer.from('x') }),
        /^x$/,
      ],
    ]
  verifies('X-odd', 'is not copied while whoever has just made it takes the second name away', async () => {
    const root = quickTempDir()
    const tree = await openFileTree({ root, disk: disk() })
    await tree.create(at('q/bell'), '')
    const [own, made] = [join(root, 'q/bell'), join(root, 'q/.made')]
    fs.linkSync(own, made)
    const { ino } = fs.lstatSync(own)
    const touched = tree.touch(at('q/bell'))
    setTimeout(() => fs.unlinkSync(made), 1)
    expect((await touched).outcome).toBe('touched')
    expect(fs.lstatSync(own).ino).toBe(ino)
    await tree.close()
  })

  for (const [verb, run, expected] of each) {
    verifies('X-odd', `${verb} here alone`, async () => {
      const base = quickTempDir()
      const tree = await openFileTree({ root: join(base, 'root'), disk: disk() })
      const file = join(base, 'root/q/a.md')
      const other = shared(base, file)
      expect((await run(tree)).outcome).not.toBe('gone')
      other.expectUnchanged()
      expect(fs.readFileSync(file, 'utf8')).toMatch(expected)
      expect([fs.statSync(file).nlink, fs.statSync(file).mode & 0o777]).toEqual([1, 0o640])
      expect(Date.now() - fs.statSync(file).mtimeMs).toBeLessThan(60_000)
      // From now on it is an ordinary one.
      await tree.append(at('q/a.md'), 'again')
      other.expectUnchanged()
      await tree.close()
    })
  }

  verifies('X-odd', 'and many who append at once: each line is there once, in the tree alone', async () => {
    const base = quickTempDir()
    const trees = await Promise.all([1, 2, 3].map(() => openFileTree({ root: join(base, 'root'), disk: disk() })))
    const other = shared(base, join(base, 'root/log'))
    const lines = Array.from({ length: 60 }, (_, n) => `line ${n}`)
    await Promise.all(lines.map((line, n) => trees[n % 3]!.append(at('log'), line)))
    other.expectUnchanged()
    const written = fs.readFileSync(join(base, 'root/log'), 'utf8').trimEnd().split('\n')
    expect(written.sort()).toEqual(['a line', ...lines].sort())
    await Promise.all(trees.map((tree) => tree.close()))
  })

  verifies('X-odd', 'is told by the doctor, and one whose move is being finished is not', async () => {
    const base = quickTempDir()
    const tree = await openFileTree({ root: join(base, 'root'), disk: disk() })
    shared(base, join(base, 'root/q/a.md'))
    fs.writeFileSync(join(base, 'root/q/b.md'), 'b')
    const found = await tree.inspect({ within: [at('q')] })
    expect(found).toMatchObject([{ code: 'HARD_LINK', severity: 'warning', path: join(base, 'root/q/a.md') }])
    // As between the two steps of a write: the draft is there still.
    fs.mkdirSync(join(base, 'root/.signalbox/engine/tmp'), { recursive: true })
    fs.linkSync(join(base, 'root/q/b.md'), join(base, 'root/.signalbox/engine/tmp/draft'))
    const stillShared = (await tree.inspect({ within: [at('q')] })).filter(({ code }) => code === 'HARD_LINK')
    expect(stillShared).toHaveLength(1)
    await tree.close()
  })
})

it('[X-odd] a line that went with the file it was written to is written again', async () => {
  const base = quickTempDir()
  const log = join(base, 'root/log')
  let isDone = false
  // A foreign editor saves by rename, between the opening of the file and the write.
  const disk = steppingDisk(realDisk(), (step, values, call) => {
    if (step === 'write' && !isDone && fs.existsSync(log)) {
      isDone = true
      fs.writeFileSync(`${log}.new`, 'edited\n')
      fs.renameSync(`${log}.new`, log)
    }
    void values
    return call()
  })
  fs.mkdirSync(join(base, 'root'))
  fs.writeFileSync(log, long)
  const tree = await openFileTree({ root: join(base, 'root'), disk })
  await tree.append(at('log'), 'mine')
  expect(fs.readFileSync(log, 'utf8')).toBe('edited\nmine\n')
  await tree.close()
})

describe('locks and notes of the engine', () => {
  verifies('X-odd', 'a lock that is a file elsewhere too is not written to by those who wait', async () => {
    const base = quickTempDir()
    const tree = await openFileTree({ root: join(base, 'root') })
    // The first turn makes the lock's folder; then somebody else seems to hold it, by a file that lies outside too.
    await tree.exclusively('x', async () => {})
    const locks = join(base, 'root/.signalbox/engine/locks')
    const folder = join(locks, fs.readdirSync(locks)[0]!)
    const holder = await foreignHolder()
    fs.writeFileSync(join(folder, 'lock.99'), `H-${holder} ${Date.now()}\n`)
    const other = shared(base, join(folder, 'lock.99'))
    const turn = tree.exclusively('x', async () => 'done')
    await new Promise((resolve) => setImmediate(resolve))
    // Its turn is over: by a new file, as a person would do it.
    fs.writeFileSync(join(folder, 'lock.100'), `F-${holder} ${Date.now()}\n`)
    expect(await turn).toBe('done')
    other.expectUnchanged()
    await tree.close()
  })

  verifies('X-odd', 'a note is never written into a file, a link or a pipe that was there before', async () => {
    const base = quickTempDir()
    fs.writeFileSync(join(base, 'outside'), long)
    let planted = ''
    const disk = steppingDisk(realDisk(), (step, values, call) => {
      const place = values[0] as FilePlace
      if (
        step === 'open' &&
        planted === '' &&
        /\/moves$|moves\//.test(fs.existsSync(place.folder?.prefix ?? '') ? fs.realpathSync(place.folder.prefix) : '')
      ) {
        planted = place.path
        fs.linkSync(join(base, 'outside'), place.path)
      }
      return call()
    })
    const tree = await openFileTree({ root: join(base, 'root'), disk })
    await tree.create(at('q/a.md'), 'a')
    expect((await tree.move(at('q/a.md'), at('q/b.md'))).outcome).toBe('moved')
    expect(planted).not.toBe('')
    expect([fs.readFileSync(join(base, 'outside'), 'utf8'), fs.statSync(join(base, 'outside')).nlink]).toEqual([
      long,
      1,
    ])
    await tree.close()
  })
})

/** This machine's first process, as a lock would name it: alive, and not us. */
async function foreignHolder(): Promise<string> {
  const { Holders } = await import('../../src/engines/file-system/holder.ts')
  const self = new Holders(realDisk()).self.split('-')
  const stat = fs.readFileSync('/proc/1/stat', 'latin1')
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]).toString(36)
  return ['1', start, self[2], 'zzzz'].join('-')
}

describe('what the protocols write beside the messages', () => {
  const mission = 'llm/missions/m'
  const each: readonly [
    name: string,
    path: string,
    prepare: (workspace: Workspace) => Promise<unknown>,
    run: (workspace: Workspace) => Promise<unknown>,
  ][] = [
    ['the reader’s memory', 'state/agents/coder/.received.json', sendAndReceive, sendAndReceive],
    ['a counter', 'state/agents/lead/.sequences/coder', send, send],
    ['the measurements', '.signalbox/state/metrics/message-routing/journal.jsonl', measure, measure],
    ['the log of what was set aside', 'state/agents/coder/error.log', reject, reject],
    ['a manifest', `${mission}/_meta/manifest.md`, makeMission, tick],
    [
      'a file that is set aside with a report',
      `${mission}/queue/pending/20260101T000000Z_a_to_b_1.md`,
      malformed,
      sweep,
    ],
    ['a message put back into the inbox', '', receiveOne, recover],
  ]
  for (const [name, path, prepare, run] of each) {
    verifies('X-odd', `${name} is changed in the tree alone`, async () => {
      const base = quickTempDir()
      const workspace = await openWorkspace({ root: join(base, 'root'), makeRoot: true, environment: {} })
      const found = (await prepare(workspace)) as string | undefined
      const other = shared(base, join(base, 'root', path === '' ? found! : path))
      await run(workspace)
      await workspace.close()
      other.expectUnchanged()
    })
  }
})

let count = 0
const send = ({ mr }: Workspace) =>
  mr.sending.send({ from: 'lead', to: 'coder', type: 'task-delegation', payload: { task: `Task ${count++}` } })
async function sendAndReceive(workspace: Workspace) {
  await send(workspace)
  expect((await workspace.mr.claiming.receive('coder')).outcome).toBe('received')
}
async function measure(workspace: Workspace) {
  await send(workspace)
  await workspace.mr.overview.metrics()
}
async function reject({ root, mr }: Workspace) {
  await mr.agents.init('coder')
  fs.writeFileSync(join(root, `state/agents/coder/inbox/msg_0000000${count++ % 10}.json`), '{"no": 1}')
  expect((await mr.claiming.receive('coder')).rejected).toHaveLength(1)
}
async function makeMission({ root, acmq }: Workspace) {
  await acmq.create('m', { objective: 'Things' })
  fs.appendFileSync(join(root, 'llm/missions/m/_meta/manifest.md'), '\n## Milestones\n\n- [ ] First draft\n')
}
async function tick({ acmq }: Workspace) {
  const mission = await acmq.open('m')
  expect((await (await mission.documents()).milestone('First draft', true)).outcome).toBe('ticked')
}
async function malformed(workspace: Workspace) {
  await makeMission(workspace)
  fs.writeFileSync(join(workspace.root, 'llm/missions/m/queue/pending/20260101T000000Z_a_to_b_1.md'), 'no message\n')
}
async function sweep({ root }: Workspace) {
  // An hour later: nobody is writing it any more.
  const later = await openWorkspace({ root, environment: {}, clock: { now: () => Date.now() + 3_600_000 } })
  const { repairs } = await (await (await later.acmq.open('m')).upkeep()).supervise()
  expect(repairs).toMatchObject([{ what: 'quarantined' }])
  await later.close()
  const failed = join(root, 'llm/missions/m/queue/failed')
  expect(fs.readFileSync(join(failed, fs.readdirSync(failed)[0]!), 'utf8')).toContain('signalbox')
}
async function receiveOne(workspace: Workspace) {
  const { message } = await send(workspace)
  await workspace.mr.claiming.receive('coder')
  return `state/agents/coder/taken/${message.id}.json`
}
async function recover({ root, mr }: Workspace) {
  const [name = ''] = fs.readdirSync(join(root, 'state/agents/coder/taken'))
  expect((await mr.recovering.recover('coder', name.slice(0, -5))).outcome).toBe('recovered')
}
