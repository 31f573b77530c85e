/**
 * Whoever says `#ROLLBACK` or `#CHECKPOINT` is killed before a step. Whatever is said next in the session, about git or not,
 * finds files and state that belong together, and is told what became of it. `npm run soak` tries every step.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findWorkTree, gitRunner } from '../../src/adapters/git/index.ts'
import { plainFiles } from '../../src/engines/file-system/plain-files.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { makeRepository, put } from '../support/git-repository.ts'
import { Killed } from '../support/mortal-disk.ts'
import { type Mortal, mortal, type When } from '../support/mortal-git.ts'
import { sessionsOn, speaker } from '../support/session.ts'
import { verifies } from '../support/verifies.ts'

const isWhole = process.env.SIGNALBOX_TEST_SCALE !== undefined
const longest = isWhole ? 3_600_000 : 120_000
const run = gitRunner({ environment: { PATH: process.env.PATH, HOME: '/nonexistent' } })

function openSessions(root: string, tree: Tree, life?: Mortal) {
  const git = life ? life.git(run) : run
  const files = life ? life.files(plainFiles) : plainFiles
  return sessionsOn(life ? life.tree(tree) : tree, {
    ports: {
      workTree: ({ onBranch }) => findWorkTree({ git, files, from: root, leaveAlone: ['llm', 'messages'], onBranch }),
    },
  })
}

/** A checkpoint of the old file and the old state, and both new. */
async function prepare() {
  const root = makeRepository()
  const tree = openMemoryTree()
  const say = speaker(openSessions(root, tree), 's')
  put(root, { 'work.txt': 'old\n' })
  await say('A', '#STATE:save:k:old')
  await say('A', '#CHECKPOINT:create:manual:first')
  put(root, { 'work.txt': 'new\n' })
  await say('A', '#STATE:save:k:new')
  return { root, tree }
}

async function killed(line: string, killAt: number, when: When = 'before') {
  const { root, tree } = await prepare()
  const life = mortal(killAt, when)
  const ended = await speaker(openSessions(root, tree, life), 's')('A', line).catch((error: unknown) => error)
  if (typeof ended !== 'string') expect(ended).toBeInstanceOf(when === 'fails' ? SignalboxError : Killed)
  const sessions = openSessions(root, tree)
  const said = await sessions.say('#STATE:load:k', { session: 's', agent: 'B' })
  const [state, ...notices] = said.lines
  const file = fs.readFileSync(join(root, 'work.txt'), 'utf8').trim()
  return { life, isDone: typeof ended === 'string', state, notices, file, sessions }
}

const points = (steps: number, most: number): number[] => {
  const all = Array.from({ length: steps }, (_, n) => n + 1)
  return isWhole ? all : all.filter((n) => Math.floor((n * most) / steps) !== Math.floor(((n - 1) * most) / steps))
}

verifies(
  ['SA-13b', 'X-crash'],
  'a rollback that is cut off is finished or undone by whatever is said next',
  async () => {
    const { life, state, file, isDone } = await killed('#ROLLBACK:cp_001', 0)
    expect([isDone, state, file]).toEqual([true, 'old', 'old'])
    const told = new Set<string>()
    for (const killAt of points(life.steps.length, 5)) {
      const found = await killed('#ROLLBACK:cp_001', killAt)
      const place = `killed before ${killAt}, ${life.steps[killAt - 1]}: ${found.notices}`
      expect(found.file, place).toBe(found.state)
      const [notice] = found.notices
      if (notice !== undefined) told.add(notice)
      expect(
        [undefined, 'finished:rollback cp_001 (it was cut off)', 'undone:rollback cp_001 (it was cut off)'],
        place,
      ).toContain(notice)
      // Files that were put in place belong to a rollback that is over, or that was finished just now.
      if (notice?.startsWith('undone')) expect(found.file, place).toBe('new')
      if (notice?.startsWith('finished')) expect(found.file, place).toBe('old')
      const again = await found.sessions.say('#STATE:load:k', { session: 's', agent: 'B' })
      expect(again.lines, place).toEqual([found.state])
      // Before the mark nothing was changed yet; `doctor` knows all the same, and puts it right.
      await found.sessions.inspect({ repair: true })
      expect(await found.sessions.inspect(), place).toEqual([])
    }
    expect(told.size).toBe(2)
  },
  longest,
)

