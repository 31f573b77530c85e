/**
 * A process is killed before every step of a checkpoint and of a rollback, and while each command of git runs; or a step fails, as
 * on a full disk. The next command finishes or undoes it and says which; files, index, branch and session are then all as
 * before or all as after.
 *
 * `npm test` tries some of these points, spread over all of them, and `npm run soak` every one.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { plainFiles } from '../../src/engines/file-system/plain-files.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { openStage, type StageOptions, treeStates } from '../support/checkpoint-stage.ts'
import { spawnChild } from '../support/child.ts'
import { git, makeRepository, pictureOf, put } from '../support/git-repository.ts'
import { Killed } from '../support/mortal-disk.ts'
import { type Mortal, mortal, type When } from '../support/mortal-git.ts'
import { withTempDir } from '../support/temp.ts'

const orchestrator = { session: 'main', by: 'Orchestrator' }
const notes = '.signalbox/state/sessions/.unfinished'
/** Where earlier versions kept it. */
const intent = '.git/signalbox/top/intent'
const isWhole = process.env.SIGNALBOX_TEST_SCALE !== undefined
/** Some thousand points, a second each on a busy machine. */
const longest = isWhole ? 3_600_000 : 300_000

interface Scene {
  readonly root: string
  readonly tree: Tree
  readonly states: Map<string, string>
}

/** Everything that a rollback or a checkpoint may change, and whether a lock of git lies around. */
function look({ root, states }: Pick<Scene, 'root' | 'states'>) {
  const { files, git } = pictureOf(root)
  const isUsers = ([path]: [string, string]) => !path.startsWith('refs/signalbox') && !path.startsWith('logs')
  return { files, git: Object.fromEntries(Object.entries(git).filter(isUsers)), state: states.get('main') }
}

/** The same, with index and branch by what they say: two runs make them at different times. */
function lookByContent(scene: Pick<Scene, 'root' | 'states'>): ReturnType<typeof look> {
  const found = look(scene)
  const index = git(scene.root, ['ls-files', '--stage'])
  const branch = git(scene.root, ['log', '--format=%s %T'])
  return { ...found, git: { ...found.git, index, 'refs/heads/main': branch } }
}

function locksIn(root: string): string[] {
  const all = fs.readdirSync(join(root, '.git'), { recursive: true, encoding: 'utf8' })
  return all.filter((path) => path.endsWith('.lock'))
}

const stageOf = (scene: Scene, life: Mortal | undefined, options: StageOptions) =>
  openStage(scene.root, {
    ...options,
    states: scene.states,
    tree: life ? life.tree(scene.tree) : scene.tree,
    ...(life ? { around: life.git, files: life.files(plainFiles), onRestore: () => life.step('restore') } : {}),
  })

interface Story {
  readonly name: string
  /** How many of the points `npm test` tries, spread over all of them. */
  readonly most: number
  readonly look: typeof look
  readonly options: StageOptions
  act(stage: Awaited<ReturnType<typeof openStage>>): Promise<unknown>
}

const rollback: Story['act'] = ({ checkpoints }) => checkpoints.rollback({ ...orchestrator, which: 'cp_001' })
const create: Story['act'] = ({ checkpoints }) =>
  checkpoints.create({ ...orchestrator, type: 'manual', name: 'second' })

const stories: readonly Story[] = [
  { name: 'a checkpoint', most: 3, look, options: {}, act: create },
  { name: 'a rollback', most: 4, look, options: {}, act: rollback },
  { name: 'a checkpoint on the branch', most: 3, look: lookByContent, options: { onBranch: true }, act: create },
  { name: 'a rollback of the branch', most: 2, look, options: { onBranch: true }, act: rollback },
]

/** Made once for each way, and copied. */
const prepared = new Map<boolean, Promise<string>>()

function prepare({ onBranch = false }: StageOptions): Promise<string> {
  const template = prepared.get(onBranch) ?? makeScene({ onBranch })
  prepared.set(onBranch, template)
  return template
}

