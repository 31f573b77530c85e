/** Messages as they come: the specification's examples, odd ones that count all the same, and what is rejected and why. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { parseMessage, printMessage } from '../../src/protocols/circe/format.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import { fileNameOf } from '../../src/protocols/circe/names.ts'

const folder = new URL('circe/', import.meta.url)
const bytesOf = (path: string) => readFileSync(new URL(path, folder))
const read = <T>(path: string): T => JSON.parse(bytesOf(path).toString())
const filesIn = (path: string) =>
  readdirSync(new URL(path, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
    .sort()

/** What a file means. Of long texts only the length. */
interface Meaning {
  readonly task: string | null
  readonly time: string
  readonly problems: readonly string[]
  readonly [field: string]: unknown
}

function meaningOf(bytes: Uint8Array): Meaning {
  const parsed = parseMessage(bytes)
  if (parsed.outcome !== 'message') throw new Error(parsed.problems.map(({ message }) => message).join(' '))
  const { message, problems } = parsed
  const { from, to, intent, task, status, summary, further: headers } = message
  const sections = message.sections.map(({ name, text }) => [name, text.length > 1000 ? text.length : text])
  const { replyTo, lead } = message
  return {
    ...{ from, to, intent, task: task ?? null, status, time: new Date(message.time).toISOString() },
    ...{ ...(replyTo === undefined ? {} : { replyTo }), summary, headers: { ...headers }, lead, sections },
    problems: problems.map(({ code }) => code),
  }
}

async function open() {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
  const bytesAt = async (path: string) => Buffer.from((await tree.read(at(path)))?.bytes ?? 'nothing is there')
  return { clock, tree, store, at, bytesAt }
}

const examples = read<Record<string, Meaning>>('examples.json')
const odd = read<Record<string, Meaning>>('odd.json')

describe('the standard message and the examples of the specification', () => {
  it('are all here', () => {
    expect(filesIn('.')).toEqual(Object.keys(examples).sort())
  })

  it.each(Object.entries(examples))('[CI-1a][CI-7] %s', (name, meaning) => {
    const bytes = bytesOf(`${name}.md`)
    expect(meaningOf(bytes)).toEqual(meaning)
    const parsed = parseMessage(bytes)
    if (parsed.outcome !== 'message') throw new Error('It is no message.')
    // The order of headers and the form are the specification's own.
    expect(printMessage({ ...parsed.message, headers: [] })).toBe(bytes.toString())
  })

  it('[CI-3] file names are those of the specification', () => {
    const nameOf = (name: string) => {
      const parsed = parseMessage(bytesOf(`${name}.md`))
      return parsed.outcome === 'message' ? fileNameOf(parsed.message) : ''
    }
    expect(nameOf('standard')).toBe('20251106_140211_coordinator-engineer_implement-feature_FEAT-021.md')
    expect(nameOf('test-results')).toBe('20251121_193000_qa-engineer_test-results_AUTH-012.md')
    expect(nameOf('escalation')).toBe('20251121_181500_engineer-coordinator_escalate_AUTH-012.md')
    expect(nameOf('odd/no-task')).toBe('20251106_140211_coordinator-engineer_inform.md')
  })
})

describe('odd messages that count', () => {
  it('are all described', () => {
    expect(filesIn('odd')).toEqual(Object.keys(odd).sort())
  })

  it.each(Object.entries(odd))('[CI-1a] %s', (name, meaning) => {
    expect(meaningOf(bytesOf(`odd/${name}.md`))).toEqual(meaning)
  })
})

