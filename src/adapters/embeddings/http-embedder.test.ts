import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type EndpointOptions, httpEmbedder } from './http-embedder.ts'

let close = async (): Promise<void> => {}
afterEach(() => close())

type Answer = (body: { input: string[]; model: string }, request: IncomingMessage, response: ServerResponse) => unknown

/** An endpoint that answers as told; an object is sent as JSON. */
async function endpoint(answer: Answer): Promise<EndpointOptions & { asked: number }> {
  const state = { provider: 'openai' as const, url: '', model: 'm', pauseMs: 1, timeoutMs: 2000, asked: 0 }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      state.asked++
      const given = answer(JSON.parse(text), request, response)
      if (given !== undefined) response.end(JSON.stringify(given))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  return state
}
const fine = ({ input }: { input: string[] }) => ({
  data: input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse(),
})

describe('embeddings from an endpoint', () => {
  it('asks in batches, puts answers in their places and sends the key', async () => {
    const keys = new Set<string | undefined>()
    const options = await endpoint((body, request) => {
      keys.add(request.headers.authorization)
      expect(request.url).toBe('/v1/embeddings')
      return fine(body)
    })
    const embedder = await httpEmbedder({ ...options, key: 'secret', batch: 2 })
    const place = new URL(options.url).host
    expect([embedder.id, embedder.version, embedder.dim]).toEqual(['openai', `m at ${place}/v1/`, 2])
    const vectors = await embedder.embed(['a', 'bb', 'ccc'])
    expect(vectors.map(([first]) => first)).toEqual([1, 2, 3])
    expect([...keys]).toEqual(['Bearer secret'])
  })

  it('speaks to Ollama', async () => {
    const options = await endpoint((body, request) => {
      expect(request.url).toBe('/v1/api/embed')
      return { embeddings: body.input.map(() => [1, 2, 3]) }
    })
    expect((await httpEmbedder({ ...options, provider: 'ollama' })).dim).toBe(3)
  })

  it('tries again what may pass, and gives up on what will not', async () => {
    let failures = 2
    const options = await endpoint((body, _, response) => {
      if (failures-- <= 0) return fine(body)
      response.statusCode = 503
      return {}
    })
    expect((await httpEmbedder(options)).dim).toBe(2)
    await close()
    const refusing = await endpoint((_, __, response) => {
      response.statusCode = 401
      return {}
    })
    await expect(httpEmbedder({ ...refusing, key: 'secret' })).rejects.toThrow(/answered 401/)
    expect(refusing.asked).toBe(1)
  })

  it('[X-model] does not wait for ever, nor a second time', async () => {
    const options = await endpoint(() => undefined)
    await expect(httpEmbedder({ ...options, timeoutMs: 50, attempts: 3 })).rejects.toThrow(/did not answer in time/)
    expect(options.asked).toBe(1)
  })

  const bad: [string, Answer][] = [
    ['no JSON', (_, __, response) => void response.end('<html>')],
    ['too few', () => ({ data: [] })],
    ['words', ({ input }) => ({ data: input.map(() => ({ embedding: ['a'] })) })],
    ['the same place twice', ({ input }) => ({ data: input.map(() => ({ index: 9, embedding: [1] })) })],
    ['null', () => null],
  ]
  it.each(bad)('refuses an answer of %s', async (_, answer) => {
    await expect(httpEmbedder(await endpoint(answer))).rejects.toMatchObject({ code: 'BAD_EMBEDDINGS' })
  })

  it('refuses vectors of another length than before', async () => {
    let length = 2
    const options = await endpoint(({ input }) => ({
      data: input.map((_, index) => ({ index, embedding: Array(length).fill(1) })),
    }))
    const embedder = await httpEmbedder(options)
    length = 3
    await expect(embedder.embed(['a'])).rejects.toThrow(/vectors of 3 numbers where it gave 2/)
  })

  it('says who cannot be reached, without secrets', async () => {
    for (const url of ['http://user:k3y@127.0.0.1:9/v1', 'http://127.0.0.1:9/v1']) {
      const options = { provider: 'openai', url, model: 'm', pauseMs: 1, key: 'k3y' } as const
      const error = await httpEmbedder(options).catch((thrown) => thrown as Error)
      expect(String(error)).toMatch(/127\.0\.0\.1:9/)
      expect(String(error)).not.toMatch(/k3y/)
    }
    const odd = httpEmbedder({ provider: 'openai', url: 'file:///etc/passwd', model: 'm' })
    await expect(odd).rejects.toMatchObject({ code: 'BAD_ENDPOINT' })
  })
})