/** A repository with one checkpoint, changed since in every way. */
async function makeScene(options: StageOptions): Promise<string> {
  const root = makeRepository()
  const tree = await openFileTree({ root })
  const stage = await openStage(root, { ...options, tree, states: new Map([['main', 'then']]) })
  await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'first' })
  await tree.close()
  put(root, { 'README.md': 'changed\n', 'new/file.txt': 'new\n', 'src/a.txt': 'staged\n' })
  git(root, ['add', 'src/a.txt'])
  fs.rmSync(join(root, 'src/b.txt'))
  fs.chmodSync(join(root, 'run.sh'), 0o600)
  fs.rmSync(join(root, 'link'))
  put(root, { 'link/in.txt': 'a folder\n' })
  return root
}

async function withScene<T>(template: string, play: (scene: Scene) => Promise<T>): Promise<T> {
  return withTempDir(async (root) => {
    execFileSync('cp', ['-a', `${template}/.`, root])
    const tree = await openFileTree({ root })
    try {
      return await play({ root, tree, states: new Map([['main', 'now']]) })
    } finally {
      await tree.close()
    }
  })
}

describe('killed at any point', () => {
  for (const story of stories) {
    const { name, most, options, act, look } = story
    it(
      `[X-crash][SA-13b] ${name} is finished or undone by the next command, which says which`,
      async () => {
        const template = await prepare(options)
        const { steps, before, after } = await withScene(template, async (scene) => {
          const life = mortal(0)
          const before = look(scene)
          await act(await stageOf(scene, life, options))
          return { steps: life.steps, before, after: look(scene) }
        })
        expect(steps.filter((step) => step.startsWith('git ')).length).toBeGreaterThan(10)
        const points = steps.flatMap((step, n) => {
          const when: When[] = step.startsWith('git ') ? ['before', 'during', 'fails'] : ['before', 'fails']
          return when.map((when) => ({ n: n + 1, when, step, before, after }))
        })
        const stride = isWhole ? 1 : Math.ceil(points.length / most)
        // Always among them: the last command before anything can be seen from outside, those by which it is seen, and the
        // step at which the files are in place and the session is not.
        const isTurningPoint = ({ step, when }: Point) =>
          (step === 'git update-ref' && when === 'during') ||
          (['git write-tree', 'restore'].includes(step) && when === 'before')
        const chosen = points.filter((point, n) => n % stride === stride - 1 || isTurningPoint(point))
        const seen = new Set<string>()
        for (const point of chosen) seen.add(await killedAt(template, story, point))
        expect([...seen].sort()).toEqual(expect.arrayContaining(['finished', 'undone']))
      },
      longest,
    )
  }
})

interface Point {
  readonly n: number
  readonly when: When
  readonly step: string
  readonly before: ReturnType<typeof look>
  readonly after: ReturnType<typeof look>
}

async function killedAt(template: string, { options, act, look }: Story, point: Point): Promise<string> {
  const { n, when, step, before, after } = point
  const place = `${when === 'fails' ? 'failed at' : `killed ${when}`} step ${n}, ${step}`
  return withScene(template, async (scene) => {
    const life = mortal(n, when)
    const stage = await stageOf(scene, life, options)
    const ended = await act(stage).then(
      () => 'well',
      (error: Error) => (error instanceof Killed ? 'killed' : (error as Error & { code: string }).code),
    )
    expect(when === 'fails' ? ['DISK_FULL', 'GIT_FAILED'] : ['killed'], place).toContain(ended)
    const next = await stageOf(scene, undefined, options)
    const recovered = await next.checkpoints.recover()
    const found = look(scene)
    const isAfter = JSON.stringify(found) === JSON.stringify(after)
    if (!isAfter) expect(found, place).toEqual(before)
    if (recovered) expect(recovered.outcome, place).toBe(isFinished(recovered, isAfter, before, after))
    await life.orphans()
    expect(look(scene), `${place}, once git has ended`).toEqual(found)
    expect(locksIn(scene.root), place).toEqual([])
    expect(fs.readdirSync(join(scene.root, '.git/signalbox/top/work')), place).toEqual([])
    // Nothing is left to recover, the id is not given again, and what was saved first is all there.
    const { checkpoints, recovered: again } = await next.checkpoints.list({ session: 'main' })
    expect(again, place).toBe(undefined)
    if (isWhole || n % 4 === 0) {
      const made = await next.checkpoints.create({ ...orchestrator, type: 'manual', name: 'later' })
      expect(
        checkpoints.map(({ id }) => id),
        place,
      ).not.toContain(made.id)
    }
    if (recovered?.outcome === 'finished' && recovered.what === 'rollback') {
      const saved = checkpoints.find(({ name }) => name === 'before_cp_001')
      await next.checkpoints.rollback({ ...orchestrator, which: saved!.id, force: true })
      expect(look(scene), place).toEqual(before)
    }
    return recovered?.outcome ?? 'nothing'
  })
}

