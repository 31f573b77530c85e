import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { languageModel } from './model.ts'

it('[X-model] an endpoint that kept a command waiting a minute ago is left alone, whoever asked it then', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/v1`
  const asked: string[] = []
  const recently = async () => ({
    age: async (what: string) => {
      asked.push(what)
      return 60_000
    },
    note: async () => {},
  })
  const models = { url, model: 'm', embeddings: 'local' } as const
  const model = languageModel({ models, recently, outside: {} } as unknown as Parameters<typeof languageModel>[0])
  await expect(model!.ask('what is new?', 'prompt')).rejects.toMatchObject({ kind: 'Unavailable' })
  expect({ requests, asked }).toEqual({ requests: 0, asked: [`model ${url} m kept silent`] })
  server.close()
})
