/** Searching a mission: by words, by meaning, in the archive, with and without an endpoint for embeddings. */
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { httpEmbedder } from '../../src/adapters/embeddings/http-embedder.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmqPorts } from '../../src/operations/acmq/ports.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { packageFile } from '../support/sentence-model.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

let root: string
beforeEach(() => {
  root = tempDir()
})
const run = (...words: string[]) => cliJson(['acmq', ...words], { cwd: root }, quickCli)
const send = (id: string, summary: string, body: string) =>
  run('send', 'alpha', '--from', 'claude', '--to', 'gemini', '--id', id, '--summary', summary, '--body', body)

interface Hit {
  readonly message: { readonly id: string; readonly state: string }
  readonly by: readonly string[]
}
const hitsOf = (output: Record<string, unknown>) =>
  (output.hits as Hit[]).map(({ message, by }) => [message.id, message.state, by])

describe('on the command line', () => {
  beforeEach(() => {
    run('create-mission', 'alpha')
    send('orders00', 'Slow orders', 'The orders table is scanned from end to end; add an index.')
    send('garage00', 'Repair the car', 'It stands in the garage since Monday.')
    send('chinese0', '数据库', '查询太慢，需要索引。')
  })

  verifies('AC-13.2e', 'finds by words and by meaning, says by which, and archived messages too', () => {
    expect(hitsOf(run('search', 'alpha', 'index').output)[0]).toEqual(['orders00', 'pending', ['words', 'meaning']])
    expect(hitsOf(run('search', 'alpha', 'automobile').output)).toEqual([['garage00', 'pending', ['meaning']]])
    expect(hitsOf(run('search', 'alpha', '数据库', '--words').output)).toEqual([['chinese0', 'pending', ['words']]])
    run('claim', 'alpha', '--as', 'gemini', '--id', 'garage00')
    run('complete', 'alpha', 'garage00', '--as', 'gemini', '--result', 'New brakes.')
    run('archive', 'alpha', '--older-than', '0')
    expect(hitsOf(run('search', 'alpha', 'brakes', '--words').output)).toEqual([['garage00', 'archived', ['words']]])
  })

  verifies('AC-13.2e', 'nothing found ends with 1, nonsense with a clear error', () => {
    for (const query of ['the of and', 'qzxv', '!!!'])
      expect(run('search', 'alpha', query)).toMatchObject({ exit: 1, output: { outcome: 'nothing', hits: [] } })
    expect(run('search', 'alpha', 'x', '--words', '--meaning')).toMatchObject({ exit: 2 })
    expect(run('search', 'beta', 'x')).toMatchObject({ exit: 3 })
    expect(run('search', 'alpha', 'index '.repeat(15_000)).exit).toBe(0)
  })

  it('[X-notes] a file of a stranger in a queue does not stop it', () => {
    writeFileSync(join(root, 'llm/missions/alpha/queue/pending/20261117153050-odd00000-from-a-to-b.md'), '---\nid: [\n')
    expect(run('search', 'alpha', 'index').exit).toBe(0)
  })
})

