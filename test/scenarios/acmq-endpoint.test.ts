/** An endpoint for embeddings that behaves badly, and the cache of what a good one said: by real servers. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect } from 'vitest'
import { httpEmbedder } from '../../src/adapters/embeddings/http-embedder.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { heldClock, systemClock } from '../../src/kernel/clock.ts'
import { unavailable } from '../../src/kernel/errors.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { embedTexts } from '../../src/messaging/search/embedding.ts'
import { VectorIndex } from '../../src/messaging/search/vector-index.ts'
import { acmqPorts } from '../../src/operations/acmq/ports.ts'
import { recently } from '../../src/operations/workspace/recently.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { contentDigest } from '../../src/protocols/ac-mq/memory/generated.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { packageFile } from '../support/sentence-model.ts'
import { verifies } from '../support/verifies.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Answer = (texts: readonly string[], response: ServerResponse, call: number) => unknown

/** An endpoint of its own; what `answer` gives is sent as JSON, and nothing is sent for `undefined`. */
async function endpoint(answer: Answer) {
  const asked: string[][] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { input } = JSON.parse(text) as { input: string[] }
      asked.push(input)
      const given = answer(input, response, asked.length)
      if (given !== undefined) response.end(JSON.stringify(given))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const rows = (texts: readonly string[], vectorOf: (text: string) => unknown) => ({
  data: texts.map((text, index) => ({ index, embedding: vectorOf(text) })),
})

/** What takes over; loaded once. */
const usual = acmqPorts({ packageFile, models: { embeddings: 'local' }, outside: undefined as never })

async function missionOn(tree: Tree, url: string) {
  const embedder = () =>
    httpEmbedder({ provider: 'openai', url, model: 'toy', timeoutMs: 100, attempts: 2, pauseMs: 1 })
  const meaning: typeof usual.meaning = async (which) =>
    which === 'offline' ? usual.meaning('offline') : { embedder: await embedder() }
  const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults, ...usual, meaning })
  const { mission } = await missions.create('alpha')
  return mission
}

async function filled(tree: Tree, url: string) {
  const mission = await missionOn(tree, url)
  for (const [n, body] of ['The dog barks at the cat', 'A stone lies there', 'Another stone of the dog'].entries())
    await mission.sending.send({ from: 'a', to: 'b', id: `animal0${n}`, body })
  return mission
}

const bad: Readonly<Record<string, Answer>> = {
  'that refuses': (_, response) => {
    response.statusCode = 400
    return {}
  },
  'that is broken': (_, response) => {
    response.statusCode = 500
    return {}
  },
  'that hangs': () => undefined,
  'that hangs up': (_, response) => void response.destroy(),
  'that sends elsewhere': (_, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' })
    return {}
  },
  'that talks nonsense': (_, response) => void response.end('<html>It works!</html>'),
  'with too few vectors': () => ({ data: [] }),
  'with words for numbers': (texts) => rows(texts, () => ['one', 'two']),
  'with endless numbers': (texts) => rows(texts, () => [Number.POSITIVE_INFINITY, null]),
  'whose vectors have another length later': (texts, _, call) =>
    rows(texts, () => Array(call % 2 === 1 ? 3 : 4).fill(1)),
  'whose vectors differ in length': (texts) => rows(texts, (text) => Array(1 + (text.length % 7)).fill(1)),
}

