/**
 * A task for an agent at home in one of the four other protocols goes out as a message there, and its completion or the answer to
 * it becomes the result: that one alone, and once, whoever is killed in between.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { carryIn } from '../../src/operations/session/bridging.ts'
import type { Message, Neutral, Receipt } from '../../src/protocols/contract.ts'
import type { Task } from '../../src/protocols/shared-agent/record.ts'
import { busOf } from '../support/bus.ts'
import { Killed } from '../support/mortal-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

let root: string
let workspace: Workspace
const environment = { PATH: process.env.PATH, HOME: '/nonexistent' }

const carriers = ['acmq', 'mr', 'circe', 'dream'] as const
type Via = (typeof carriers)[number]
/** What the orchestrator is called there: letters differ. */
const sender = { acmq: 'Orchestrator', mr: 'orchestrator', circe: 'orchestrator', dream: 'Orchestrator' } as const

beforeEach(async () => {
  root = quickTempDir()
  workspace = await openWorkspace({ root, environment })
  await workspace.sessions.start('s')
  await workspace.acmq.create('docs')
  const roles = carriers.map((via) => `  By_${via}:\n    via: ${via}\n    to: coder-1\n`).join('')
  writeFileSync(join(root, '.signalbox/session.yaml'), `roles:\n${roles}`)
})
afterEach(() => workspace.close())

const say = async (line: string) => (await workspace.sessions.say(line, { session: 's', agent: 'Orchestrator' })).answer
const work = () => workspace.sessions.work({ session: 's' })
const neutralOf = (via: Via): Promise<Neutral> => workspace[via].neutral()
const task = async (): Promise<Task> => {
  const leaf = await workspace.tree.read('.signalbox/state/sessions/s/session.json' as never)
  return JSON.parse(Buffer.from(leaf!.bytes).toString()).tasks[0]
}

async function takenBy(neutral: Neutral, agent: string): Promise<{ message: Message; receipt: Receipt }> {
  const taken = await neutral.take!(agent)
  if (taken.outcome !== 'taken') throw new Error('nothing to take')
  return taken
}

const waitingFor = async (neutral: Neutral, agent: string): Promise<string[]> => {
  const found: string[] = []
  for await (const { envelope } of neutral.waitingFor(agent)) found.push(envelope.summary)
  return found
}

/** Says that the task is done, as an agent of that protocol would. */
async function finish(via: Via, { message, receipt }: Awaited<ReturnType<typeof takenBy>>, text: string) {
  const neutral = await neutralOf(via)
  // Message Routing knows no completion: whoever is done writes back.
  if (via !== 'mr') return neutral.done!(receipt, { text })
  const { from, id } = message.envelope
  return neutral.send!({ from: 'coder-1', to: from, text, replyTo: id })
}

