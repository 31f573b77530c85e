/** AC-MQ as its specification tells it, by the library, on real files. */
import fs from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Claimed } from '../../src/protocols/ac-mq/store/outcomes.ts'
import { type AcmqBox, memoryBox, openBox } from '../support/acmq.ts'
import { tempDir } from '../support/temp.ts'

let root: string
let box: AcmqBox

const queue = (name: string) => join(root, 'llm/missions/alpha/queue', name)
const files = (name: string) => fs.readdirSync(queue(name)).sort()
const textIn = (folder: string, name: string) => fs.readFileSync(join(queue(folder), name), 'utf8')
const claimedBy = (claimed: Claimed) => {
  if (claimed.outcome !== 'claimed') throw new Error(`nothing to claim: ${JSON.stringify(claimed)}`)
  return claimed.message
}
const send = (
  summary: string,
  options: { to?: string; priority?: number; after?: string[]; id?: string; timeoutSeconds?: number } = {},
) =>
  box.mission.sending.send({
    from: 'claude',
    to: options.to ?? 'gemini',
    body: `${summary}\n`,
    summary,
    ...(options.priority === undefined ? {} : { priority: options.priority }),
    ...(options.after ? { dependencies: options.after } : {}),
    ...(options.id === undefined ? {} : { id: options.id }),
    ...(options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }),
  })
const claim = async (agent = 'gemini') => box.mission.claims.next({ agent })
const claimMessage = async (agent?: string) => claimedBy(await claim(agent))

const minute = 60_000

beforeEach(async () => {
  root = tempDir()
  box = await openBox(root)
})
afterEach(() => box.close())