describe('an endpoint', () => {
  for (const [name, answer] of Object.entries(bad))
    verifies('AC-13.2e', `${name}: what comes with the package takes over, and the document says so`, async () => {
      const tree = openMemoryTree()
      const { url } = await endpoint(answer)
      const mission = await filled(tree, url)
      const found = await (await mission.memory()).search('dogs')
      expect(found.provider).toBe('local')
      expect(found.hits.map(({ message }) => message.id).sort()).toEqual(['animal00', 'animal02'])
      expect(found.instead).toMatch(/^The endpoint for embeddings at 127\.0\.0\.1:\d+ /)
      const { documents, instead } = await (await mission.memory()).bus({ query: 'dogs' })
      expect(documents).toMatchObject([{ provider: 'local, since the configured endpoint failed' }])
      expect(instead).toMatch(/^The endpoint/)
      const leaf = await tree.read(treePath(documents[0]!.path))
      expect(Buffer.from(leaf!.bytes).toString()).toContain(
        '**Provider:** local, since the configured endpoint failed\n',
      )
      // Grouping does without vectors then, too.
      expect((await (await mission.memory()).bus()).instead).toMatch(/^The endpoint/)
    })

  verifies(
    'X-model',
    'that hangs is waited for once, however much there is to ask, as vectors and as a model',
    async () => {
      const { url, asked } = await endpoint(() => undefined)
      const embeddings = { embeddings: 'openai', embeddingsUrl: url, embeddingsModel: 'toy' } as const
      const models = { ...embeddings, url, model: 'toy' }
      const ports = acmqPorts({ packageFile, models, outside: undefined as never }, { timeoutMs: 50 })
      const tree = openMemoryTree()
      const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults, ...ports })
      const instead = /embeddings at .* cannot be used: it did not answer in time.* The model at .* cannot be used/
      for (const name of ['alpha', 'beta']) {
        const { mission } = await missions.create(name)
        for (const n of [1, 2])
          await mission.sending.send({ from: 'a', to: 'b', id: `animal0${n}`, body: 'The dog barks' })
        for (const query of ['dogs', 'barking']) {
          expect((await (await mission.memory()).search(query)).instead).toMatch(/did not answer in time/)
          const made = await (await mission.memory()).bus({ query })
          expect(made).toMatchObject({
            documents: [{ summaryBy: 'extractive' }],
            instead: expect.stringMatching(instead),
          })
        }
      }
      expect(asked).toHaveLength(2)
    },
  )

  verifies('X-model', 'that cannot be used is told of in our words, on both runtimes', async () => {
    const reasonFor = async (url: string) => {
      const embedder = httpEmbedder({ provider: 'openai', url, model: 'toy', timeoutMs: 1000, attempts: 1 })
      return (await embedder.catch((error: Error) => error.message)) as string
    }
    const elsewhere = await endpoint(bad['that sends elsewhere']!)
    const place = /^The endpoint for embeddings at 127\.0\.0\.1:\d+ cannot be used: (.*)\.$/
    expect(place.exec(await reasonFor(elsewhere.url))?.[1]).toBe('it answered 302, which leads elsewhere')
    expect(elsewhere.asked).toHaveLength(1)
    const hungUp = await endpoint(bad['that hangs up']!)
    expect(place.exec(await reasonFor(hungUp.url))?.[1]).toBe('it hung up')
    for (const close of closing.splice(0)) await close()
    expect(place.exec(await reasonFor(hungUp.url))?.[1]).toBe('nobody listens there')
  })

  verifies('X-model', 'that hangs is not waited for by the next commands, for five minutes', async () => {
    const { url, asked } = await endpoint(() => undefined)
    const embeddings = { embeddings: 'openai', embeddingsUrl: url, embeddingsModel: 'toy' } as const
    const models = { ...embeddings, url, model: 'toy' }
    const clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
    const tree = openMemoryTree({ clock })
    // Each command is a process of its own, and knows only what is on the tree.
    const command = async () => {
      const around = { packageFile, models, outside: undefined as never }
      const ports = acmqPorts({ ...around, recently: async () => recently(async () => tree) }, { timeoutMs: 50 })
      const missions = await acmq.open({ tree, clock, settings: acmq.defaults, ...ports })
      return (await missions.create('alpha')).mission
    }
    const mission = await command()
    for (const n of [1, 2]) await mission.sending.send({ from: 'a', to: 'b', id: `animal0${n}`, body: 'The dog barks' })
    expect((await (await (await command()).memory()).search('dogs')).instead).toMatch(/it did not answer in time\.$/)
    expect((await (await (await command()).memory()).bus({ query: 'dogs' })).documents).toMatchObject([
      { summaryBy: 'extractive' },
    ])
    expect(asked).toHaveLength(2)
    clock.advance(2 * 60_000)
    expect((await (await (await command()).memory()).search('dogs')).instead).toMatch(
      /^The endpoint for embeddings at .* cannot be used: it did not answer in time 2 minutes ago, and is asked again five minutes after that\.$/,
    )
    expect((await (await (await command()).memory()).report({ mode: 'top-down' })).instead).toMatch(
      /^The model at .* 2 minutes ago/,
    )
    expect(asked).toHaveLength(2)
    clock.advance(3 * 60_000)
    await (await (await command()).memory()).search('dogs')
    expect(asked).toHaveLength(3)
  })

  verifies('X-model', 'that says at once that it cannot is asked again by the next command', async () => {
    const { url, asked } = await endpoint((_, response) => void response.destroy())
    const models = { embeddings: 'openai', embeddingsUrl: url, embeddingsModel: 'toy' } as const
    const tree = openMemoryTree()
    for (const _ of [1, 2]) {
      const around = { packageFile, models, outside: undefined as never }
      const patience = { timeoutMs: 1000, attempts: 1 }
      const ports = acmqPorts({ ...around, recently: async () => recently(async () => tree) }, patience)
      const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults, ...ports })
      const { mission } = await missions.create('alpha')
      await mission.sending.send({ from: 'a', to: 'b', id: 'animal01', body: 'The dog barks' })
      for (const query of ['dogs', 'barking'])
        expect((await (await mission.memory()).search(query)).provider).toBe('local')
    }
    expect(asked).toHaveLength(2)
  })

  verifies('AC-13.2e', 'vectors of two never mix, even under one name and of one length', async () => {
    const tree = openMemoryTree()
    const animals = await endpoint((texts) => rows(texts, (text) => (/dog|cat|pet/.test(text) ? [1, 0] : [0, 1])))
    // The same name and length, and the opposite meaning.
    const stones = await endpoint((texts) => rows(texts, (text) => (/stone|pet/.test(text) ? [1, 0] : [0, 1])))
    const first = await filled(tree, animals.url)
    const best = async (mission: typeof first) =>
      (await (await mission.memory()).search('pet', { only: 'meaning' })).hits.map(({ message }) => message.id).sort()
    expect(await best(first)).toEqual(['animal00', 'animal02'])
    const second = await missionOn(tree, stones.url)
    expect(await best(second)).toEqual(['animal01', 'animal02'])
    expect(await best(first)).toEqual(['animal00', 'animal02'])
    expect(await tree.list(treePath('.signalbox/cache/embeddings'))).toHaveLength(2)
    expect(stones.asked.flat().filter((text) => /barks/.test(text))).toHaveLength(1)
  })
})

