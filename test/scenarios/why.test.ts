/** Every sentence of `why`, as docs/guide/every-agent.md lists them, comes about. */
import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect } from 'vitest'
import { heldClock, openWorkspace, type Workspace } from '../../src/index.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const opened: Workspace[] = []
afterEach(async () => {
  for (const box of opened.splice(0)) await box.close()
})

async function open(files: Readonly<Record<string, string>> = {}) {
  const root = quickTempDir()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const clock = heldClock(Date.now())
  const box = await openWorkspace({ root, environment: {}, clock })
  opened.push(box)
  /** A millisecond apart, so that their order is known. */
  const send = async (to: string, more = {}) => {
    clock.advance(1)
    return (await box.send({ from: 'lead', to, text: 'Work', ...more })).message
  }
  const why = async (handle: string) => (await box.why(handle)).why
  return { root, box, clock, send, why }
}

describe('why', () => {
  verifies('X-ladder', 'a message is not taken', async () => {
    const { box, send, why } = await open()
    expect(await why((await send('coder')).handle)).toBe('Nobody has seen coder.')
    await box.take('coder')
    expect(await why((await send('codre')).handle)).toBe('Nobody has seen codre. Did you mean coder?')
    const waiting = await send('coder')
    expect(await why(waiting.handle)).toMatch(
      /^It waits for coder, who was last seen \S+ and cannot be woken from here; nothing is before it\.$/,
    )
    expect(await why((await send('coder')).handle)).toMatch(/; 1 before it\.$/)
    expect(await why((await send('all')).handle)).toBe('It waits for the first agent that takes it; none has.')
  })

  verifies('X-ladder', 'a message waits for another', async () => {
    const { root, box, send, why } = await open()
    const first = await send('coder')
    const second = await send('coder', { after: [first.handle] })
    expect(await why(second.handle)).toBe(`It waits for ${first.handle}, which is not finished.`)
    const { receipt } = (await box.take('coder'))!
    await box.fail(receipt, { reason: 'No' })
    expect(await why(second.handle)).toBe(`It waits for ${first.handle}, which has failed.`)
    const failed = join(root, 'llm/missions/main/queue/failed')
    unlinkSync(join(failed, readdirSync(failed)[0]!))
    expect(await why(second.handle)).toBe(`It waits for acmq:${first.id}, which is not there.`)
  })

  verifies('X-ladder', 'a message is held back, or lies where its recipient does not read', async () => {
    const { box, send, why } = await open({
      '.signalbox/policy.yaml': 'hold: ["deploy*"]\n',
      '.signalbox/agents/coder.yaml': 'home: mr\n',
    })
    const { handle } = await send('ops', { text: 'deploy it' })
    expect(await why(handle)).toBe('It is held back for a person: It matches "deploy*" of the policy.')
    const { mission } = await box.acmq.create('shop')
    const { message } = await mission.sending.send({ from: 'lead', to: 'coder', body: 'Natively' })
    expect(await why(`acmq:shop:${message.id}`)).toBe(
      'coder is at home in mr, and this lies in acmq: only a bridge carries it there, and none runs.',
    )
  })

  verifies('X-ladder', 'a message is read by a command of its own protocol alone', async () => {
    const { box } = await open()
    await box.dream.mailboxes.init(1)
    const sent = await box.dream.messages.send({ mailbox: 1, from: 'Lead', command: 'fix', params: {} })
    const mailed = `dream:${sent.message.message_id}`
    expect(await box.why(mailed)).toMatchObject({
      why: 'It waits for mailbox 1, and is read by a command of dream alone.',
      next: '`dream mailbox next {"mailbox":"1","as":"AGENT"}`',
    })
  })

  verifies('X-ladder', 'a message is not finished', async () => {
    const { box, clock, send, why } = await open()
    const native = await send('coder')
    const [mission] = await Promise.all((await box.acmq.all()).map((address) => box.acmq.open(address)))
    await mission!.claims.next({ agent: 'coder' })
    expect(await why(native.handle)).toMatch(
      /^coder has claimed it until \S+ by a command of acmq, last seen \S+; whether it was shown is not noted\.$/,
    )
    const shown = await send('coder')
    await box.take('coder')
    expect(await why(shown.handle)).toMatch(/^coder was shown it and works on it until \S+, last seen \S+\.$/)
    await box.notePresence('coder', { state: 'stuck', doing: 'waits for a permission' })
    expect(await why(shown.handle)).toMatch(
      /^coder has it until \S+, and is stuck since \S+ \(waits for a permission\)\.$/,
    )
    await box.notePresence('coder', { state: 'gone' })
    expect(await box.why(shown.handle)).toMatchObject({
      why: expect.stringMatching(/^coder has it until \S+, and is gone, last seen \S+\.$/),
      next: '`doctor {"fix":true}`',
    })
    clock.advance(2 * 3600_000)
    expect(await why(shown.handle)).toMatch(/^coder claimed it and did not finish it in time, last seen \S+\.$/)
  })

  verifies('X-ladder', 'a message is over', async () => {
    const { box, send, why } = await open()
    const [done, failed] = [await send('coder'), await send('coder')]
    await box.done((await box.take('coder'))!.receipt)
    await box.fail((await box.take('coder'))!.receipt, { reason: 'No access' })
    expect(await why(done.handle)).toBe('coder has finished it.')
    expect(await why(failed.handle)).toBe('It failed: No access')
  })

  verifies('X-ladder', 'a file is no message', async () => {
    const { root, box, send, why, clock } = await open()
    await send('coder')
    writeFileSync(join(root, 'llm/missions/main/queue/pending/broken-file.md'), 'no header')
    clock.advance(3600_000)
    await (await (await box.acmq.open('main')).upkeep()).supervise('lead')
    const [name] = readdirSync(join(root, 'llm/missions/main/queue/failed')).filter((one) => one.includes('broken'))
    expect(await why(name!)).toMatch(/^It is no message: /)
  })

  verifies('X-ladder', 'every sentence stands in the guide', () => {
    const page = readFileSync(new URL('../../docs/guide/every-agent.md', import.meta.url), 'utf8')
    for (const words of [
      'Nobody has seen',
      'cannot be woken',
      'is read by a command of',
      'the first agent that takes it',
      'which is not finished',
      'has failed',
      'is not there',
      'held back for a person',
      'only a bridge',
      'whether it was shown is not noted',
      'was shown it and works on it',
      'did not finish it in time',
      'and is gone',
      'and is stuck since',
      'has finished it',
      'It failed',
      'It is no message',
    ])
      expect(page, words).toContain(words)
  })
})