describe('a message', () => {
  it('goes from queue to queue, and its status with it', async () => {
    const { message } = await send('Design the schema')
    expect(files('pending')).toEqual([message.name])
    expect(message.name).toMatch(/^\d{14}-[0-9a-f]{8}-from-claude-to-gemini\.md$/)
    expect(textIn('pending', message.name)).toContain('status: pending   \n')
    const claimed = await claimMessage()
    expect(claimed).toMatchObject({
      id: message.id,
      state: 'processing',
      attempt: 1,
      body: 'Design the schema\n',
      protocol: 'acmq',
    })
    expect([files('pending'), files('processing')]).toEqual([[], [message.name]])
    expect(textIn('processing', message.name)).toContain('status: processing\n')
    const done = await box.mission.settling.complete(
      claimed,
      { agent: 'gemini', attempt: 1 },
      { text: 'Three tables.', links: ['artifacts/schema.sql'] },
    )
    expect(done.outcome).toBe('completed')
    expect([files('processing'), files('completed')]).toEqual([[], [message.name]])
    const text = textIn('completed', message.name)
    expect(text).toMatch(/^status: completed\s*$/m)
    expect(text).toContain('Design the schema\n')
    expect(text).toContain('Three tables.')
    expect(text).toContain('artifacts/schema.sql')
  })

  it('[AC-4.4] that fails keeps its report and can be found in failed', async () => {
    const { message } = await send('Impossible')
    await claimMessage()
    await box.mission.settling.fail(
      message.id,
      { agent: 'gemini' },
      { reason: 'No network', detail: 'Tried three times.' },
    )
    const text = textIn('failed', message.name)
    expect(text).toMatch(/\n\n---\n\n\*\*Failure Report\*\*\n\n/)
    expect(text).toContain('No network')
    expect(text).toContain('Tried three times.')
    expect(text).toContain('gemini')
    expect(text).toMatch(/^status: failed\s*$/m)
  })

  it('[AC-4.2a] is claimed by priority, then time, then id, for the agent or for all', async () => {
    const order: string[] = []
    const at = (n: number) => `2026-01-01T00:00:0${n}Z`
    const put = (id: string, to: string, priority: number, second: number) =>
      box.mission.sending.send({ from: 'claude', to, body: id, summary: id, priority, id, timestamp: at(second) })
    await put('low', 'gemini', 5, 1)
    await put('b-same', 'gemini', 3, 2)
    await put('a-same', 'gemini', 3, 2)
    await put('older', 'all', 3, 1)
    await put('urgent', 'all', 1, 9)
    await put('not-mine', 'codex', 1, 0)
    for (let claimed = await claim(); claimed.outcome === 'claimed'; claimed = await claim())
      order.push(claimed.message.id)
    expect(order).toEqual(['urgent', 'older', 'a-same', 'b-same', 'low'])
  })

  it('[AC-7.3] to all goes to whoever claims first, who then stands in it; the file keeps its name', async () => {
    const { message } = await send('Anybody', { to: 'all' })
    const outcomes = await Promise.all(['gemini', 'codex', 'cursor'].map((agent) => box.mission.claims.next({ agent })))
    const winners = outcomes.flatMap((claimed) => (claimed.outcome === 'claimed' ? [claimed.message.to] : []))
    expect(winners.length).toBe(1)
    expect(files('processing')).toEqual([message.name])
    expect(message.name).toMatch(/-to-all\.md$/)
    expect(textIn('processing', message.name)).toContain(`to: ${winners[0]}\n`)
  })

  it('[AC-8.3] can be sent, claimed, completed and failed twice without harm', async () => {
    const first = await send('Once', { id: 'fixed-id-1' })
    expect(first.outcome).toBe('sent')
    expect((await send('Once', { id: 'fixed-id-1' })).outcome).toBe('unchanged')
    await expect(send('Other content', { id: 'fixed-id-1' })).rejects.toMatchObject({ code: 'DUPLICATE_ID', exit: 4 })
    for (const other of [{ to: 'codex' }, { priority: 1 }, { after: ['msg:nobody'] }, { timeoutSeconds: 5 }]) {
      await expect(send('Once', { id: 'fixed-id-1', ...other })).rejects.toMatchObject({ code: 'DUPLICATE_ID' })
    }
    await expect(
      box.mission.sending.send({ from: 'claude', to: 'gemini', body: '', summary: 'Once', id: 'fixed-id-1' }),
    ).rejects.toMatchObject({ code: 'DUPLICATE_ID' })
    expect(files('pending').length).toBe(1)
    await box.mission.claims.next({ agent: 'gemini', id: 'fixed-id-1' })
    expect((await box.mission.claims.next({ agent: 'gemini', id: 'fixed-id-1' })).outcome).toBe('claimed')
    await box.mission.settling.complete('fixed-id-1', { agent: 'gemini' }, { text: 'first' })
    expect(
      (await box.mission.settling.complete('fixed-id-1', { agent: 'gemini' }, { text: 'another result' })).outcome,
    ).toBe('unchanged')
    expect(textIn('completed', first.message.name)).toContain('first')
    expect(textIn('completed', first.message.name)).not.toContain('another result')
    expect((await box.missions.create('alpha')).outcome).toBe('unchanged')
    const { message } = await send('Fails')
    await claimMessage()
    await box.mission.settling.fail(message.id, { agent: 'gemini' }, { reason: 'no' })
    expect((await box.mission.settling.fail(message.id, { agent: 'gemini' }, { reason: 'again' })).outcome).toBe(
      'unchanged',
    )
    expect((await (await box.mission.upkeep()).archive({ olderThanMs: 0 })).archived).toBe(1)
    expect((await (await box.mission.upkeep()).archive({ olderThanMs: 0 })).outcome).toBe('nothing')
    // In the archive it is still the same message.
    expect((await send('Once', { id: 'fixed-id-1' })).outcome).toBe('unchanged')
    await expect(send('Other content', { id: 'fixed-id-1' })).rejects.toMatchObject({ code: 'DUPLICATE_ID' })
    expect((await box.mission.settling.complete('fixed-id-1', { agent: 'gemini' }, { text: 'again' })).outcome).toBe(
      'unchanged',
    )
    await expect(box.mission.settling.complete('fixed-id-1', { agent: 'codex' })).rejects.toMatchObject({
      code: 'LOST_CLAIM',
    })
    // A message for all stays the same when somebody has taken it, and a large body when it is stored elsewhere.
    await send('Anybody', { to: 'all', id: 'for-all-1' })
    await claimMessage()
    expect((await send('Anybody', { to: 'all', id: 'for-all-1' })).outcome).toBe('unchanged')
    const large = { from: 'claude', to: 'gemini', body: 'x'.repeat(300 * 1024), summary: 'Large', id: 'large-1' }
    expect((await box.mission.sending.send(large)).outcome).toBe('sent')
    expect((await box.mission.sending.send(large)).outcome).toBe('unchanged')
    await expect(box.mission.sending.send({ ...large, body: `${large.body}y` })).rejects.toMatchObject({
      code: 'DUPLICATE_ID',
    })
  })

  it('[AC-3.1b] shares second and short id with another without colliding; the short id is then refused', async () => {
    const timestamp = '2026-01-01T00:00:00Z'
    for (const id of ['a1b2c3d4-0000-4000-8000-000000000001', 'a1b2c3d4-0000-4000-8000-000000000002']) {
      await box.mission.sending.send({ from: 'claude', to: 'gemini', body: id, id, timestamp })
    }
    expect(new Set(files('pending')).size).toBe(2)
    await expect((await box.mission.overview()).show('a1b2c3d4')).rejects.toMatchObject({
      code: 'AMBIGUOUS_ID',
      exit: 4,
    })
    const [one] = (await (await box.mission.overview()).list('pending')).messages
    expect((await (await box.mission.overview()).show(one!.id)).id).toBe(one!.id)
  })

  describe('[AC-3.1b] that shares its file name with one that has moved on', () => {
    const ids = ['a1b2c3d4-0000-4000-8000-000000000001', 'a1b2c3d4-0000-4000-8000-000000000002'] as const
    const timestamp = '2026-01-01T00:00:00Z'
    const name = '20260101000000-a1b2c3d4-from-claude-to-gemini.md'
    const sendAs = (id: string) => box.mission.sending.send({ from: 'claude', to: 'gemini', body: id, id, timestamp })
    /** As if it had been sent without knowing of the other: by another process, or under an id made up there. */
    async function sendBlindly(id: string): Promise<void> {
      const { message } = await sendAs(id)
      fs.renameSync(join(queue('pending'), message.name), join(queue('pending'), name))
      await box.close()
      box = await openBox(root)
    }

    it('is claimed, completed and failed beside it, each once', async () => {
      await sendAs(ids[0])
      const first = await claimMessage()
      await sendBlindly(ids[1])
      const second = await claimMessage()
      expect([first.id, second.id]).toEqual(ids)
      expect(files('processing')).toEqual([second.name, first.name].sort())
      await box.mission.settling.complete(first, { agent: 'gemini', attempt: 1 })
      await box.mission.settling.complete(second, { agent: 'gemini', attempt: 1 })
      expect((await (await box.mission.overview()).list('completed')).messages.map(({ id }) => id).sort()).toEqual(ids)
      expect([files('pending'), files('processing')]).toEqual([[], []])
    })

    it('is completed under another name where only there its name is taken, and fails and waits again likewise', async () => {
      await sendAs(ids[0])
      await box.mission.settling.complete(await claimMessage(), { agent: 'gemini' })
      await sendBlindly(ids[1])
      const second = await claimMessage()
      expect(second.name).toBe(name)
      const { message } = await box.mission.settling.complete(second, { agent: 'gemini' })
      expect(message).toMatchObject({ id: ids[1], state: 'completed' })
      expect(files('completed').sort()).toEqual([message.name, name].sort())
      expect(textIn('completed', message.name)).toContain(ids[1])
      expect(textIn('completed', name)).toContain(ids[0])
    })

    it('is failed by supervision and tried again beside it', async () => {
      const clock = heldClock(Date.now())
      await box.close()
      box = await openBox(root, { clock })
      await sendAs(ids[0])
      await box.mission.settling.fail(await claimMessage(), { agent: 'gemini' }, { reason: 'no' })
      await sendAs(ids[1])
      const waiting = files('pending')[0]!
      fs.renameSync(join(queue('pending'), waiting), join(queue('pending'), name))
      await box.close()
      box = await openBox(root, { clock })
      await claimMessage()
      clock.advance(3601 * 1000)
      fs.utimesSync(join(queue('processing'), name), new Date(0), new Date(0))
      clock.advance(3601 * 1000)
      const { stalled } = await (await box.mission.upkeep()).supervise()
      expect(stalled.map(({ message }) => message.id)).toEqual([ids[1]])
      expect((await (await box.mission.overview()).list('failed')).messages.map(({ id }) => id).sort()).toEqual(ids)
      for (const id of ids) await box.mission.settling.retry(id)
      const waitingAgain = (await (await box.mission.overview()).list('pending')).messages.filter(
        ({ attempt }) => attempt === 2,
      )
      expect(waitingAgain.map(({ id }) => id).sort()).toEqual(ids)
    })

    it('[AC-7.1a] is not taken for it by those who wait for it', async () => {
      await sendAs(ids[0])
      await box.mission.settling.complete(await claimMessage(), { agent: 'gemini' })
      await sendBlindly(ids[1])
      await send('Afterwards', { after: [`msg:${ids[1]}`], to: 'codex' })
      expect(await claim('codex')).toMatchObject({ outcome: 'nothing' })
      await box.mission.settling.complete(await claimMessage(), { agent: 'gemini' })
      expect((await claimMessage('codex')).summary).toBe('Afterwards')
    })
  })

  it('[AC-10.2] with a large body refers to it; nothing is cut', async () => {
    const body = 'x'.repeat(300 * 1024)
    const { message, notices } = await box.mission.sending.send({
      from: 'claude',
      to: 'gemini',
      body,
      summary: 'Large',
    })
    expect(notices.join()).toContain('context/')
    const path = `context/message-${message.id}.md`
    expect(fs.readFileSync(join(root, 'llm/missions/alpha', path), 'utf8')).toBe(body)
    expect(await claimMessage()).toMatchObject({ id: message.id, dependencies: [`path:${path}`] })
  })
})