describe('with the model of the package', () => {
  const performance = [
    'The orders query takes nine seconds: the table is scanned from end to end',
    'Add an index on customer and date so that reading orders gets faster',
    'The connection pool of Postgres is exhausted every morning',
    'Slow statements: list the twenty that take most time',
    'Queries have become slow because statistics are out of date',
    'The database server is at full load at nine in the morning',
    'Read replicas lag behind by two minutes when the load is high',
    'The dashboard asks the database 300 times for one page',
    'Response times of SQL queries before and after the new index',
  ]
  const others = [
    'Translate the imprint into Dutch',
    'Logo in a darker blue',
    'Lunch on Friday at noon',
    'Water the plants',
  ]

  const filled = async (tree = openMemoryTree()) => {
    const ports = acmqPorts({ packageFile, models: { embeddings: 'local' }, outside: undefined as never })
    const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults, ...ports })
    const { mission } = await missions.create('alpha')
    for (const [n, body] of [...performance, ...others].entries())
      await mission.sending.send({ from: 'a', to: 'b', id: `message${String(n).padStart(2, '0')}`, body })
    return mission
  }

  verifies('AC-13.2e', 'words that ask, and words about messages, are not what is asked for', async () => {
    const mission = await filled()
    const query = 'summarize all messages related to database performance'
    const { hits, provider } = await (await mission.memory()).search(query, { limit: 20 })
    expect(provider).toBe('local')
    const found = hits.map(({ message }) => Number(message.id.slice(7)))
    expect(found.filter((n) => n < 9).length).toBeGreaterThanOrEqual(7)
    expect(found.filter((n) => n >= 9)).toEqual([])
    const { documents } = await (await mission.memory()).bus({ query })
    expect(documents[0]!.messages.length).toBeGreaterThanOrEqual(6)
    expect(await (await mission.memory()).search('all messages about football players')).toMatchObject({ hits: [] })
  })

  verifies(
    'AC-13.2e',
    'a vector is made once, and what is asked in another language is told to go by words',
    async () => {
      const tree = openMemoryTree()
      const mission = await filled(tree)
      await (await mission.memory()).search('database')
      const [folder] = await tree.list(treePath('.signalbox/cache/embeddings'))
      const files = () => tree.list(treePath(`.signalbox/cache/embeddings/${folder!.name}`), { times: true })
      const before = await files()
      // 13 vectors of 384 bytes in base64, with a digest each.
      expect(before[0]!.size).toBeLessThan(13 * 560)
      await (await mission.memory()).search('performance')
      expect(await files()).toEqual(before)
      const german = await (await mission.memory()).search('Welche Tabellen sind zu groß und müssen aufgeräumt werden?')
      expect(german).toMatchObject({ provider: 'words', instead: expect.stringMatching(/knows English alone/) })
    },
  )

  verifies(
    'AC-13.2e',
    'the model is loaded for vectors alone: not by send, claim, complete or a search for words',
    async () => {
      const read: string[] = []
      const reading = (path: string) => {
        read.push(path)
        return packageFile(path)
      }
      const ports = acmqPorts({ packageFile: reading, models: { embeddings: 'local' }, outside: undefined as never })
      const tree = openMemoryTree()
      const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults, ...ports })
      const { mission } = await missions.create('alpha')
      await mission.sending.send({ from: 'a', to: 'b', id: 'orders00', body: 'The orders query is slow' })
      await mission.claims.next({ agent: 'b' })
      await mission.settling.complete('orders00', { agent: 'b' })
      await (await mission.memory()).search('orders', { only: 'words' })
      expect(read).toEqual([])
      await (await mission.memory()).search('orders')
      expect(read).toEqual(['packages/minilm/minilm.bin', 'dist/minilm.wasm'])
    },
  )

  verifies('AC-13.2a', 'messages that mean the same get one document, named as a person would', async () => {
    const mission = await filled()
    const outage = [
      'Nobody can sign in',
      'Login page rejects every password',
      'Users are locked out of their login',
      'Login fails since the release',
    ]
    for (const [n, body] of outage.entries())
      await mission.sending.send({ from: 'a', to: 'b', id: `signin0${n}`, body })
    const { documents } = await (await mission.memory()).bus()
    const logins = documents.find(({ messages }) => messages.includes('signin01'))
    expect(logins?.messages.filter((id) => !id.startsWith('signin'))).toEqual([])
    expect(logins?.path).toMatch(/bus-document-[a-z-]*login[a-z-]*-\d{14}\.md$/)
    expect(logins?.provider).toBe('local')
  })
})

