/**
 * Checkpoints beside all five protocols, in a real workspace in a real repository: messages, and what Signalbox keeps for
 * itself, are neither kept nor brought back, while files and session return.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import type { Neutral } from '../../src/protocols/contract.ts'
import { git, makeRepository, pictureOf, put } from '../support/git-repository.ts'
import { verifies } from '../support/verifies.ts'

const environment = { PATH: process.env.PATH, HOME: '/nonexistent' }
let workspace: Workspace
afterEach(() => workspace.close())
const open = async (root: string) => {
  workspace = await openWorkspace({ root, environment })
}
const say = async (line: string): Promise<string> =>
  (await workspace.sessions.say(line, { session: 's', agent: 'Orchestrator' })).answer

const carriers = (): Promise<Neutral[]> =>
  Promise.all([workspace.acmq, workspace.mr, workspace.circe, workspace.dream].map((store) => store.neutral()))

async function takenBy(neutral: Neutral, agent: string) {
  const taken = await neutral.take!(agent)
  if (taken.outcome !== 'taken') throw new Error('nothing to take')
  return taken
}

/** Every file of a protocol; of `.signalbox/` all that is neither a session's nor the engine's own. */
function messagesIn(root: string) {
  const isMessage = (path: string) =>
    /^(llm|state|AI_MANAGER|runtime|_agent_coordination|temp|templates|analysis|governance_memory)/.test(path)
  const own = pictureOf(join(root, '.signalbox'), { gitDirs: [] }).files
  const isKept = (path: string) => !/^(engine|state\/sessions)/.test(path)
  return [
    ...Object.entries(pictureOf(root).files).filter(([path]) => isMessage(path)),
    ...Object.entries(own).filter(([path]) => isKept(path)),
  ]
}

for (const isLiteral of [false, true]) {
  verifies(
    'SA-13c',
    `what all five protocols keep stays as it is, tracked or not, ${isLiteral ? 'in the literal way' : 'by default'}`,
    async () => {
      const root = makeRepository()
      if (isLiteral) put(root, { 'signalbox.yaml': 'session:\n  literalCheckpoints: true\n' })
      await open(root)
      await workspace.acmq.create('m')
      await workspace.dream.mailboxes.init(1)
      const all = await carriers()
      // One that will be completed, one that will be claimed, one that stays; the second half is not tracked.
      for (const text of ['first', 'second'])
        for (const neutral of all) await neutral.send!({ from: 'lead', to: 'coder-1', text })
      put(root, { 'runtime/task_list.json': '[]\n', 'templates/t.j2': 'Hello {{ name }}\n' })
      await workspace.dream.logs.add('DECISION', 'lead', { what: 'go' })
      git(root, ['add', '-A', '-f', '.'])
      git(root, ['commit', '-q', '-m', 'messages'])
      const head = git(root, ['rev-parse', 'HEAD']).trim()
      for (const neutral of all) await neutral.send!({ from: 'lead', to: 'coder-1', text: 'untracked' })
      await say('#STATE:save:k:then')
      expect(await say('#CHECKPOINT:create:manual:before')).toBe('checkpoint_id:cp_001')

      // Work goes on: some is done, some is in hand, some is new; and so are files and session.
      const inHand = []
      for (const neutral of all) {
        const { receipt } = await takenBy(neutral, 'coder-1')
        await neutral.done!(receipt, { text: 'done' })
        inHand.push((await takenBy(neutral, 'coder-1')).receipt)
        await neutral.send!({ from: 'lead', to: 'coder-1', text: 'new' })
      }
      put(root, { 'runtime/task_list.json': '[{"task_id":"t","status":"COMPLETED"}]\n', 'README.md': 'changed\n' })
      await workspace.dream.logs.add('DECISION', 'lead', { what: 'stop' })
      git(root, ['add', '-A', '-f', 'llm', 'governance_memory.jsonl'])
      await say('#STATE:save:k:now')
      const messages = messagesIn(root)
      expect(messages.length).toBeGreaterThan(40)

      expect(await say('#CHECKPOINT:create:manual:later')).toBe('checkpoint_id:cp_002')
      expect(messagesIn(root)).toEqual(messages)
      expect(await say('#CHECKPOINT:diff:before:detailed')).toBe('Files changed: 1, Lines: +1 -3\n• README.md +1 -3')
      expect(await say('#ROLLBACK:before')).toMatch(/rolled_back:cp_001$/)
      expect(fs.readFileSync(join(root, 'README.md'), 'utf8')).toBe('one\nmain\nthree\n')
      expect(await say('#STATE:load:k')).toBe('then')
      expect(messagesIn(root)).toEqual(messages)
      expect(await say('#ROLLBACK:cp_003')).toMatch(/rolled_back:cp_003$/)
      expect(await say('#STATE:load:k')).toBe('now')
      expect(messagesIn(root)).toEqual(messages)

      // Claims are still held, and what was completed does not wait again.
      for (const [n, neutral] of all.entries()) {
        await neutral.done!(inHand[n]!, { text: 'done too' })
        const waiting: (string | undefined)[] = []
        for await (const { text } of neutral.waitingFor('coder-1')) waiting.push(await text())
        expect(waiting.sort()).toEqual(['new', 'untracked'])
      }
      const refs = git(root, ['for-each-ref', '--format=%(refname)', 'refs/signalbox']).trim().split('\n')
      expect(refs).toHaveLength(4)
      for (const ref of refs)
        expect(git(root, ['ls-tree', '-r', '--name-only', ref])).not.toMatch(
          /llm|^state|AI_MANAGER|runtime|coordination|governance|templates|signalbox\//m,
        )
      // The commits on the branch have the messages of the commit before.
      expect(git(root, ['diff', '--name-only', head, 'HEAD']).trim()).toBe(isLiteral ? 'README.md' : '')
      expect(git(root, ['rev-list', '--count', `${head}..HEAD`]).trim()).toBe(isLiteral ? '2' : '0')
    },
  )
}