describe('dependencies', () => {
  it('[AC-7.1a] hold a message back until all are completed or there', async () => {
    const schema = (await send('Design the schema')).message
    const model = (await send('Design the model', { to: 'codex' })).message
    const code = (
      await send('Write the endpoints', {
        after: [`msg:${schema.id}`, model.id.slice(0, 8), 'path:./artifacts/db.sql'],
      })
    ).message
    expect((await claimMessage()).id).toBe(schema.id)
    const reasons = async () => (await (await box.mission.overview()).blocked()).map(({ reason }) => reason).join()
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    expect(await reasons()).toContain(schema.id.slice(0, 8))
    await box.mission.settling.complete(schema.id, { agent: 'gemini' })
    await claimMessage('codex')
    await box.mission.settling.complete(model.id, { agent: 'codex' })
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    expect(await reasons()).toContain('artifacts/db.sql')
    fs.writeFileSync(join(root, 'llm/missions/alpha/artifacts/db.sql'), 'create table')
    expect((await claimMessage()).id).toBe(code.id)
  })

  it('[AC-7.1c] say why: waiting, failed, unknown, missing, circular', async () => {
    const first = (await send('First')).message
    await send('Waits', { after: [`msg:${first.id}`] })
    await send('Unknown', { after: ['msg:00000000-0000-4000-8000-000000000000'] })
    await send('Missing', { after: ['path:context/nothing.md'] })
    const reasons = async () =>
      Object.fromEntries(
        (await (await box.mission.overview()).blocked()).map(({ message, reason }) => [message.summary, reason]),
      )
    expect(await reasons()).toMatchObject({
      Waits: expect.stringContaining('pending'),
      Unknown: expect.stringMatching(/not known/),
      Missing: expect.stringContaining('context/nothing.md'),
    })
    await claimMessage()
    await box.mission.settling.fail(first.id, { agent: 'gemini' }, { reason: 'no' })
    expect((await reasons()).Waits).toMatch(/failed/)
  })

  it('[AC-7.1b] that would close a circle are refused, and circles on disk hang nothing', async () => {
    await send('One', { id: 'circle-one', after: ['msg:circle-two'] })
    await expect(send('Two', { id: 'circle-two', after: ['msg:circle-one'] })).rejects.toMatchObject({
      code: 'DEPENDENCY_CYCLE',
      message: expect.stringContaining('circle-one'),
    })
    const { name } = (await send('Other', { id: 'circle-three' })).message
    const text = textIn('pending', name)
      .replace('dependencies: []', 'dependencies:\n  - "msg:circle-three"')
      .replaceAll('circle-three', 'circle-two')
      .replace('msg:circle-two', 'msg:circle-one')
    fs.writeFileSync(join(queue('pending'), 'by-hand.md'), text)
    fs.unlinkSync(join(queue('pending'), name))
    await send('Free')
    expect((await claimMessage()).summary).toBe('Free')
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    const reasons = (await (await box.mission.overview()).blocked()).map(({ reason }) => reason)
    expect(reasons.length).toBe(2)
    for (const reason of reasons) expect(reason).toMatch(/circle-(one|two)/)
  })

  it('[AC-7.1d] a diamond of 10,000 drains in order', async () => {
    const memory = await memoryBox()
    const width = 9_998
    const put = (id: string, dependencies: string[]) =>
      memory.mission.sending.send({ from: 'claude', to: 'gemini', body: id, id, dependencies })
    const top = await memory.mission.sending.send({ from: 'claude', to: 'gemini', body: 'top' })
    const middle: string[] = []
    for (let i = 0; i < width; i++) {
      const sent = await memory.mission.sending.send({
        from: 'claude',
        to: 'gemini',
        body: `${i}`,
        dependencies: [`msg:${top.message.id}`],
      })
      middle.push(sent.message.id)
    }
    await put(
      'bottom',
      middle.slice(0, 500).map((id) => `msg:${id}`),
    )
    const done = new Set<string>()
    let last = ''
    for (let count = 0; count < width + 2; count++) {
      const message = claimedBy(await memory.mission.claims.next({ agent: 'gemini' }))
      for (const dependency of message.dependencies) expect(done.has(dependency.slice(4))).toBe(true)
      await memory.mission.settling.complete(message, { agent: 'gemini', attempt: message.attempt })
      done.add(message.id)
      last = message.id
    }
    expect(done.size).toBe(width + 2)
    expect(done.has('bottom')).toBe(true)
    expect(last).not.toBe(top.message.id)
    await memory.close()
  }, 600_000)
})