describe('with an endpoint', () => {
  async function withEndpoint(work: (url: string, asked: string[][], control: { fail: boolean }) => Promise<void>) {
    const asked: string[][] = []
    const control = { fail: false }
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { input } = JSON.parse(text) as { input: string[] }
        asked.push(input)
        if (control.fail) response.statusCode = 400
        // It knows one thing: whether a text is about animals.
        const vector = (one: string) => (/dog|cat|animal/i.test(one) ? [1, 0.1] : [0, 1])
        response.end(JSON.stringify({ data: input.map((one, index) => ({ index, embedding: vector(one) })) }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, control)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  const portsFor = (url: string) =>
    acmqPorts({
      packageFile,
      models: { embeddings: 'openai', embeddingsUrl: url, embeddingsModel: 'toy' },
      outside: undefined as never,
    })

  async function missionWith(ports: ReturnType<typeof acmqPorts>) {
    const tree = openMemoryTree()
    const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults, ...ports })
    const { mission } = await missions.create('alpha')
    await mission.sending.send({ from: 'a', to: 'b', id: 'doglike0', body: 'The dog barks' })
    await mission.sending.send({ from: 'a', to: 'b', id: 'stone000', body: 'A stone lies there' })
    return { tree, mission }
  }

  verifies('AC-13.2e', 'vectors are cached by text and provider, and asked for once', () =>
    withEndpoint(async (url, asked) => {
      const { tree, mission } = await missionWith(portsFor(url))
      const first = await (await mission.memory()).search('animal', { only: 'meaning' })
      expect(first).toMatchObject({ provider: 'openai', hits: [{ message: { id: 'doglike0' }, by: ['meaning'] }] })
      expect(asked.flat()).toHaveLength(1 + 2 + 1)
      await (await mission.memory()).search('animal', { only: 'meaning' })
      expect(asked.flat()).toHaveLength(1 + 2 + 1 + 1)
      const [folder] = await tree.list(treePath('.signalbox/cache/embeddings'))
      const [file, ...more] = await tree.list(treePath(`.signalbox/cache/embeddings/${folder!.name}`))
      expect([file!.name, more]).toEqual(['1.jsonl', []])
    }),
  )

  verifies('AC-13.2e', 'a cache that a stranger wrote is not believed', () =>
    withEndpoint(async (url) => {
      const { tree, mission } = await missionWith(portsFor(url))
      const expected = await (await mission.memory()).search('animal', { only: 'meaning' })
      const [folder] = await tree.list(treePath('.signalbox/cache/embeddings'))
      const inside = treePath(`.signalbox/cache/embeddings/${folder!.name}`)
      for (const { name } of await tree.list(inside)) {
        const path = treePath(`${inside}/${name}`)
        await tree.replace(path, Buffer.from('not a vector'), (await tree.read(path))!.revision)
      }
      expect(await (await mission.memory()).search('animal', { only: 'meaning' })).toEqual(expected)
    }),
  )

  verifies('AC-13.2e', 'when it fails, the vectors of the package take over, and that is told', () =>
    withEndpoint(async (url, _, control) => {
      const { mission } = await missionWith(portsFor(url))
      expect((await httpEmbedder({ provider: 'openai', url, model: 'toy' })).dim).toBe(2)
      control.fail = true
      const found = await (await mission.memory()).search('barking')
      expect(found.provider).toBe('local')
      expect(found.instead).toMatch(/answered 400/)
      expect(found.hits[0]?.message.id).toBe('doglike0')
    }),
  )

  it('without vectors at all, words alone count', async () => {
    const ports = acmqPorts({
      packageFile: () => Buffer.from('broken'),
      models: { embeddings: 'local' },
      outside: undefined as never,
    })
    const { mission } = await missionWith(ports)
    const found = await (await mission.memory()).search('stones')
    expect(found).toMatchObject({ provider: 'words', hits: [{ message: { id: 'stone000' }, by: ['words'] }] })
    expect(found.instead).toMatch(/cannot be used/)
    expect(readdirSync(root)).toEqual([])
  })
})