/** A checkpoint changes nothing that is seen, unless it is on the branch. */
function isFinished(
  { outcome }: { readonly outcome: string },
  isAfter: boolean,
  before: unknown,
  after: unknown,
): string {
  if (JSON.stringify(before) === JSON.stringify(after)) return outcome
  return isAfter ? 'finished' : 'undone'
}

describe('real processes', () => {
  it('[X-crash][SA-13e] killed at random while they roll back and forth, they leave one of the two states', async () => {
    const root = await makeScene({})
    const tree = await openFileTree({ root })
    const options = { tree, states: treeStates(tree) }
    const stage = await openStage(root, options)
    const there = pictureOf(root).files
    await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'second' })
    await stage.checkpoints.rollback({ ...orchestrator, which: 'first' })
    const here = pictureOf(root).files
    const outcomes: string[] = []
    for (let kill = 0; kill < 2 * Number(process.env.SIGNALBOX_TEST_SCALE ?? 1); kill++) {
      const child = spawnChild('checkpoints', [root, 'swing'])
      await child.nextLine()
      const done = Math.floor(Math.random() * 3)
      for (let n = 0; n < done; n++) await child.nextLine()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150))
      child.kill()
      await child.exited
      const recovered = await stage.checkpoints.recover()
      outcomes.push(recovered?.outcome ?? 'nothing')
      const found = pictureOf(root).files
      if (JSON.stringify(found) !== JSON.stringify(there)) expect(found, outcomes.join()).toEqual(here)
      expect(locksIn(root), outcomes.join()).toEqual([])
    }
    await tree.close()
  })

  it('[SA-13a] several at once never get the same id', async () => {
    const root = makeRepository()
    const children = [1, 2, 3].map(() => spawnChild('checkpoints', [root, 'create', '2']))
    await Promise.all(children.map((child) => child.exited))
    expect(children.map((child) => child.stderr())).toEqual(['', '', ''])
    const ids = children.flatMap((child) => child.stdout.slice(1)).sort()
    expect(ids).toEqual(Array.from({ length: 6 }, (_, n) => `cp_${String(n + 1).padStart(3, '0')}`))
    const tree = await openFileTree({ root })
    const { checkpoints } = await openStage(root, { tree }).then((stage) => stage.checkpoints.list({ session: 'main' }))
    expect(checkpoints.map(({ id }) => id).sort()).toEqual(ids)
    await tree.close()
  })
})