describe.each(carriers)('by %s', (via) => {
  verifies(['SA-8'], `${via}: the message has the task, and what comes of it is the result`, async () => {
    const neutral = await neutralOf(via)
    expect(await say(`#DELEGATE:By_${via}:test the login\\: now`)).toBe('ack:task_id_001')
    const taken = await takenBy(neutral, 'coder-1')
    expect(await taken.message.text()).toBe('test the login: now')
    expect(taken.message.envelope).toMatchObject({ from: sender[via], to: 'coder-1' })
    expect(await say('#SUMMARY')).toBe('done 0, running 1, blocked 0')
    await finish(via, taken, 'all green')
    expect(await say(`#REPORT:By_${via}:results`)).toBe('• test the login: now: all green')
    expect(await say('#SUMMARY')).toBe('done 1, running 0, blocked 0')
    // The answer was read, and nothing is left to be done.
    expect(await waitingFor(neutral, sender[via])).toEqual([])
    expect(await workspace.tree.list(treePath('.signalbox/state/bridge/open'))).toEqual([])
    expect(await work()).toEqual([])
    expect(await waitingFor(neutral, 'coder-1')).toEqual([])
    expect(await neutral.inspect({ repair: false })).toEqual([])
  })

  verifies(['SA-8'], `${via}: what a stranger writes to the same reader is not the result`, async () => {
    const neutral = await neutralOf(via)
    await say(`#DELEGATE:By_${via}:work`)
    const taken = await takenBy(neutral, 'coder-1')
    const { id } = taken.message.envelope
    const to = sender[via]
    await neutral.send!({ from: 'mallory', to, text: 'ignore that', replyTo: id })
    await neutral.send!({ from: 'mallory', to, text: 'buy this' })
    await neutral.send!({ from: 'coder-1', to, text: 'which branch?' })
    const other = await neutral.send!({ from: 'lead', to: 'coder-1', text: 'something else' })
    await neutral.send!({ from: 'coder-1', to, text: 'about something else', replyTo: other.message.id })
    expect(await work()).toEqual([])
    expect(await say('#SUMMARY')).toBe('done 0, running 1, blocked 0')
    await finish(via, taken, 'the real one')
    expect(await work()).toMatchObject([{ state: 'completed', result: 'the real one' }])
    const left = ['about something else', 'buy this', 'ignore that', 'which branch?']
    expect((await waitingFor(neutral, to)).sort()).toEqual(left)
  })

  // In AC-MQ and Dream.OS the message is completed, and its sender, who does not read there, is told nothing.
  if (via === 'mr' || via === 'circe') {
    verifies(['SA-8b', 'X-crash'], `${via}: killed before the answer is put away, the next one does it`, async () => {
      const neutral = await neutralOf(via)
      await say(`#DELEGATE:By_${via}:work`)
      await finish(via, await takenBy(neutral, 'coder-1'), 'fine')
      for (const verb of ['take', 'done'] as const) {
        const dying = (target: Neutral, key: string | symbol): unknown => {
          const call = Reflect.get(target, key) as unknown
          if (key === verb) return () => Promise.reject(new Killed())
          return typeof call === 'function' ? call.bind(target) : call
        }
        const bus = busOf(workspace.tree, {
          [via]: async () => new Proxy(neutral, { get: dying }),
          session: () => workspace.sessions.neutral(),
        })
        await expect(carryIn(bus, 's', { agents: [] })).rejects.toBeInstanceOf(Killed)
        expect(await task()).toMatchObject({ state: 'completed', result: 'fine' })
      }
      expect(await work()).toEqual([])
      expect(await say('#SUMMARY')).toBe('done 1, running 0, blocked 0')
      expect(await waitingFor(neutral, sender[via])).toEqual([])
      expect(await neutral.inspect({ repair: false })).toEqual([])
    })
  }

  verifies(['SA-8b', 'X-crash'], `${via}: what was sent is not sent again, unless that is what is wanted`, async () => {
    const neutral = await neutralOf(via)
    await say(`#DELEGATE:By_${via}:work`)
    await changeTask((one) => ({ ...one, state: 'pending', attempts: 0 }))
    expect(await work()).toEqual([])
    expect(await task()).toMatchObject({ state: 'in_progress', attempts: 1 })
    expect(await waitingFor(neutral, 'coder-1')).toEqual(['work'])
    // A retry is another message, and the answer to the first one does not count any more.
    const first = await takenBy(neutral, 'coder-1')
    expect(await say(`#RETRY:By_${via}:work`)).toBe('ack:task_id_001')
    expect(await task()).toMatchObject({ state: 'in_progress', attempts: 2 })
    await finish(via, first, 'too late')
    expect(await work()).toEqual([])
    const second = await takenBy(neutral, 'coder-1')
    await finish(via, second, 'in time')
    expect(await work()).toMatchObject([{ state: 'completed', result: 'in time' }])
  })

  verifies(['SA-8b'], `${via}: what an earlier version has handed over comes to its end`, async () => {
    const neutral = await neutralOf(via)
    const sent = await neutral.send!({ from: 'session-s', to: 'coder-1', text: 'work' })
    await say('#DELEGATE:Nobody:work')
    const { id: message } = sent.message
    const before = { via, message, sender: 'session-s', sentAt: 0, state: 'in_progress', attempts: 1 } as const
    await changeTask((one) => ({ ...one, agent: `By_${via}`, ...before }))
    expect(await work()).toEqual([])
    await finish(via, await takenBy(neutral, 'coder-1'), 'late but fine')
    expect(await say(`#REPORT:By_${via}:results`)).toBe('• work: late but fine')
    expect(await waitingFor(neutral, 'session-s')).toEqual([])
  })
})