describe('a claim is a lease', () => {
  it('[AC-8.2a] and is found stalled when its time has run out', async () => {
    const clock = heldClock(Date.now())
    const timed = await openBox(root, { clock })
    const { message } = await send('Slow', { timeoutSeconds: 60 })
    await timed.mission.claims.next({ agent: 'gemini' })
    expect(await (await timed.mission.supervision()).findStalled()).toEqual([])
    clock.advance(2 * minute)
    expect(await (await timed.mission.supervision()).findStalled()).toMatchObject([
      { message: { id: message.id }, overdueSeconds: expect.any(Number) },
    ])
    await timed.close()
  })

  it('[AC-8.2b] [AC-8.2d] then fails with a report, and its sender is asked once', async () => {
    const clock = heldClock(Date.now())
    const timed = await openBox(root, { clock })
    const { message } = await send('Slow', { timeoutSeconds: 60 })
    await timed.mission.claims.next({ agent: 'gemini' })
    clock.advance(2 * minute)
    const swept = await (await timed.mission.upkeep()).supervise()
    expect(swept.stalled).toMatchObject([{ message: { id: message.id, state: 'failed' } }])
    expect((await (await timed.mission.upkeep()).supervise()).outcome).toBe('nothing')
    expect(textIn('failed', message.name)).toContain('Stalled')
    // The late worker did not fail it: it is told that its claim is over.
    await expect(
      timed.mission.settling.fail(message.id, { agent: 'gemini', attempt: 1 }, { reason: 'Too late' }),
    ).rejects.toMatchObject({ code: 'LOST_CLAIM', exit: 4 })
    expect(textIn('failed', message.name)).not.toContain('Too late')
    const { messages } = await (await timed.mission.overview()).list('pending')
    expect(messages).toMatchObject([{ to: 'claude', priority: 1, summary: expect.stringContaining('gemini') }])
    // A crash between the question and the move: the move is made up for, the question is not asked again.
    fs.renameSync(join(queue('failed'), message.name), join(queue('processing'), message.name))
    fs.writeFileSync(
      join(queue('processing'), message.name),
      textIn('processing', message.name).replace(/^status: .*$/m, 'status: processing'),
    )
    clock.advance(2 * minute)
    await (await timed.mission.upkeep()).supervise()
    expect(files('pending').length).toBe(1)
    // The question itself stalls: nobody is asked about it.
    await timed.mission.claims.next({ agent: 'claude' })
    clock.advance(3 * 60 * minute)
    await (await timed.mission.upkeep()).supervise()
    expect(files('pending')).toEqual([])
    expect(files('failed').length).toBe(2)
    await timed.close()
  })

  it('[AC-8.2c] that is renewed goes on; after a retry the old attempt is told that it is over', async () => {
    const clock = heldClock(Date.now())
    const timed = await openBox(root, { clock })
    const { message } = await send('Slow', { timeoutSeconds: 60 })
    const first = claimedBy(await timed.mission.claims.next({ agent: 'gemini' }))
    clock.advance(50_000)
    await timed.mission.settling.renew(first, { agent: 'gemini', attempt: 1 })
    clock.advance(50_000)
    expect((await (await timed.mission.upkeep()).supervise()).outcome).toBe('nothing')
    clock.advance(50_000)
    expect((await (await timed.mission.upkeep()).supervise()).outcome).toBe('swept')
    await expect(timed.mission.settling.renew(first, { agent: 'gemini', attempt: 1 })).rejects.toMatchObject({
      code: 'LOST_CLAIM',
      exit: 4,
    })
    expect(await timed.mission.settling.retry(message.id)).toMatchObject({
      outcome: 'retried',
      message: { attempt: 2 },
    })
    expect((await timed.mission.settling.retry(message.id)).outcome).toBe('unchanged')
    const second = claimedBy(await timed.mission.claims.next({ agent: 'gemini' }))
    expect(second).toMatchObject({ id: message.id, attempt: 2 })
    const late = { agent: 'gemini', attempt: 1 }
    await expect(timed.mission.settling.complete(first, late, { text: 'late' })).rejects.toMatchObject({
      code: 'LOST_CLAIM',
      exit: 4,
    })
    await expect(timed.mission.settling.fail(message.id, late, { reason: 'late' })).rejects.toMatchObject({
      code: 'LOST_CLAIM',
    })
    await expect(timed.mission.settling.renew(message.id, late)).rejects.toMatchObject({ code: 'LOST_CLAIM' })
    await expect(timed.mission.settling.complete(message.id, { agent: 'codex' })).rejects.toMatchObject({
      code: 'NOT_YOUR_MESSAGE',
      exit: 4,
    })
    expect(textIn('processing', message.name)).not.toContain('late')
    expect((await timed.mission.settling.complete(second, { agent: 'gemini', attempt: 2 })).outcome).toBe('completed')
    await timed.close()
  })

  it('[AC-4.2c] restarts the clock of a message that waited long', async () => {
    const { message } = await send('Waited', { timeoutSeconds: 60 })
    const long = Date.now() / 1000 - 3600
    fs.utimesSync(join(queue('pending'), message.name), long, long)
    await claimMessage()
    expect(fs.statSync(join(queue('processing'), message.name)).mtimeMs).toBeGreaterThan(Date.now() - 30_000)
    expect(await (await box.mission.supervision()).findStalled()).toEqual([])
  })
})

