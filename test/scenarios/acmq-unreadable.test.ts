/**
 * Files that cannot be read as messages: another user's, larger than any message, half written. None of them stops anybody,
 * each is told with what to do, and what could not be read stays so until a person mends it.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { type AcmqBox, boxOn } from '../support/acmq.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { strangerCommand } from '../support/stranger.ts'
import { strictDisk } from '../support/strict-disk.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cli, cliJson } from './cli-program.ts'

const minute = 60_000
const largest = 16 * 1024 * 1024

let root: string

beforeEach(() => {
  root = tempDir()
})

const at = (...path: string[]) => join(root, 'llm/missions/alpha/queue', ...path)
const files = (queue: string) => fs.readdirSync(at(queue)).sort()

async function withBox(
  body: (box: AcmqBox, clock: ReturnType<typeof heldClock>) => Promise<void>,
  disk = strictDisk(),
) {
  const clock = heldClock(Date.now())
  const box = await boxOn(await openFileTree({ root, disk, clock }), { clock })
  try {
    await body(box, clock)
  } finally {
    await box.close()
  }
}

const send = ({ mission }: AcmqBox, id: string, to = 'gemini') =>
  mission.sending.send({ from: 'claude', to, body: id, id })

const close = (queue: string, part: string) => {
  const name = files(queue).find((one) => one.includes(part))!
  fs.chmodSync(at(queue, name), 0)
  return name
}

describe('a file that this user may not read', () => {
  const reason = /^It belongs to \S+( \d+)?, with mode 0000, and this user may not read it\. Let this user read it/

  verifies('AC-3.2e', 'in any queue: everything else goes on, and it is told once, with its owner', () =>
    withBox(async (box, clock) => {
      const { mission, missions } = box
      for (const id of ['closed-1', 'closed-2', 'closed-3', 'closed-4', 'open-1', 'open-2']) await send(box, id)
      for (const id of ['closed-2', 'closed-3', 'closed-4', 'open-2'])
        await mission.claims.next({ agent: 'gemini', id })
      await mission.settling.complete('closed-3', { agent: 'gemini' })
      await mission.settling.fail('closed-4', { agent: 'gemini' }, { reason: 'no' })
      const newcomer = await boxOn(await openFileTree({ root, disk: strictDisk(), clock }), { clock })
      for (const [queue, id] of [
        ['pending', 'closed-1'],
        ['processing', 'closed-2'],
        ['completed', 'closed-3'],
        ['failed', 'closed-4'],
      ] as const) {
        close(queue, id)
        // A process that comes now, and one that has seen it readable.
        for (const one of [mission, newcomer.mission]) {
          const { unreadable } = await (await one.overview()).list(queue)
          expect(unreadable).toMatchObject([{ reason: expect.stringMatching(reason) }])
        }
      }
      expect((await (await mission.overview()).waiting()).messages.map(({ id }) => id)).toEqual(['open-1'])
      expect((await (await newcomer.mission.overview()).status()).unreadable.map((one) => one.reason)).toEqual(
        Array(4).fill(expect.stringMatching(reason)),
      )
      expect(await mission.claims.next({ agent: 'gemini' })).toMatchObject({
        outcome: 'claimed',
        message: { id: 'open-1' },
      })
      expect(await mission.claims.next({ agent: 'gemini' })).toMatchObject({
        outcome: 'nothing',
        blocked: [{ id: 'closed-1', to: 'gemini', reason: expect.stringMatching(reason) }],
      })
      expect(await mission.claims.next({ agent: 'codex' })).toEqual({ outcome: 'nothing', blocked: [] })
      // Long after: what cannot be read is not malformed. It is not moved, not reported in, and not taken for a stall.
      clock.advance(2 * 60 * minute)
      const before = ['pending', 'processing', 'completed', 'failed'].map(files)
      const closed = ['closed', 'closed', 'closed', 'closed']
      expect((await (await mission.upkeep()).reconcile('gemini')).repairs.map(({ what }) => what)).toEqual(closed)
      expect(['pending', 'processing', 'completed', 'failed'].map(files)).toEqual(before)
      const swept = await (await mission.upkeep()).supervise()
      expect(swept.stalled.map(({ message }) => message.id).sort()).toEqual(['open-1', 'open-2'])
      expect(await (await mission.upkeep()).archive({ olderThanMs: 0 })).toEqual({ outcome: 'nothing', archived: 0 })
      expect(await (await mission.documents()).graph('mermaid')).not.toContain('closed')
      await newcomer.close()
      const findings = (await (await missions.neutral()).inspect({ repair: true })).filter(
        ({ code }) => code === 'CLOSED_MESSAGE',
      )
      expect(findings.map(({ severity, hint }) => [severity, hint])).toEqual(
        Array(4).fill(['error', expect.stringMatching(/^Let this user read it/)]),
      )
      // Whoever asks for just this one is told why.
      for (const ask of [
        async () => (await mission.overview()).show('closed-1'),
        () => mission.settling.retry('closed-4'),
        () => mission.settling.renew('closed-2', { agent: 'gemini' }),
      ]) {
        await expect(ask()).rejects.toMatchObject({ code: 'PERMISSION_DENIED', exit: 6 })
      }
      // Its owner opens it, and it is a message again.
      for (const queue of ['pending', 'failed']) for (const name of files(queue)) fs.chmodSync(at(queue, name), 0o600)
      expect(await mission.settling.retry('closed-4')).toMatchObject({ outcome: 'retried' })
      expect(await mission.claims.next({ agent: 'gemini', id: 'closed-1' })).toMatchObject({ outcome: 'claimed' })
    }),
  )
})

describe('a file of root, for another user', () => {
  const stranger = strangerCommand()
  const title = '[X-doctor] stops no command; doctor names it, its owner and what to do'
  const reason = typeof stranger === 'string' ? stranger : stranger.length === 0 ? 'only root has files of others' : ''

  it.skipIf(reason !== '')(reason === '' ? title : `${title} (skipped: ${reason})`, () => {
    fs.chownSync(root, 65534, 65534)
    const run = (words: string[], under: readonly string[] = stranger as readonly string[]) =>
      cliJson(words, { cwd: root, under, env: { HOME: root } }, cli)
    const send = (id: string) => [
      'acmq',
      'send',
      'alpha',
      '--from',
      'claude',
      '--to',
      'gemini',
      '--body',
      id,
      '--id',
      id,
    ]
    run(['acmq', 'create-mission', 'alpha'])
    run(send('mine'))
    // As `sudo acmq send` does.
    expect(run(send('theirs'), [])).toMatchObject({ exit: 0 })
    const told = 'It belongs to root, with mode 0600, and this user may not read it.'
    const claim = ['acmq', 'claim', 'alpha', '--as', 'gemini']
    expect(run(['acmq', 'list', 'alpha'])).toMatchObject({
      exit: 0,
      output: { messages: [{ id: 'mine' }], rejected: [{ reason: expect.stringContaining(told) }] },
    })
    expect(run(['acmq', 'status', 'alpha'])).toMatchObject({ exit: 0, output: { rejected: { length: 1 } } })
    expect(run(claim)).toMatchObject({ exit: 0, output: { message: { id: 'mine' } } })
    expect(run(claim)).toMatchObject({ exit: 1, output: { blocked: [{ id: 'theirs' }] } })
    for (const words of ['supervise alpha --once', 'reconcile alpha', 'archive alpha']) {
      expect(run(['acmq', ...words.split(' ')]), words).toMatchObject({ exit: 0 })
    }
    expect(run(['acmq', 'show', 'alpha', 'theirs'])).toMatchObject({
      exit: 6,
      output: { error: { code: 'PERMISSION_DENIED', message: expect.stringContaining(told) } },
    })
    const doctor = run(['doctor'])
    expect(doctor.exit).not.toBe(0)
    expect(doctor.output.findings).toContainEqual(
      expect.objectContaining({ code: 'CLOSED_MESSAGE', severity: 'error', message: told }),
    )
  })
})

describe('a file that is larger than a message', () => {
  /** Holes take no room on the disk. */
  const makeLarge = (queue: string, name: string, size = 600 * 1024 * 1024) => {
    fs.writeFileSync(
      at(queue, name),
      '---\nid: large\nfrom: claude\nto: gemini\ntimestamp: 2026-01-01T00:00:00Z\n---\n',
    )
    fs.truncateSync(at(queue, name), size)
  }

  /** Counts what is read. */
  function countingDisk() {
    const read = { bytes: 0 }
    const disk = steppingDisk(realDisk(), (step, _, call) => {
      const result = call()
      if (step === 'read') read.bytes += result as number
      return result
    })
    return { read, disk }
  }

  verifies('AC-3.2c', 'is malformed, is never read whole, and goes out of the way with the reason beside it', () => {
    const { read, disk } = countingDisk()
    return withBox(async (box, clock) => {
      const { mission, missions } = box
      for (let i = 0; i < 20; i++) await send(box, `good-${i}`)
      makeLarge('pending', 'large.md')
      makeLarge('processing', 'large-held.md')
      const memory = process.memoryUsage().rss
      const told = /^It has 629145600 bytes, and a message has at most 16777216; it was not read\.$/
      expect((await (await mission.overview()).list('pending')).unreadable).toMatchObject([
        { reason: expect.stringMatching(told) },
      ])
      expect((await (await mission.overview()).status()).counts.pending).toBe(20)
      expect((await (await mission.overview()).status()).unreadable).toHaveLength(2)
      expect(
        (await (await missions.neutral()).inspect({ repair: false })).map(({ code, message }) => [code, message]),
      ).toEqual(Array(2).fill(['UNREADABLE_MESSAGE', expect.stringMatching(told)]))
      for (let i = 0; i < 20; i++) expect((await mission.claims.next({ agent: 'gemini' })).outcome).toBe('claimed')
      expect(await mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
      await expect((await mission.overview()).show('large')).rejects.toMatchObject({ code: 'TOO_LARGE', exit: 5 })
      await expect(mission.settling.complete('large-held', { agent: 'gemini' })).rejects.toMatchObject({
        code: 'TOO_LARGE',
      })
      clock.advance(minute)
      const { repairs } = await (await mission.upkeep()).supervise()
      expect(repairs.map(({ what, path }) => [what, path.split('/').at(-1)])).toEqual([
        ['quarantined', 'large.md'],
        ['quarantined', 'large-held.md'],
      ])
      expect(files('failed')).toEqual(['large-held.md', 'large-held.md.reason.txt', 'large.md', 'large.md.reason.txt'])
      expect(fs.statSync(at('failed', 'large.md')).size).toBe(600 * 1024 * 1024)
      expect(fs.readFileSync(at('failed', 'large.md.reason.txt'), 'utf8')).toMatch(
        /\*\*Failure Report\*\*[\s\S]*16777216/,
      )
      // It waits there for a person, and nobody speaks of it again.
      await (await mission.upkeep()).reconcile()
      expect(
        (await (await missions.neutral()).inspect({ repair: true })).filter(({ path }) => path.includes('large')),
      ).toEqual([])
      await expect(mission.settling.retry('large')).rejects.toMatchObject({ code: 'TOO_LARGE' })
      expect(files('failed')).toHaveLength(4)
      // Judging it when it is won takes as much as shows that it is too large; nothing else reads more than a header.
      expect(read.bytes).toBeLessThan(2 * (largest + 1024 * 1024) + 4 * 1024 * 1024)
      expect(process.memoryUsage().rss - memory).toBeLessThan(200 * 1024 * 1024)
    }, disk)
  })

  it('[AC-3.2c] one that was exchanged for it after it was last read is not claimed', () =>
    withBox(async (box) => {
      await send(box, 'first')
      await (await box.mission.overview()).status()
      const [name] = files('pending') as [string]
      fs.truncateSync(at('pending', name), largest + 1)
      expect(await box.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
      expect(files('pending')).toEqual([name])
      fs.truncateSync(at('pending', name), largest)
      expect(await box.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'claimed' })
    }))

  it('[AC-3.2c] no result makes one of a message', () =>
    withBox(async (box) => {
      await send(box, 'work')
      await box.mission.claims.next({ agent: 'gemini' })
      const text = 'x'.repeat(largest)
      await expect(box.mission.settling.complete('work', { agent: 'gemini' }, { text })).rejects.toMatchObject({
        code: 'TOO_LARGE',
        exit: 2,
      })
      expect(await box.mission.settling.complete('work', { agent: 'gemini' }, { text: 'short' })).toMatchObject({
        outcome: 'completed',
      })
    }))
})