/** What a killed process leaves behind. */
async function changeTask(change: (task: Task) => Task): Promise<void> {
  const path = '.signalbox/state/sessions/s/session.json' as never
  const leaf = (await workspace.tree.read(path))!
  const session = JSON.parse(Buffer.from(leaf.bytes).toString())
  session.tasks = [change(session.tasks[0])]
  await workspace.tree.replace(path, Buffer.from(`${JSON.stringify(session)}\n`), leaf.revision)
}

verifies(['SA-8'], 'a failure is one, in every protocol that knows failures', async () => {
  for (const via of ['acmq', 'dream'] as const) {
    await say(`#DELEGATE:By_${via}:work`)
    const neutral = await neutralOf(via)
    const { receipt } = await takenBy(neutral, 'coder-1')
    await neutral.failed!(receipt, { reason: 'no disk' })
  }
  await say('#DELEGATE:By_mr:work')
  const [message] = (await workspace.mr.claiming.receive('coder-1')).messages
  const reply = { from: 'coder-1', to: message!.from, replyTo: message!.id } as const
  // An acknowledgement and a sign of progress are no result.
  await workspace.mr.sending.send({
    ...reply,
    type: 'status-update',
    payload: { status: 'in_progress', message: 'on it' },
  })
  expect(await say('#SUMMARY')).toBe('done 0, running 1, blocked 0, failed 2')
  await workspace.mr.sending.send({ ...reply, type: 'result', payload: { status: 'failure', issues: ['broken'] } })
  await work()
  expect(await say('#SUMMARY')).toBe('done 0, running 0, blocked 0, failed 3')
  expect(await say('#REPORT:By_mr:results')).toBe('• status: failure\n• issues: ["broken"]')
  expect(await say('#REPORT:By_acmq:results')).toBe('• work: no disk')
  expect(await say('#REPORT:By_dream:results')).toBe('• work: no disk')
})

verifies(
  ['SA-8'],
  'an answer of another program, which names no message, counts when it can mean no other',
  async () => {
    await say('#DELEGATE:By_mr:work')
    await workspace.mr.claiming.receive('coder-1')
    const said = { from: 'coder-1', to: 'orchestrator', type: 'result', payload: { status: 'success' } } as const
    await workspace.mr.sending.send(said)
    expect(await work()).toMatchObject([{ state: 'completed' }])
    await say('#DELEGATE:By_circe:work')
    await workspace.circe.claiming.claim('coder-1')
    const answer = {
      from: 'coder-1',
      to: 'orchestrator',
      intent: 'answer',
      status: 'completed',
      body: 'did it',
    } as const
    await workspace.circe.sending.send(answer)
    expect(await work()).toMatchObject([{ state: 'completed', result: 'did it' }])
  },
)

verifies(['SA-8', 'SA-12c'], 'a task that depends on another goes out when that is done', async () => {
  const neutral = await neutralOf('mr')
  await workspace.sessions.say('#DEPENDS:By_acmq:write', { session: 's', agent: 'By_mr' })
  expect(await say('#DELEGATE:By_mr:check')).toBe('ack:task_id_001\nwaits_for:By_acmq:write')
  expect(await say('#DELEGATE:By_acmq:write')).toBe('ack:task_id_002')
  expect(await work()).toEqual([])
  expect(await waitingFor(neutral, 'coder-1')).toEqual([])
  await finish('acmq', await takenBy(await neutralOf('acmq'), 'coder-1'), 'written')
  await work()
  expect(await waitingFor(neutral, 'coder-1')).toEqual(['check'])
})

verifies(['SA-8'], 'what cannot be handed over is recorded, and goes out when it can', async () => {
  await say('#DELEGATE:Nobody:work')
  expect(await say('#DELEGATE:Nobody:work')).toBe('ack:task_id_002\nunassigned:Nobody')
  const role = async (to: string) => {
    const text = `roles:\n  Later:\n    via: acmq\n    to: ${to}\n    place: new\n`
    writeFileSync(join(root, '.signalbox/session.yaml'), text)
    await workspace.close()
    workspace = await openWorkspace({ root, environment })
  }
  await role('"no name: this"')
  expect(await say('#DELEGATE:Later:later')).toBe('ack:task_id_003\nnot_handed_over:REFUSED')
  expect(await say('#REPORT:Later:results')).toContain('• later: AC-MQ does not take it')
  await role('coder-1')
  expect(await say('#RETRY:Later:later')).toBe('ack:task_id_003')
  expect(await waitingFor(await neutralOf('acmq'), 'coder-1')).toEqual(['later'])
})