describe('what others write', () => {
  const byHand = (header: string, body = 'Do it.\n') => `---\n${header}---\n${body}`

  it('a message made by hand is as good as any: other order, comments, CRLF, extra fields, other name', async () => {
    const text = byHand(
      [
        '# made by hand',
        'to: gemini',
        'owner: me # extra',
        'summary: "By hand"',
        'id: hand-made-1',
        'priority: 1 # 1 (High) to 5 (Low)',
        'from: claude',
        'status: pending',
        'timestamp: 2026-01-01T00:00:00Z',
        'mission_id: alpha',
        '',
      ].join('\r\n'),
      'Body\r\n---\r\nwith a rule\r\n',
    ).replaceAll('---\n', '---\r\n')
    fs.writeFileSync(join(root, '.hidden'), text)
    fs.renameSync(join(root, '.hidden'), join(queue('pending'), '2026-note.md'))
    const message = await claimMessage()
    expect(message).toMatchObject({ id: 'hand-made-1', priority: 1, timeoutSeconds: 3600 })
    expect(textIn('processing', '2026-note.md')).toBe(text.replace('status: pending', 'status: processing'))
    await box.mission.settling.complete(message.id, { agent: 'gemini' })
    expect(textIn('completed', '2026-note.md')).toBe(text.replace('status: pending', 'status: completed'))
  })

  it('[AC-7.1a] a whole id means that message, also where the id of another begins with it', async () => {
    await send('One', { id: 'task-one' })
    await send('More', { id: 'task-one-more' })
    expect((await (await box.mission.overview()).show('task-one')).summary).toBe('One')
    await expect((await box.mission.overview()).show('task-on')).rejects.toMatchObject({
      code: expect.stringMatching(/AMBIGUOUS|NO_SUCH/),
    })
  })

  it('[AC-8.2d] each stalled message has its own question, however alike their ids are', async () => {
    const clock = heldClock(Date.now())
    const timed = await openBox(root, { clock })
    const alike = 'the-same-beginning-of-a-very-long-identifier'
    for (const end of ['a', 'b']) {
      const id = `${alike}-${end}`
      await timed.mission.sending.send({ from: 'claude', to: 'gemini', body: id, id, timeoutSeconds: 60 })
      await timed.mission.claims.next({ agent: 'gemini', id })
    }
    clock.advance(2 * minute)
    await (await timed.mission.upkeep()).supervise()
    const questions = (await (await timed.mission.overview()).list('pending')).messages.filter(({ id }) =>
      id.startsWith('investigate-'),
    )
    expect(new Set(questions.map(({ id }) => id)).size).toBe(2)
    await timed.close()
  })

  it('[AC-3.2c] a malformed file stops nobody, and is set aside once it stands still', async () => {
    const clock = heldClock(Date.now())
    const timed = await openBox(root, { clock })
    fs.writeFileSync(join(queue('pending'), 'no-header.md'), 'just text')
    fs.writeFileSync(join(queue('pending'), 'bad.md'), '---\nid: [\n---\n')
    fs.writeFileSync(join(queue('pending'), 'bomb.md'), `---\na: &a [x,x]\n${'b: *a\n'.repeat(3)}id: {{{\n---\n`)
    fs.writeFileSync(join(queue('pending'), 'huge.md'), Buffer.alloc(100 * 1024 * 1024, 'x'))
    await send('Good')
    expect(claimedBy(await timed.mission.claims.next({ agent: 'gemini' })).summary).toBe('Good')
    await timed.mission.claims.next({ agent: 'gemini' })
    expect(files('pending').length).toBe(4)
    // Far more than the five seconds: the files have real times, which go on while the clock stands.
    clock.advance(minute)
    await timed.mission.claims.next({ agent: 'gemini' })
    expect(files('pending')).toEqual([])
    expect(files('failed')).toEqual(['bad.md', 'bomb.md', 'huge.md', 'huge.md.reason.txt', 'no-header.md'])
    expect(textIn('failed', 'no-header.md')).toMatch(/^just text\n[\s\S]*\*\*Failure Report\*\*/)
    await timed.close()
  })

  it('[AC-3.2e] strange things named *.md block and crash nothing', async () => {
    fs.mkdirSync(join(queue('pending'), 'folder.md'))
    fs.symlinkSync('/etc/passwd', join(queue('pending'), 'link.md'))
    fs.writeFileSync(join(queue('pending'), 'escape\x1b[31m.md'), byHand('id: never\nto: gemini\n'))
    fs.writeFileSync(
      join(queue('pending'), 'bom.md'),
      `\ufeff${byHand('id: bom-1\nto: gemini\nfrom: claude\nsummary: With a mark\n')}`,
    )
    fs.writeFileSync(
      join(queue('pending'), 'latin1.md'),
      Buffer.from(byHand('id: latin-1\nto: gemini\nfrom: claude\nsummary: caf\xe9\n', 'caf\xe9\n'), 'latin1'),
    )
    const ids = [await claimMessage(), await claimMessage()].map(({ id }) => id).sort()
    expect(ids).toEqual(['bom-1', 'latin-1'])
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    expect((await (await box.mission.overview()).status()).unreadable.length).toBe(2)
    expect((await (await box.mission.upkeep()).supervise()).outcome).toBe('nothing')
  })

  it('[AC-4.5] a crash between move and edit, in either order, is rolled forward', async () => {
    const names: Record<string, string> = {}
    for (const summary of ['moved', 'done', 'failed']) names[summary] = (await send(summary)).message.name
    const setStatus = (name: string, status: string) =>
      fs.writeFileSync(
        join(queue('pending'), name),
        textIn('pending', name).replace(/^status: .*$/m, `status: ${status}`),
      )
    setStatus(names.done!, 'completed')
    setStatus(names.failed!, 'failed')
    for (const name of Object.values(names))
      fs.renameSync(join(queue('pending'), name), join(queue('processing'), name))
    const { repairs } = await (await box.mission.upkeep()).reconcile('gemini')
    expect(repairs.map(({ what }) => what).sort()).toEqual(['finished', 'finished', 'status'])
    expect([files('processing'), files('completed'), files('failed')]).toEqual([
      [names.moved],
      [names.done],
      [names.failed],
    ])
    expect(textIn('processing', names.moved!)).toMatch(/^status: processing\s*$/m)
    expect((await (await box.mission.upkeep()).reconcile()).repairs).toEqual([])
  })

  it('[X-doctor] what disagrees is told by inspection, and nothing is changed by it', async () => {
    const later = heldClock(Date.now() + 60_000)
    const doctor = await openBox(root, { clock: later })
    const { message } = await send('Twice')
    const other = (await send('Says something else')).message
    fs.copyFileSync(join(queue('pending'), message.name), join(queue('completed'), message.name))
    fs.writeFileSync(join(queue('failed'), 'nonsense.md'), 'nonsense')
    const wrong = textIn('pending', other.name).replace('status: pending   ', 'status: completed ')
    fs.writeFileSync(join(queue('pending'), other.name), wrong)
    const before = [files('pending'), files('completed'), files('failed')]
    const found = (await (await doctor.mission.inspection()).run()).map(
      ({ code, path }) => `${code} ${path.split('/').slice(-2).join('/')}`,
    )
    expect(found.sort()).toEqual([
      `MESSAGE_IN_TWO_PLACES completed/${message.name}`,
      `STATUS_FOLDER_MISMATCH completed/${message.name}`,
      `STATUS_FOLDER_MISMATCH pending/${other.name}`,
      'UNREADABLE_MESSAGE failed/nonsense.md',
    ])
    expect([files('pending'), files('completed'), files('failed')]).toEqual(before)
    await (await doctor.mission.upkeep()).reconcile()
    expect(await (await doctor.mission.inspection()).run()).toEqual([])
    await doctor.close()
  })

  it('one message in two queues counts once, where it is further', async () => {
    const { message } = await send('Twice')
    fs.copyFileSync(join(queue('pending'), message.name), join(queue('completed'), message.name))
    await (await box.mission.upkeep()).reconcile()
    expect([files('pending'), files('completed')]).toEqual([[], [message.name]])
    expect(textIn('completed', message.name)).toMatch(/^status: completed\s*$/m)
  })
})

