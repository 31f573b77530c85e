import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { httpModel } from './http-model.ts'

let close = async (): Promise<void> => {}
afterEach(() => close())

async function endpoint(status: number, answer: string, headers: Record<string, string> = {}) {
  const asked: { path: string | undefined; key: string | undefined; body: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      asked.push({ path: request.url, key: request.headers.authorization, body: JSON.parse(text) })
      if (answer === 'nothing at all') return
      response.writeHead(asked.length > 1 && status === 429 ? 200 : status, headers).end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    asked,
    options: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm', pauseMs: 1 },
  }
}
const question = { instructions: 'Summarise.', material: 'Text' }

describe('[X-model] a model behind an endpoint', () => {
  it('is asked as OpenAI is', async () => {
    const { asked, options } = await endpoint(200, '{"choices":[{"message":{"content":" It was fine. "}}]}')
    const model = httpModel({ ...options, key: 'secret' })
    expect([model.id, await model.write(question)]).toEqual(['m', 'It was fine.'])
    expect(asked).toMatchObject([{ path: '/v1/chat/completions', key: 'Bearer secret', body: { model: 'm' } }])
    await model.write({ material: 'Text', mostTokens: 5 })
    const messages = [{ role: 'user', content: 'Text' }]
    expect(asked[1]!.body).toEqual({ model: 'm', messages, temperature: 0, max_tokens: 5 })
  })

  it('is asked again when it says, and is not waited for without end', async () => {
    const busy = await endpoint(429, '{"choices":[{"message":{"content":"now"}}]}', { 'retry-after': '0.3' })
    const since = performance.now()
    expect(await httpModel(busy.options).write(question)).toBe('now')
    expect(performance.now() - since).toBeGreaterThan(250)
    await close()
    const { options } = await endpoint(200, 'nothing at all')
    const silent = httpModel({ ...options, timeoutMs: 50, attempts: 1 }).write(question)
    await expect(silent).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', exit: 8 })
  })

  it('is never followed elsewhere, and has an address without secrets', async () => {
    const { options } = await endpoint(302, '', { location: 'http://127.0.0.1:1/' })
    await expect(httpModel(options).write(question)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' })
    for (const url of ['ftp://x', 'https://user:key@host/v1', 'host', 'https://host/v1?key=x']) {
      expect(() => httpModel({ ...options, url })).toThrow(expect.objectContaining({ code: 'BAD_ENDPOINT' }))
    }
  })

  it.each([
    [500, '', 'MODEL_UNAVAILABLE', 2],
    [401, '', 'MODEL_UNAVAILABLE', 1],
    [200, '<html>', 'BAD_MODEL_ANSWER', 1],
    [200, '{"choices":[]}', 'BAD_MODEL_ANSWER', 1],
    [200, '{"choices":[{"message":{"content":"  "}}]}', 'BAD_MODEL_ANSWER', 1],
    [200, 'null', 'BAD_MODEL_ANSWER', 1],
  ])('that answers %i %s is told of, without the key', async (status, answer, code, times) => {
    const { asked, options } = await endpoint(status, answer)
    const error = await httpModel({ ...options, key: 's3cret' })
      .write(question)
      .catch((thrown) => thrown as Error)
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('s3cret')
    expect(asked).toHaveLength(times)
  })
})