describe('the cache of vectors', () => {
  const toy = (version = 'toy') => {
    const asked: string[] = []
    const embed = async (texts: readonly string[]) => {
      asked.push(...texts)
      return texts.map((text) => Float32Array.of(text.length, 1))
    }
    return { id: 'openai', version, dim: 2, embed, asked }
  }
  const filesIn = async (tree: Tree) => {
    const sizes: number[] = []
    for (const { name } of await tree.list(treePath('.signalbox/cache/embeddings')))
      for (const { size } of await tree.list(treePath(`.signalbox/cache/embeddings/${name}`), { times: true }))
        sizes.push(size)
    return sizes
  }
  const patience = { atFirst: 10_000, later: 10_000 }
  const embedded = (tree: Tree, embedder: ReturnType<typeof toy>, texts: readonly string[]) => {
    const all = texts.map((text) => ({ digest: contentDigest(text), text: async () => text }))
    return embedTexts({ tree }, embedder, all, patience)
  }
  /** As another process finds it. */
  const another = (tree: Tree): Tree =>
    new Proxy(tree, {
      get(target, key) {
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })

  verifies(
    'AC-13.2e',
    'is few files however little comes at a time, and bounded, for providers nobody asks any more too',
    async () => {
      const tree = openMemoryTree()
      const angle = (n: number) => (n / 300) * Math.PI
      const vector = (n: number) => Float32Array.of(Math.cos(angle(n)), Math.sin(angle(n)))
      const add = async (version: string, from: number, count: number, keep: { keepMs: number; keepBytes: number }) => {
        const index = await VectorIndex.open(another(tree), toy(version), keep)
        for (let n = from; n < from + count; n++) index.add(contentDigest(`${version} ${n}`), vector(n))
        await index.save()
      }
      const much = { keepMs: 1e9, keepBytes: 1e9 }
      for (let n = 0; n < 300; n += 3) await add('toy', n, 3, much)
      expect((await filesIn(tree)).length).toBeLessThan(12)
      const index = await VectorIndex.open(another(tree), toy('toy'))
      expect(index.size).toBe(300)
      for (let n = 0; n < 300; n++) expect(index.likeness(contentDigest(`toy ${n}`), vector(n))).toBeGreaterThan(0.9999)
      await add('old', 0, 5000, much)
      for (let n = 300; n < 360; n += 3) await add('toy', n, 3, { keepMs: 1e9, keepBytes: 50_000 })
      expect((await filesIn(tree)).reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
    },
  )

  verifies(
    'AC-13.2e',
    'keeps what came before an endpoint failed, so that the next time only the rest is asked',
    async () => {
      const tree = openMemoryTree()
      const texts = Array.from({ length: 150 }, (_, n) => `Text number ${n}`)
      const embedder = toy()
      let left = 2
      const failing = {
        ...embedder,
        async embed(some: readonly string[]) {
          if (left-- === 0) throw unavailable('EMBEDDINGS_UNAVAILABLE', 'It sleeps.')
          return embedder.embed(some)
        },
      }
      await expect(embedded(tree, failing, texts)).rejects.toMatchObject({ code: 'EMBEDDINGS_UNAVAILABLE' })
      expect(embedder.asked).toHaveLength(128)
      expect(await embedded(another(tree), embedder, texts)).toMatchObject({ made: 22, missing: 0 })
      expect(embedder.asked).toEqual(texts)
      expect(await embedded(tree, embedder, Array(1000).fill('Ping'))).toMatchObject({ made: 1 })
      expect(embedder.asked.slice(150)).toEqual(['Ping'])
    },
  )

  verifies('AC-13.2e', 'is disposable, and a disk without room for it stops nobody', async () => {
    const tree = openMemoryTree()
    const embedder = toy()
    const likeness = async (where: Tree, text: string) =>
      (await embedded(where, embedder, [text])).index.likeness(contentDigest(text), Float32Array.of(1, 0))
    expect(await likeness(tree, 'a')).toBeCloseTo(Math.SQRT1_2, 2)
    expect(await likeness(another(tree), 'a')).toBeCloseTo(Math.SQRT1_2, 2)
    expect(embedder.asked).toEqual(['a'])
    const full = new Proxy(tree, {
      get(target, key) {
        if (key === 'create') return () => Promise.reject(unavailable('DISK_FULL', 'Full.', { hint: 'Make room.' }))
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    expect(await likeness(full, 'ccc')).toBeCloseTo(3 / Math.sqrt(10), 2)
    for (const { name } of await tree.list(treePath('.signalbox/cache/embeddings')))
      for (const inner of await tree.list(treePath(`.signalbox/cache/embeddings/${name}`)))
        await tree.remove(treePath(`.signalbox/cache/embeddings/${name}/${inner.name}`))
    expect(await likeness(another(tree), 'a')).toBeCloseTo(Math.SQRT1_2, 2)
    expect(embedder.asked).toEqual(['a', 'ccc', 'a'])
  })

  verifies('AC-13.2e', 'gets the newest first within its time, and finishes what can be finished', async () => {
    const tree = openMemoryTree()
    const asked: string[] = []
    const slow = {
      ...toy('slow'),
      isLocal: true as const,
      async embed(texts: readonly string[]) {
        // An empty one loads the model.
        asked.push(...texts.filter((text) => text !== ''))
        const until = performance.now() + 5
        while (performance.now() < until);
        return texts.map(() => Float32Array.of(1, 1))
      },
    }
    const texts = Array.from({ length: 200 }, (_, n) => `The message with number ${n}`)
    const all = texts.map((text) => ({ digest: contentDigest(text), text: async () => text }))
    const first = await embedTexts({ tree }, slow, all, { atFirst: 100, later: 20 })
    expect(first.missing).toBeGreaterThan(150)
    expect(asked).toEqual(texts.slice(0, asked.length))
    const second = await embedTexts({ tree }, slow, all, { atFirst: 100, later: 20 })
    expect(second.missing).toBeGreaterThan(150)
    const third = await embedTexts({ tree }, slow, all, { atFirst: 1e6, later: 20 })
    expect(third.missing).toBe(0)
    expect(asked).toEqual(texts)
  })
})

describe('the weights of the sentence model', () => {
  const damaged: Readonly<Record<string, Uint8Array | undefined>> = {
    'that is missing': undefined,
    'that is empty': new Uint8Array(),
    'whose beginning is overwritten': Buffer.alloc(100_000, 0xff),
    'of zeros': Buffer.alloc(100_000),
  }
  for (const [name, bytes] of Object.entries(damaged))
    verifies('AC-13.2e', `${name}: words alone count, and that is told`, async () => {
      const models = { embeddings: 'local' } as const
      const ports = acmqPorts({ packageFile: () => bytes, models, outside: undefined as never })
      const missions = await acmq.open({
        ...{ tree: openMemoryTree(), clock: systemClock, settings: acmq.defaults },
        ...ports,
      })
      const { mission } = await missions.create('alpha')
      await mission.sending.send({ from: 'a', to: 'b', id: 'stone000', body: 'A stone lies there' })
      const found = await (await mission.memory()).search('stones')
      expect(found).toMatchObject({ provider: 'words', hits: [{ message: { id: 'stone000' }, by: ['words'] }] })
      expect(found.instead).toMatch(/^The sentence model of this installation cannot be used: /)
      const { documents } = await (await mission.memory()).bus({ query: 'stones' })
      // No endpoint was configured, so none has failed.
      expect(documents).toMatchObject([{ messages: ['stone000'], provider: 'words' }])
    })
})