verifies(
  ['SA-13b', 'X-disk'],
  'a rollback in which a step fails is told, and files and state belong together for whoever speaks next',
  async () => {
    const { life } = await killed('#ROLLBACK:cp_001', 0)
    for (const failAt of points(life.steps.length, 5)) {
      const found = await killed('#ROLLBACK:cp_001', failAt, 'fails')
      const place = `step ${failAt} failed, ${life.steps[failAt - 1]}: ${found.notices}`
      expect(found.file, place).toBe(found.state)
      if (found.isDone) expect(found.file, place).toBe('old')
      await found.sessions.inspect({ repair: true })
      expect(await found.sessions.inspect(), place).toEqual([])
    }
  },
  longest,
)

verifies(
  ['SA-13a', 'X-crash', 'X-doctor'],
  'a checkpoint that is cut off is told by doctor, and is made or not made',
  async () => {
    const { life } = await killed('#CHECKPOINT:create:milestone:second', 0)
    for (const killAt of points(life.steps.length, 4)) {
      const { root, tree } = await prepare()
      const dying = mortal(killAt)
      const place = `killed before ${killAt}, ${life.steps[killAt - 1]}`
      const ended = await speaker(openSessions(root, tree, dying), 's')(
        'A',
        '#CHECKPOINT:create:milestone:second',
      ).catch((error: unknown) => error)
      const sessions = openSessions(root, tree)
      const [found] = await sessions.inspect()
      if (found) expect(found, place).toMatchObject({ code: 'UNFINISHED_CHANGE', repaired: false })
      const [repaired] = await sessions.inspect({ repair: true })
      if (found) expect(repaired, place).toMatchObject({ code: 'UNFINISHED_CHANGE', repaired: true })
      expect(await sessions.inspect(), place).toEqual([])
      const { lines } = await sessions.say('#CHECKPOINT:list', { session: 's', agent: 'B' })
      const listed = lines.map((line) => /• (cp_\d+ \S+) \((\w+)/.exec(line)?.slice(1).join(' '))
      if (typeof ended === 'string' || lines.length === 2)
        expect(listed, place).toEqual(['cp_002 second milestone', 'cp_001 first manual'])
      else expect(listed, place).toEqual(['cp_001 first manual'])
      expect(fs.readFileSync(join(root, 'work.txt'), 'utf8'), place).toBe('new\n')
    }
  },
  longest,
)

function signal() {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

verifies(['SA-13e'], 'what a command saves that was on its way when a rollback began is kept too', async () => {
  const { root, tree } = await prepare()
  const [reached, go] = [signal(), signal()]
  // It has read the session before anything was under way, and writes when the files are being put in place.
  const slow = new Proxy(tree, {
    get(target, key) {
      const call = Reflect.get(target, key, target) as unknown
      if (typeof call !== 'function') return call
      return async (...values: unknown[]) => {
        if (key === 'replace') {
          reached.resolve()
          await go.promise
        }
        return call.apply(target, values)
      }
    },
  })
  const saving = speaker(sessionsOn(slow), 's')('B', '#STATE:save:k:on its way')
  await reached.promise
  const sessions = sessionsOn(tree, {
    ports: {
      async workTree({ onBranch }) {
        const work = await findWorkTree({ git: run, files: plainFiles, from: root, leaveAlone: [], onBranch })
        const prepareFiles = work.prepare.bind(work)
        work.prepare = async (...values) => {
          go.resolve()
          expect(await saving).toBe('saved:k')
          return prepareFiles(...values)
        }
        return work
      },
    },
  })
  const say = speaker(sessions, 's')
  expect(await say('A', '#ROLLBACK:cp_001')).toMatch(/rolled_back:cp_001$/)
  expect(await say('A', '#STATE:load:k')).toBe('old')
  expect((await say('A', '#CHECKPOINT:list')).split('\n')).toHaveLength(3)
  expect(await say('A', '#ROLLBACK:cp_003')).toMatch(/rolled_back:cp_003$/)
  expect(await say('A', '#STATE:load:k')).toBe('on its way')
})