describe('a power cut without a journal', () => {
  it('leaves two names of one file, which are one message and claimed by nobody twice', async () => {
    const { message } = await send('Half moved')
    fs.linkSync(join(queue('pending'), message.name), join(queue('processing'), message.name))
    expect((await claim()).outcome).toBe('nothing')
    await (await box.mission.upkeep()).reconcile()
    expect([files('pending'), files('processing')]).toEqual([[], [message.name]])
    expect(textIn('processing', message.name)).toMatch(/^status: processing\s*$/m)
  })
})

describe('missions', () => {
  it('[AC-7.2] lie in missions to any depth and are whole themselves', async () => {
    const { mission } = await box.missions.create('alpha/beta')
    await box.missions.create('alpha/beta/gamma')
    expect(fs.existsSync(join(root, 'llm/missions/alpha/sub-missions/beta/sub-missions/gamma/queue/pending'))).toBe(
      true,
    )
    await mission.sending.send({ from: 'claude', to: 'gemini', body: 'inner' })
    expect(claimedBy(await mission.claims.next({ agent: 'gemini' })).mission).toBe('alpha/beta')
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    expect(await box.missions.all()).toEqual(['alpha', 'alpha/beta', 'alpha/beta/gamma'])
    await expect(box.missions.create('nobody/child')).rejects.toMatchObject({ code: 'NO_SUCH_MISSION' })
    await expect(box.missions.open('alhpa')).rejects.toMatchObject({
      code: 'NO_SUCH_MISSION',
      hint: expect.stringContaining('alpha'),
    })
  })

  it('[AC-9.1] tell an agent that starts where it stands', async () => {
    await send('Mine')
    await send('Waiting')
    await claimMessage()
    const view = await (await box.mission.upkeep()).reconcile('gemini')
    expect(view).toMatchObject({
      counts: { pending: 1, processing: 1, completed: 0, failed: 0 },
      mine: [{ message: { summary: expect.stringMatching(/^(Mine|Waiting)$/) }, isStalled: false }],
      manifest: { objective: expect.stringContaining('Build the thing') },
    })
  })

  it('[AC-9.2] archive what is old; it stays findable, readable and counts as completed', async () => {
    const { message } = await send('Old')
    await claimMessage()
    await box.mission.settling.complete(message.id, { agent: 'gemini' }, { text: 'Result' })
    const next = (await send('Next', { after: [`msg:${message.id}`] })).message
    expect((await (await box.mission.upkeep()).archive({ olderThanMs: 7 * 24 * 3600 * 1000 })).outcome).toBe('nothing')
    expect(await (await box.mission.upkeep()).archive({ olderThanMs: 0 })).toEqual({ outcome: 'archived', archived: 1 })
    expect(files('completed')).toEqual([])
    const shown = await (await box.mission.overview()).show(message.id)
    expect(shown).toMatchObject({ state: 'archived', id: message.id, body: expect.stringContaining('Result') })
    expect((await claimMessage()).id).toBe(next.id)
    expect((await (await box.mission.overview()).status()).archived).toBe(1)
  })

  it('[AC-7.1a] what was completed and archived between two looks of another process sets free what waits for it', async () => {
    const other = await openBox(root)
    const { message } = await send('First', { to: 'codex' })
    const next = (await send('Next', { after: [`msg:${message.id}`] })).message
    expect(await other.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
    await claimMessage('codex')
    await box.mission.settling.complete(message.id, { agent: 'codex' })
    await (await box.mission.upkeep()).archive({ olderThanMs: 0 })
    expect(claimedBy(await other.mission.claims.next({ agent: 'gemini' })).id).toBe(next.id)
    await other.close()
  })

  it('[AC-11.2b] hold back what a policy names until a person approves the very text', async () => {
    fs.mkdirSync(join(root, '.signalbox'), { recursive: true })
    fs.writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold:\n  - "rm -rf"\n  - "deploy * production"\n')
    const sent = await box.mission.sending.send({
      from: 'claude',
      to: 'gemini',
      body: 'Please RM -RF the cache',
      summary: 'Clean up',
    })
    expect(sent.notices.join()).toContain('approve')
    await send('Harmless')
    expect((await claimMessage()).summary).toBe('Harmless')
    expect(await claim()).toMatchObject({
      outcome: 'nothing',
      blocked: [{ id: sent.message.id, reason: expect.stringContaining('rm -rf') }],
    })
    const held: string[] = []
    for await (const { message } of (await box.mission.approvals()).held()) held.push(message.id)
    expect(held).toEqual([sent.message.id])
    await (await box.mission.approvals()).approve(sent.message.id, { by: 'ann', at: '2026-01-01T00:00:00Z' })
    const path = join(queue('pending'), sent.message.name)
    const text = fs.readFileSync(path, 'utf8')
    fs.writeFileSync(path, `${text} and everything else`)
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    fs.writeFileSync(path, text)
    expect((await claimMessage()).id).toBe(sent.message.id)
    const denied = await box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'deploy it to production now' })
    await (await box.mission.approvals()).deny(denied.message.id, 'ann', 'Not today')
    expect(files('failed')).toEqual([denied.message.name])
  })

  it('a second process sees what the first does, and the other way round', async () => {
    const other = await openBox(root)
    const { message } = await send('Seen')
    expect(claimedBy(await other.mission.claims.next({ agent: 'gemini' })).id).toBe(message.id)
    expect(await claim()).toMatchObject({ outcome: 'nothing' })
    await other.mission.sending.send({ from: 'claude', to: 'gemini', body: 'Back' })
    expect((await claimMessage()).body).toBe('Back')
    await other.close()
  })

  it('a second process claims by id what was for all when it last looked', async () => {
    const other = await openBox(root)
    const { message } = await other.mission.sending.send({ from: 'claude', to: 'all', body: 'Anybody' })
    await claimMessage()
    await box.mission.settling.fail(message.id, { agent: 'gemini' }, { reason: 'no' })
    await box.mission.settling.retry(message.id)
    expect(claimedBy(await other.mission.claims.next({ agent: 'gemini', id: message.id }))).toMatchObject({
      attempt: 2,
    })
    await other.close()
  })

  it('waits for a message without asking again and again', async () => {
    const other = await openBox(root)
    const waiting = box.mission.claims.next({ agent: 'gemini', waitMs: 20_000 })
    await other.mission.sending.send({ from: 'claude', to: 'gemini', body: 'Here' })
    expect(claimedBy(await waiting).body).toBe('Here')
    expect(await box.mission.claims.next({ agent: 'gemini', waitMs: 10 })).toMatchObject({ outcome: 'nothing' })
    await other.close()
  })
})

