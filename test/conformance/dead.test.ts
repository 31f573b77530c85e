/** What dead agents hold is freed, in every protocol, and nothing is taken from the living. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { AgentDirectory } from '../../src/messaging/agents/directory.ts'
import { GlobLocks } from '../../src/messaging/locks/glob-locks.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { type EnginePlace, onEveryEngine } from './every-engine.ts'

const homes = ['acmq:shop', 'mr', 'circe', 'dream', 'session']

onEveryEngine('what dead agents hold', (title, prepare, nodes) => {
  // A workspace has no tree in memory, and one home shows what three nodes can.
  if (title === 'memory') return
  describe.each(nodes > 1 ? ['mr'] : homes)(`on ${title}, an agent at home in %s`, (home) =>
    describeDead(home, prepare),
  )
})

function describeDead(home: string, prepare: () => Promise<EnginePlace>): void {
  let box: Workspace
  const clients: ChildProcess[] = []
  beforeEach(async () => {
    const { engine } = await prepare()
    box = await openWorkspace({ root: quickTempDir(), engine, environment: {} })
    await box.tree.create(treePath('.signalbox/agents/coder.yaml'), `home: ${home}\n`)
    await box.send({ from: 'lead', to: 'coder', text: 'Work' })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.kill('SIGKILL')
    await box.close()
  })

  /** A program that the agent runs in. */
  const startClient = (): ChildProcess & { readonly pid: number } => {
    const client = spawn('sleep', ['600'])
    clients.push(client)
    return client as ChildProcess & { readonly pid: number }
  }
  const end = async (client: ChildProcess) => {
    client.kill('SIGKILL')
    await once(client, 'exit')
  }
  const take = async () => (await box.take('coder'))!
  const supervise = async () => {
    let did = 0
    for await (const { name, run } of box.duties()) if (name === 'what dead agents hold') did += (await run()).did
    return did
  }
  const told = async () => {
    const leaf = await box.tree.read(treePath('.signalbox/state/presence/freed.jsonl'), { fresh: true })
    const lines = Buffer.from(leaf?.bytes ?? [])
      .toString('utf8')
      .split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, string>)
  }
  const lineOf = async (name: string) => (await box.agents()).agents.find((one) => one.name === name)
  const locks = () => new GlobLocks(box.tree)
  const lock = (owner: string, glob: string) => locks().take({ glob, owner, ttlMs: 3600_000 })

  verifies('X-presence', 'whose process has ended holds nothing any more, and the log tells it once', async () => {
    const client = startClient()
    await box.notePresence('coder', { state: 'busy', doing: 'the login', pid: client.pid, session: 's1' })
    const { receipt, message } = await take()
    await lock('coder', 'src/auth/**')
    await lock('lead', 'docs/**')
    expect(await lineOf('coder')).toMatchObject({
      home,
      presence: 'busy',
      doing: 'the login',
      session: 's1',
      inHand: [message.handle],
      locks: ['src/auth/**'],
      wake: 'no',
    })
    // A process that is only stopped is alive.
    client.kill('SIGSTOP')
    expect(await supervise()).toBe(0)
    client.kill('SIGCONT')
    await end(client)
    expect((await lineOf('coder'))?.presence).toBe('gone')
    expect(await supervise()).toBe(2)
    expect(await supervise()).toBe(0)
    expect(await told()).toMatchObject([
      { agent: 'coder', why: 'its process has ended', held: receipt },
      { agent: 'coder', why: 'its process has ended', held: 'lock src/auth/**' },
    ])
    expect((await locks().list()).map(({ glob }) => glob)).toEqual(['docs/**'])
    expect(await lineOf('coder')).toMatchObject({ presence: 'gone', inHand: [], locks: [] })
    // It comes back: it is alive, its old receipt counts no more, and the next one does.
    const again = await take()
    expect(again.message.handle).toBe(message.handle)
    await expect(box.done(receipt)).rejects.toMatchObject({ code: 'LOST_CLAIM', exit: 4 })
    expect(await supervise()).toBe(0)
    expect((await lineOf('coder'))?.presence).toBe('busy')
    expect((await box.done(again.receipt)).outcome).toBe('settled')
  })

  verifies('X-presence', 'is dead when its client says so, and only by the session that it is in', async () => {
    await box.notePresence('coder', { state: 'busy', session: 'new' })
    const { receipt } = await take()
    await box.notePresence('coder', { state: 'gone', session: 'old' })
    expect(await supervise()).toBe(0)
    await box.notePresence('coder', { state: 'stuck', doing: 'waits for a permission', session: 'new' })
    expect(await supervise()).toBe(0)
    expect(await lineOf('coder')).toMatchObject({ presence: 'stuck', doing: 'waits for a permission' })
    await box.notePresence('coder', { state: 'gone', session: 'new' })
    expect(await supervise()).toBe(1)
    expect(await told()).toMatchObject([{ agent: 'coder', why: 'it was noted as gone', held: receipt }])
  })

  verifies('X-presence', 'that took something by a short command, and is silent since, is not dead', async () => {
    const { receipt } = await take()
    expect(await supervise()).toBe(0)
    await box.notePresence('coder', { state: 'idle' })
    expect(await supervise()).toBe(0)
    expect((await box.done(receipt)).outcome).toBe('settled')
  })

  verifies('X-presence', 'that acts after its process has ended is alive, and keeps what it has', async () => {
    const client = startClient()
    await box.notePresence('coder', { state: 'busy', pid: client.pid })
    const { receipt } = await take()
    await end(client)
    await new AgentDirectory(box.tree).acted('coder')
    expect(await supervise()).toBe(0)
    expect((await box.renew(receipt)).outcome).toMatch(/^(settled|unchanged)$/)
    expect(await supervise()).toBe(0)
    // Found dead, and back before anything was freed.
    const next = startClient()
    await box.notePresence('coder', { state: 'busy', pid: next.pid })
    await end(next)
    expect((await lineOf('coder'))?.presence).toBe('gone')
    await box.renew(receipt)
    expect(await supervise()).toBe(0)
    expect((await box.done(receipt)).outcome).toBe('settled')
  })

  if (home !== 'dream') return
  verifies('X-presence', 'loses its mailbox, unless it has used it since', async () => {
    await box.dream.mailboxes.init(1)
    await box.dream.mailboxes.claim('coder')
    await box.notePresence('coder', { state: 'gone' })
    expect(await supervise()).toBe(1)
    expect(await told()).toMatchObject([{ agent: 'coder', held: 'mailbox 1' }])
    expect((await box.dream.mailboxes.list())[0]?.agent).toBeUndefined()
    expect((await box.dream.mailboxes.claim('other')).outcome).toBe('claimed')
  })
}