describe('byte for byte', () => {
  const all = [...Object.keys(examples), ...Object.keys(odd).map((name) => `odd/${name}`)]
  const forOne = all.filter((name) => name !== 'odd/rooster')

  it.each(forOne)('[CI-1d] %s is the same in every place it goes through', async (name) => {
    const { store, tree, at, bytesAt } = await open()
    const bytes = bytesOf(`${name}.md`)
    const file = 'a-name-of-its-own.md'
    await tree.create(at(`NEW_MESSAGES/${file}`), bytes)
    const parsed = parseMessage(bytes)
    const to = parsed.outcome === 'message' ? parsed.message.to : ''
    const reader = to === 'ALL' ? 'engineer' : to
    expect(await store.claiming.claim(reader)).toMatchObject({ outcome: 'claimed', message: { file, state: 'inbox' } })
    expect((await bytesAt(`AGENTS/${reader}/INBOX/${file}`)).equals(bytes)).toBe(true)
    expect(await store.settling.start(reader, file)).toMatchObject({ outcome: 'started' })
    expect((await bytesAt(`AGENTS/${reader}/WORKSPACE/${file}`)).equals(bytes)).toBe(true)
    expect(await store.settling.done(reader, file)).toMatchObject({ outcome: 'handled' })
    expect((await bytesAt(`LOGS/${file}`)).equals(bytes)).toBe(true)
    for (const place of ['NEW_MESSAGES', `AGENTS/${reader}/INBOX`, `AGENTS/${reader}/WORKSPACE`])
      expect(await tree.list(at(place))).toEqual([])
  })

  it('[CI-1d] so is one that is sent whole, released and claimed by another, and one for the person', async () => {
    const { store, bytesAt } = await open()
    const bytes = bytesOf('odd/unknown-headers.md')
    const text = bytes.toString().replace('to: engineer', 'to: all')
    const { message } = await store.sending.sendWhole(text)
    expect((await bytesAt(`NEW_MESSAGES/${message.file}`)).toString()).toBe(text)
    await store.claiming.claim('engineer')
    await store.settling.start('engineer', message.file)
    await store.tasks.release('engineer', 'FEAT-021')
    expect((await bytesAt(`NEW_MESSAGES/${message.file}`)).toString()).toBe(text)
    expect(await store.claiming.claim('engineer-2')).toMatchObject({ outcome: 'claimed' })
    expect((await bytesAt(`AGENTS/engineer-2/INBOX/${message.file}`)).toString()).toBe(text)
    const asked = await store.sending.sendWhole(bytesOf('odd/rooster.md').toString())
    await store.people.answer(asked.message.file, { text: 'Yes' })
    expect((await bytesAt(`LOGS/${asked.message.file}`)).equals(bytesOf('odd/rooster.md'))).toBe(true)
  })
})

describe('files that are rejected', () => {
  const rejected = read<Record<string, [code: string, reason: string][]>>('rejected.json')
  it('are all described', () => {
    expect(filesIn('rejected')).toEqual(Object.keys(rejected).sort())
  })

  it.each(Object.entries(rejected))('[CI-1b][CI-1c] %s', (name, problems) => {
    const parsed = parseMessage(bytesOf(`rejected/${name}.md`))
    if (parsed.outcome !== 'malformed') throw new Error('It was taken for a message.')
    expect(parsed.problems.map(({ code, message }) => [code, message])).toEqual(problems)
    expect(parsed.problems.map(({ message }) => message).join('')).not.toMatch(/[\0-\x1f]/)
  })

  it('[CI-1b] sent, each is refused with exit status 2, and nothing is written', async () => {
    const { store, tree } = await open()
    for (const [name, [first]] of Object.entries(rejected)) {
      if (name === 'not-utf8' || name === 'utf16') continue // No text at all.
      const error = await store.sending.sendWhole(bytesOf(`rejected/${name}.md`).toString()).catch((thrown) => thrown)
      expect([error.exit, error.code], name).toEqual([2, 'NOT_A_MESSAGE'])
      expect(error.message).toContain(first![1])
    }
    expect(await tree.list(treePath(circe.defaults.root))).toEqual([])
  })

  it('[CI-4d] found on disk, each is set aside with its reason once it has stood still; the others flow', async () => {
    const { store, tree, clock, at, bytesAt } = await open()
    await store.agents.init('engineer')
    for (const name of Object.keys(rejected)) {
      await tree.create(at(`NEW_MESSAGES/${name}.md`), bytesOf(`rejected/${name}.md`))
      await tree.create(at(`AGENTS/engineer/INBOX/inbox-${name}.md`), bytesOf(`rejected/${name}.md`))
    }
    const good = (await store.sending.sendWhole(bytesOf('standard.md').toString())).message.file
    // They may still be being written.
    expect(await store.overview.inbox('engineer')).toMatchObject({ messages: [{ file: good }], rejected: [] })
    clock.advance(1500)
    const inbox = await store.overview.inbox('engineer')
    expect(inbox.messages.map(({ file }) => file)).toEqual([good])
    const codes = Object.fromEntries(inbox.rejected.map(({ file, code }) => [file, code]))
    for (const [name, [first]] of Object.entries(rejected)) {
      const bytes = bytesOf(`rejected/${name}.md`)
      for (const file of [`${name}.md`, `inbox-${name}.md`]) {
        expect(codes[file], file).toBe(first![0])
        expect((await bytesAt(`LOGS/rejected/${file}`)).equals(bytes)).toBe(true)
        expect((await bytesAt(`LOGS/rejected/${file}.reason`)).toString()).toBe(`${first![1]}\n`)
      }
    }
    expect((await tree.list(at('NEW_MESSAGES'))).map(({ name }) => name)).toEqual([good])
    expect((await store.overview.inbox('engineer')).rejected).toEqual([])
    expect(await store.claiming.claim('engineer')).toMatchObject({ outcome: 'claimed', message: { file: good } })
  })
})