describe('an agent that waits', () => {
  /** Waits with hints that the test gives, so that it is known what the agent was woken for. */
  async function idle() {
    const hints = new Map<string, (name?: string) => void>()
    const listed: string[] = []
    const looked: string[] = []
    const list = box.tree.list.bind(box.tree) as (folder: never) => Promise<never>
    const look = box.tree.look.bind(box.tree)
    box.tree.watch = (folder, onChange) => {
      hints.set(folder, onChange)
      return { by: 'events', close: () => {} }
    }
    const waiting = box.mission.claims.next({ agent: 'gemini', waitMs: 60_000 })
    await turn()
    box.tree.list = ((folder: never) => {
      listed.push(folder)
      return list(folder)
    }) as typeof box.tree.list
    box.tree.look = (path) => {
      looked.push(path)
      return look(path)
    }
    const other = await openBox(root)
    onTestFinished(() => other.close())
    return {
      waiting,
      other: other.mission,
      listed,
      looked,
      hint: (name?: string) => hints.get('llm/missions/alpha/queue/pending')!(name),
    }
  }
  const to = (recipient: string, body: string, more: object = {}) => ({ from: 'claude', to: recipient, body, ...more })

  it('takes the one message that came without listing the queue, after one look for a policy', async () => {
    const { waiting, other, listed, looked, hint } = await idle()
    const { message } = await other.sending.send(to('gemini', 'Here'))
    // Long after anything that was seen in passing is believed.
    const now = performance.now.bind(performance)
    performance.now = () => now() + 1000
    onTestFinished(() => {
      performance.now = now
    })
    hint(message.name)
    expect(claimedBy(await waiting)).toMatchObject({ id: message.id, body: 'Here', state: 'processing' })
    expect(textIn('processing', message.name)).toContain('status: processing')
    expect(listed).toEqual([])
    expect(looked).toEqual(['.signalbox/policy.yaml'])
  })

  it('does so too after there was something for everyone', async () => {
    await send('For whoever comes first', { to: 'all' })
    await claimMessage()
    const { waiting, other, listed, hint } = await idle()
    const { message } = await other.sending.send(to('gemini', 'Here'))
    hint(message.name)
    expect(claimedBy(await waiting).id).toBe(message.id)
    expect(listed).toEqual([])
  })

  it('[AC-4.2a] takes the most urgent when more than one came', async () => {
    const { waiting, other, hint } = await idle()
    const first = await other.sending.send(to('gemini', 'Later', { priority: 3 }))
    await other.sending.send(to('gemini', 'First', { priority: 1 }))
    hint(first.message.name)
    hint()
    expect(claimedBy(await waiting).body).toBe('First')
  })

  it('leaves alone what is for others, waits for something, or is no message', async () => {
    const { waiting, other, hint } = await idle()
    const notMine = await other.sending.send(to('codex', 'For codex'))
    hint(notMine.message.name)
    await turn()
    const blocked = await other.sending.send(to('gemini', 'Too early', { dependencies: ['path:context/missing.md'] }))
    hint(blocked.message.name)
    await turn()
    fs.writeFileSync(join(queue('pending'), 'broken.md'), 'no header')
    for (const name of ['broken.md', 'gone.md', '.hidden.md', '../../escape.md', 'no-message.txt']) {
      hint(name)
      await turn()
    }
    const mine = await other.sending.send(to('gemini', 'Mine'))
    hint(mine.message.name)
    expect(claimedBy(await waiting).body).toBe('Mine')
    expect(files('pending')).toEqual([notMine.message.name, blocked.message.name, 'broken.md'].sort())
  })

  /** It leaves a message that matches the policy, and takes the next one that does not. */
  async function expectHeld({ waiting, other, hint }: Awaited<ReturnType<typeof idle>>): Promise<void> {
    const held = await other.sending.send(to('gemini', 'Please deploy'))
    hint(held.message.name)
    await turn()
    const harmless = await other.sending.send(to('gemini', 'Harmless'))
    hint(harmless.message.name)
    expect(claimedBy(await waiting).body).toBe('Harmless')
    expect(files('pending')).toEqual([held.message.name])
  }

  it('[AC-11.2b] does not take what a person has to see first', async () => {
    fs.mkdirSync(join(root, '.signalbox'), { recursive: true })
    fs.writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold:\n  - "deploy"\n')
    const agent = await idle()
    await expectHeld(agent)
  })

  it('[AC-11.2b] heeds a policy that a person writes meanwhile', async () => {
    const agent = await idle()
    fs.writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold:\n  - "deploy"\n')
    await expectHeld(agent)
  })

  it('[AC-11.2b] heeds a policy that was put there right before the message', async () => {
    const policy = join(root, '.signalbox/policy.yaml')
    const drafts = fs.mkdtempSync(join(root, 'drafts-'))
    const draft = (name: string, text: string) => {
      fs.writeFileSync(join(drafts, name), text)
      return (target: string) => fs.renameSync(join(drafts, name), target)
    }
    const header = 'mission_id: alpha\ntimestamp: 2026-01-01T00:00:00Z\nfrom: claude\nto: gemini\nsummary: Do it'
    const inPending = (name: string) => join(queue('pending'), name)
    for (let round = 0; round < 20; round++) {
      const waiting = box.mission.claims.next({ agent: 'gemini', waitMs: 60_000 })
      await turn()
      const putPolicy = draft('policy.yaml', 'hold:\n  - "deploy"\n')
      const putHeld = draft('held.md', `---\nid: held-${round}\n${header}\n---\nPlease deploy\n`)
      const putOther = draft('other.md', `---\nid: other-${round}\n${header}\n---\nHarmless\n`)
      putPolicy(policy)
      putHeld(inPending(`held-${round}.md`))
      putOther(inPending(`other-${round}.md`))
      const { id, attempt } = claimedBy(await waiting)
      expect(id).toBe(`other-${round}`)
      await box.mission.settling.complete(id, { agent: 'gemini', attempt })
      fs.rmSync(inPending(`held-${round}.md`))
      fs.rmSync(policy)
    }
  })

  it('[AC-11.2b] looks for a policy itself where the system tells of nothing', async () => {
    const tell = box.tree.watch.bind(box.tree)
    box.tree.watch = (folder, onChange) => {
      if (folder !== '.signalbox') return tell(folder, onChange)
      return { by: 'polling', close: () => {} }
    }
    const waiting = box.mission.claims.next({ agent: 'gemini', waitMs: 60_000 })
    fs.writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold:\n  - "deploy"\n')
    const other = await openBox(root)
    onTestFinished(() => other.close())
    // The first ones may still be taken: that there is none is believed for a moment.
    let taken = waiting
    for (let n = 0; ; n++) {
      await other.mission.sending.send(to('gemini', `Please deploy ${n}`))
      await other.mission.sending.send(to('gemini', 'Harmless', { priority: 5 }))
      if (claimedBy(await taken).body === 'Harmless') break
      claimedBy(await box.mission.claims.next({ agent: 'gemini' }))
      taken = box.mission.claims.next({ agent: 'gemini', waitMs: 60_000 })
    }
    expect(files('pending')).toHaveLength(1)
  })
})

it('has the shape of a protocol', () => {
  expect(acmq).toMatchObject({ name: 'acmq', title: 'AC-MQ' })
  expect(acmq.folders({ ...acmq.defaults, root: 'work' })).toEqual(['work'])
})