for (const isLiteral of [false, true]) {
  verifies(
    'SA-13c',
    `messages of other workspaces in the repository stay too, ${isLiteral ? 'in the literal way' : 'by default'}`,
    async () => {
      const root = makeRepository()
      const [own, broken] = [join(root, 'parts/own'), join(root, 'parts/broken')]
      put(own, { 'code.txt': 'then\n' })
      if (isLiteral) put(own, { 'signalbox.yaml': 'session:\n  literalCheckpoints: true\n' })
      // One above, which has its messages in another folder, and one whose settings cannot be read.
      put(root, { 'signalbox.yaml': 'acmq:\n  root: mail\n', 'llm/notes.txt': 'then\n' })
      put(broken, { 'signalbox.yaml': 'nonsense: [', 'llm/missions/m.md': 'then\n' })
      await open(root)
      const above = workspace
      await above.acmq.create('m')
      const neutral = () => above.acmq.neutral()
      await (await neutral()).send!({ from: 'lead', to: 'coder-1', text: 'work' })
      git(root, ['add', '-A'])
      git(root, ['commit', '-q', '-m', 'messages'])
      const head = git(root, ['rev-parse', 'HEAD']).trim()
      await open(own)
      expect(await say('#CHECKPOINT:create:manual:before')).toBe('checkpoint_id:cp_001')
      expect(git(root, ['diff', '--name-only', head, 'HEAD'])).toBe('')

      const { receipt } = await takenBy(await neutral(), 'coder-1')
      await (await neutral()).done!(receipt, { text: 'done' })
      put(root, { 'llm/notes.txt': 'now\n', 'parts/own/code.txt': 'now\n', 'parts/broken/llm/missions/m.md': 'now\n' })
      const messages = () =>
        Object.entries(pictureOf(root).files).filter(([path]) => /^mail|^parts\/broken\/llm/.test(path))
      const then = messages()
      expect(then.length).toBeGreaterThan(5)
      expect(await say('#ROLLBACK:before')).toMatch(/Files restored: 2\n.*\nrolled_back:cp_001$/)
      expect(messages()).toEqual(then)
      expect(await say('#ROLLBACK:cp_002')).toMatch(/rolled_back:cp_002$/)
      expect(messages()).toEqual(then)
      for await (const { text } of (await neutral()).waitingFor('coder-1')) throw new Error(`back: ${await text()}`)
      await above.close()
    },
  )
}

verifies('SA-13c', 'folders that only Dream.OS would use are the user’s own where nobody uses it', async () => {
  const root = makeRepository()
  const own = ['runtime/app.txt', 'templates/page.html', 'temp/notes.txt', 'logs/today.txt', 'analysis/a.csv']
  put(root, Object.fromEntries(own.map((path) => [path, 'then\n'])))
  await open(root)
  await say('#CHECKPOINT:create:manual:before')
  const before = pictureOf(root).files
  for (const path of own) put(root, { [path]: 'now\n' })
  expect(await say('#CHECKPOINT:diff:before')).toMatch(/^Files changed: 5, Lines: \+5 -5/)
  expect(await say('#ROLLBACK:before')).toMatch(/rolled_back:cp_001$/)
  expect(pictureOf(root).files).toEqual(before)
})

verifies('SA-13c', 'what was a message tree at the checkpoint, or is one now, is left alone', async () => {
  const root = makeRepository()
  put(root, { 'mine/a.txt': 'then\n', 'queue/old.md': 'a message\n', 'signalbox.yaml': 'mr:\n  root: queue\n' })
  await open(root)
  await say('#CHECKPOINT:create:manual:before')
  await workspace.close()
  // Messages move to another folder, which had files of the user.
  put(root, { 'signalbox.yaml': 'mr:\n  root: mine\n', 'mine/a.txt': 'a message now\n', 'queue/new.md': 'late\n' })
  await open(root)
  expect(await say('#ROLLBACK:before')).toMatch(/rolled_back:cp_001$/)
  const read = (path: string) => fs.readFileSync(join(root, path), 'utf8')
  expect([read('mine/a.txt'), read('queue/old.md'), read('queue/new.md')]).toEqual([
    'a message now\n',
    'a message\n',
    'late\n',
  ])
})