describe('an agent whose file says that it is at home in AC-MQ', () => {
  beforeEach(async () => {
    await workspace.tree.create(treePath('.signalbox/agents/gemini.yaml'), 'home: acmq:docs\n')
    await workspace.tree.create(treePath('.signalbox/agents/Orchestrator.yaml'), 'home: session:s\n')
  })
  const pass = () => cliJson(['bridge', '--once'], { cwd: root }, quickCli).output

  verifies(['SA-8', 'X-bridge'], 'gets what is delegated, at once', async () => {
    expect(await say('#DELEGATE:gemini:design the schema:P2')).toBe('ack:task_id_001')
    const { message, receipt } = await takenBy(await neutralOf('acmq'), 'gemini')
    expect(message.envelope).toMatchObject({ from: 'Orchestrator', urgency: 'normal', place: 'docs' })
    await (await neutralOf('acmq')).done!(receipt, { text: 'three tables' })
    expect(await say('#REPORT:gemini:results')).toBe('• design the schema: three tables')
  })

  verifies(['SA-12d', 'X-bridge'], 'gets what it is told, once, and what it tells comes back', async () => {
    await workspace.sessions.say('#SUBSCRIBE:news', { session: 's', agent: 'gemini' })
    await say('#DIRECT:gemini:the build is red')
    await say('#BROADCAST:news:the build is green')
    expect(pass()).toMatchObject({ carried: [{}, {}], notices: [] })
    expect(pass()).toMatchObject({ carried: [], settled: [], notices: [] })
    expect(await workspace.sessions.inbox('gemini', { session: 's' })).toEqual([])
    const neutral = await neutralOf('acmq')
    for (const text of ['the build is red', 'the build is green']) {
      const { message, receipt } = await takenBy(neutral, 'gemini')
      expect(message.envelope).toMatchObject({ from: 'Orchestrator', kind: 'tell' })
      expect(await message.text()).toBe(text)
      await neutral.done!(receipt)
    }
    await neutral.send!({ from: 'gemini', to: 'Orchestrator', text: 'I have seen it', kind: 'tell' })
    expect(pass()).toMatchObject({ carried: [{}] })
    expect(await workspace.sessions.inbox('Orchestrator', { session: 's' })).toMatchObject([
      { kind: 'DIRECT', from: 'gemini', text: 'I have seen it' },
    ])
  })

  verifies(
    ['SA-12d', 'X-bridge', 'X-crash'],
    'gets what is told to many, though a bridge was killed with it',
    async () => {
      for (const agent of ['Dev', 'gemini']) await workspace.sessions.say('#SUBSCRIBE:news', { session: 's', agent })
      await say('#BROADCAST:news:the build is green')
      const dying = { ...(await neutralOf('acmq')), send: () => Promise.reject(new Killed()) }
      const neutrals = { acmq: async () => dying, session: () => workspace.sessions.neutral() }
      await expect(carryIn(busOf(workspace.tree, neutrals), 's', {})).rejects.toBeInstanceOf(Killed)
      expect(pass()).toMatchObject({ carried: [{}], notices: [] })
      expect(await waitingFor(await neutralOf('acmq'), 'gemini')).toEqual(['the build is green'])
      expect(await waitingFor(await workspace.sessions.neutral(), 'gemini')).toEqual([])
      expect(await workspace.sessions.inbox('Dev', { session: 's' })).toMatchObject([{ text: 'the build is green' }])
    },
  )

  verifies(['SA-8', 'X-bridge'], 'is there, whatever a role says', async () => {
    writeFileSync(join(root, '.signalbox/session.yaml'), 'roles:\n  gemini:\n    via: mr\n    to: coder-1\n')
    await say('#DELEGATE:gemini:work')
    expect(await waitingFor(await neutralOf('acmq'), 'gemini')).toEqual(['work'])
    expect(await waitingFor(await neutralOf('mr'), 'coder-1')).toEqual([])
  })
})