describe('half a file', () => {
  verifies(['AC-8.1', 'AC-3.2c'], 'that was set aside stays half of one, until a person mends it', () =>
    withBox(async ({ mission }, clock) => {
      const halves: Record<string, string> = {
        'header.md': '---\nid: half-1\nto: gemini\nsummary: cut o',
        'line.md': '---\nid: half-2\nto: gemini\n',
        'windows.md': '---\r\nid: half-3\r\nto: gemini\r\n',
        'only.md': '---',
        '20260101000000-half-5-from-claude-to-gemini.md': '---\nto: gemini\n--',
      }
      for (const [name, text] of Object.entries(halves)) fs.writeFileSync(at('pending', name), text)
      clock.advance(minute)
      expect((await (await mission.upkeep()).supervise()).repairs.map(({ what }) => what)).toEqual(
        Array(5).fill('quarantined'),
      )
      for (const [name, text] of Object.entries(halves)) {
        const after = fs.readFileSync(at('failed', name), 'utf8')
        expect(after.startsWith(text)).toBe(true)
        expect(after.slice(text.length)).toMatch(
          /^\s+ ---\r?\n\r?\n\*\*Failure Report\*\*\r?\n[\s\S]*no line `---` closes it/,
        )
      }
      // Reported once, however often somebody looks.
      const sizes = files('failed').map((name) => fs.statSync(at('failed', name)).size)
      await (await mission.upkeep()).reconcile()
      expect(files('failed').map((name) => fs.statSync(at('failed', name)).size)).toEqual(sizes)
      expect((await (await mission.overview()).list('failed')).messages).toEqual([])
      for (const name of ['header', 'header.md', 'line', 'half-5', '20260101000000-half-5-from-claude-to-gemini.md']) {
        await expect(mission.settling.retry(name), name).rejects.toMatchObject({
          code: 'BAD_FRONT_MATTER',
          exit: 5,
          message: expect.stringMatching(/queue\/failed\/\S+ cannot be read as a message\. Front matter/),
        })
      }
      expect(files('pending')).toEqual([])
      // Mended: the line that was missing.
      const mended = fs
        .readFileSync(at('failed', 'line.md'), 'utf8')
        .replace('to: gemini\n', 'to: gemini\n---\nThe work\n')
      fs.writeFileSync(at('failed', 'line.md'), mended)
      expect(await mission.settling.retry('half-2')).toMatchObject({ outcome: 'retried', message: { attempt: 2 } })
      const claimed = await mission.claims.next({ agent: 'gemini' })
      expect(claimed).toMatchObject({ outcome: 'claimed', message: { body: expect.stringMatching(/^The work\n/) } })
    }),
  )
})
