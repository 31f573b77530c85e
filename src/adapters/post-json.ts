/** Asks an endpoint for JSON by plain `fetch`: with a time limit, again where it may help, and never following it elsewhere. */
import { pause } from '../kernel/clock.ts'
import { invalidInput } from '../kernel/errors.ts'

interface PostOptions {
  readonly address: string
  /** Never shown, not even in an error. */
  readonly key?: string | undefined
  readonly timeoutMs: number
  readonly attempts: number
  /** In milliseconds, before the second attempt; twice as long before each further one. */
  readonly pauseMs: number
  /** Of the answer, in bytes. */
  readonly mostBytes: number
}

/**
 * `unavailable`: there was no answer (`isSilent`: none before the time-out). `refused`: the endpoint did not accept this. `bad`:
 * its answer is no JSON.
 */
type Posted =
  | { readonly outcome: 'answered'; readonly json: unknown }
  | { readonly outcome: 'unavailable' | 'refused' | 'bad'; readonly why: string; readonly isSilent?: boolean }

/** An endpoint may say when to come back (`Retry-After`); not later than this, in milliseconds. */
const longestWish = 10_000

export async function postJson(body: unknown, options: PostOptions): Promise<Posted> {
  const { address, key, timeoutMs, attempts, pauseMs, mostBytes } = options
  let why = ''
  let wishedMs = 0
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const ms = Math.max(pauseMs * 2 ** (attempt - 2), wishedMs)
    if (attempt > 1) await pause(ms)
    try {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (answer.ok) return await readJson(answer, mostBytes)
      await answer.body?.cancel()
      const isElsewhere = answer.status >= 300 && answer.status < 400
      // A redirect may lead anywhere, and the request is meant for this endpoint alone.
      if (isElsewhere) return { outcome: 'refused', why: `it answered ${answer.status}, which leads elsewhere` }
      why = `it answered ${answer.status}`
      wishedMs = Math.min(longestWish, Number(answer.headers.get('retry-after')) * 1000 || 0)
      // The request itself is wrong, so repeating it does not help.
      if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) return { outcome: 'refused', why }
    } catch (error) {
      why = reasonOf(error)
      // An endpoint that was silent for so long is most likely silent again, and the caller waits.
      if (isTimeout(error)) return { outcome: 'unavailable', why, isSilent: true }
    }
  }
  return { outcome: 'unavailable', why }
}

async function readJson(answer: Response, mostBytes: number): Promise<Posted> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > mostBytes) return { outcome: 'bad', why: `more than ${mostBytes} bytes` }
    chunks.push(chunk)
  }
  try {
    return { outcome: 'answered', json: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
  } catch {
    return { outcome: 'bad', why: 'something that is no JSON' } // A SyntaxError.
  }
}

/** Secrets in an address would be shown in errors. */
export function checkAddress(url: string): void {
  const address = URL.canParse(url) ? new URL(url) : undefined
  const isPlain = address && address.username + address.password + address.search + address.hash === ''
  if (isPlain && /^https?:$/.test(address.protocol)) return
  const shown = address?.host ?? JSON.stringify(url.slice(0, 80))
  throw invalidInput('BAD_ENDPOINT', `Not an address of an endpoint: ${shown}.`, {
    hint: 'Give http:// or https://, without a name, password or query in it; the key goes into a file of its own.',
  })
}

export const below = (url: string, path: string): string => `${url.replace(/\/+$/, '')}/${path}`

/** For people; without what may be secret in an address. */
export const placeOf = (url: string): string => new URL(url).host

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

/** Said in our own words: the messages of Node and Bun differ, and are written for programmers. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'it hung up',
  UND_ERR_SOCKET: 'it hung up',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'there is no such host, or nobody to ask for it',
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (isTimeout(error)) return 'it did not answer in time'
  const { code, message } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message.replace(/[.?!]+$/, '')
}