describe('what else can be left or in the way', () => {
  it('[X-crash] a lock that a killed git left on our own reference is removed', async () => {
    const root = makeRepository()
    const stage = await openStage(root)
    await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'first' })
    const id = fs.readFileSync(join(root, '.git/signalbox/top/id'), 'utf8')
    fs.writeFileSync(join(root, `.git/refs/signalbox/checkpoints/${id}/main/cp_002.lock`), '')
    const { id: made } = await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'second' })
    expect(made).toBe('cp_002')
    expect(locksIn(root)).toEqual([])
  })

  it('[X-crash] locks that a killed git left on HEAD and on the branch are removed, if they are ours', async () => {
    const options = { onBranch: true }
    const template = await prepare(options)
    const commitSince = ({ root }: Scene) => void git(root, ['commit', '-q', '--allow-empty', '-m', 'since'])
    const steps = await withScene(template, async (scene) => {
      const life = mortal(0)
      commitSince(scene)
      await rollback(await stageOf(scene, life, options))
      return life.steps
    })
    const moving = steps.lastIndexOf('git update-ref') + 1
    for (const isOurs of [true, false]) {
      await withScene(template, async (scene) => {
        const target = isOurs ? git(scene.root, ['rev-parse', 'HEAD']) : `${'1'.repeat(40)}\n`
        commitSince(scene)
        await expect(rollback(await stageOf(scene, mortal(moving), options))).rejects.toBeInstanceOf(Killed)
        put(scene.root, { '.git/HEAD.lock': '', '.git/refs/heads/main.lock': target })
        const next = await stageOf(scene, undefined, options)
        if (isOurs) {
          expect(await next.checkpoints.recover()).toMatchObject({ outcome: 'finished', what: 'rollback' })
          expect(locksIn(scene.root)).toEqual([])
          expect(git(scene.root, ['rev-parse', 'HEAD'])).toBe(target)
        } else {
          await expect(next.checkpoints.recover()).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' })
          expect(locksIn(scene.root)).toEqual(['refs/heads/main.lock'])
        }
      })
    }
  })

  it('[X-crash][SA-13e] what somebody changes between kill and recovery is saved before it gives way', async () => {
    const template = await prepare({})
    await withScene(template, async (scene) => {
      const steps = await withScene(template, async (other) => {
        const life = mortal(0)
        await rollback(await stageOf(other, life, {}))
        return life.steps
      })
      // In the middle of putting files in place.
      const placing = steps.lastIndexOf('files.rename') - 4
      await expect(rollback(await stageOf(scene, mortal(placing), {}))).rejects.toBeInstanceOf(Killed)
      put(scene.root, { 'src/deep/c.txt': 'written after the kill\n', 'brand-new.txt': 'too\n' })
      const stage = await stageOf(scene, undefined, {})
      expect(await (await stage.checkpoints.changes()).notes()).toHaveLength(1)
      expect(await stage.checkpoints.recover()).toEqual({
        outcome: 'finished',
        what: 'rollback',
        id: 'cp_001',
        session: 'main',
      })
      expect(fs.readFileSync(join(scene.root, 'src/deep/c.txt'), 'utf8')).toBe('c\n')
      expect(fs.existsSync(join(scene.root, 'brand-new.txt'))).toBe(false)
      const { checkpoints } = await stage.checkpoints.list({ session: 'main' })
      expect(checkpoints.map(({ id, name }) => `${id} ${name}`)).toEqual([
        'cp_003 before_cp_001',
        'cp_002 before_cp_001',
        'cp_001 first',
      ])
      await stage.checkpoints.rollback({ ...orchestrator, which: 'cp_003' })
      expect(fs.readFileSync(join(scene.root, 'src/deep/c.txt'), 'utf8')).toBe('written after the kill\n')
      expect(fs.existsSync(join(scene.root, 'brand-new.txt'))).toBe(true)
    })
  })

  it('[X-crash][SA-13e] once the files are in place they are the user’s again, and so is the session', async () => {
    const template = await prepare({})
    await withScene(template, async (scene) => {
      const steps = await withScene(template, async (other) => {
        const life = mortal(0)
        await rollback(await stageOf(other, life, {}))
        return life.steps
      })
      const restoring = steps.indexOf('restore') + 1
      await expect(rollback(await stageOf(scene, mortal(restoring), {}))).rejects.toBeInstanceOf(Killed)
      put(scene.root, { 'README.md': 'written after the kill\n' })
      scene.states.set('main', 'set after the kill')
      const { checkpoints } = await stageOf(scene, undefined, {})
      expect(await checkpoints.recover()).toMatchObject({ outcome: 'finished', what: 'rollback', id: 'cp_001' })
      expect(fs.readFileSync(join(scene.root, 'README.md'), 'utf8')).toBe('written after the kill\n')
      expect(scene.states.get('main')).toBe('then')
      await checkpoints.rollback({ ...orchestrator, which: 'cp_003' })
      expect(scene.states.get('main')).toBe('set after the kill')
    })
  })

  it('[SA-13b] a file that somebody writes while files are put in place is not overwritten unsaved', async () => {
    const template = await prepare({})
    await withScene(template, async (scene) => {
      let isWritten = false
      const rename = (from: string, to: string): void => {
        if (!isWritten && to.endsWith('/README.md')) {
          isWritten = true
          put(scene.root, { 'src/a.txt': 'written in the last moment\n' })
        }
        plainFiles.rename(from, to)
      }
      const stage = await openStage(scene.root, {
        tree: scene.tree,
        states: scene.states,
        files: { ...plainFiles, rename },
      })
      await rollback(stage)
      expect(isWritten).toBe(true)
      expect(fs.readFileSync(join(scene.root, 'src/a.txt'), 'utf8')).toBe('a\n')
      const { checkpoints } = await stage.checkpoints.list({ session: 'main' })
      const kept = checkpoints.map(({ commit }) => git(scene.root, ['show', `${commit}:src/a.txt`]))
      expect(kept).toContain('written in the last moment\n')
    })
  })

  it('[X-crash] what an earlier version left in the git directory is finished', async () => {
    const template = await prepare({})
    await withScene(template, async (scene) => {
      const { steps, after } = await withScene(template, async (other) => {
        const life = mortal(0)
        await rollback(await stageOf(other, life, {}))
        return { steps: life.steps, after: look(other) }
      })
      const placing = steps.lastIndexOf('files.rename') - 4
      await expect(rollback(await stageOf(scene, mortal(placing), {}))).rejects.toBeInstanceOf(Killed)
      // The same moment, in the words of that version.
      const [note] = fs.readdirSync(join(scene.root, notes))
      const { steps: left } = JSON.parse(fs.readFileSync(join(scene.root, notes, note!), 'utf8'))
      fs.rmSync(join(scene.root, notes, note!))
      const { do: kind, rollback: rolling, ...about } = left[0]
      expect(kind).toBe('place')
      const { first, ...target } = rolling
      put(scene.root, { [intent]: JSON.stringify({ ...about, rollback: { ...target, placing: first } }) })
      const { checkpoints } = await stageOf(scene, undefined, {})
      const what = { what: 'rollback', id: 'cp_001', session: 'main' }
      expect(await (await checkpoints.changes()).notes()).toHaveLength(1)
      expect(await checkpoints.recover()).toEqual({ outcome: 'finished', ...what })
      expect(look(scene)).toEqual(after)
      expect(await checkpoints.recover()).toBe(undefined)
      expect(fs.existsSync(join(scene.root, intent))).toBe(false)
    })
  })

  it('[X-notes] a note that nobody of us wrote does nothing, and gives way to the next one', async () => {
    const root = makeRepository()
    const tree = await openFileTree({ root })
    const stage = await openStage(root, { tree })
    const { commit } = await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'first' })
    const { files } = pictureOf(root)
    const id = fs.readFileSync(join(root, '.git/signalbox/top/id'), 'utf8')
    const forged = {
      do: 'place',
      session: 'main',
      id: 'cp_002',
      name: 'x',
      commit: '--all',
      rollback: { to: 'cp_001', commit },
    }
    for (const text of ['', '[]', '{"steps":[null]}', JSON.stringify({ steps: [forged] })]) {
      put(root, { [join(notes, `${id}.json`)]: text })
      expect(await stage.checkpoints.recover()).toBe(undefined)
      expect(pictureOf(root).files).toEqual(files)
    }
    expect(await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'next' })).toMatchObject({
      id: 'cp_002',
    })
    expect(fs.readdirSync(join(root, notes))).toEqual([])
    await tree.close()
  })

  it('[X-crash] an intent that nobody of us wrote stops checkpoints, and nothing is done', async () => {
    const root = makeRepository()
    const stage = await openStage(root)
    await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'first' })
    for (const text of ['', '{', '[]', '{"session":1}', '{"session":"a","id":"x","name":"y"}', 'x'.repeat(1000)]) {
      fs.writeFileSync(join(root, intent), text)
      await expect(stage.checkpoints.recover()).rejects.toMatchObject({ code: 'BAD_INTENT', exit: 5 })
    }
  })
})
