/**
 * One request to one member of the cluster, by plain HTTP/1.1. Connections are kept; a member that is paused or cut off
 * keeps them too, so every request has a time-out. Not `fetch`, which takes certificates differently on each runtime.
 */
import http from 'node:http'
import https from 'node:https'
import type { Host } from './address.ts'

export interface Reply {
  readonly status: number
  readonly text: string
  /** The `Date` header: the time at the member. */
  readonly date: string | undefined
}

interface RequestOptions {
  readonly token?: string | undefined
  readonly timeoutMs: number
  /** `POST` unless said otherwise. */
  readonly method?: 'GET' | 'POST'
}

interface StreamOptions {
  readonly token?: string | undefined
  /** One whole JSON document of the answer. */
  readonly onLine: (line: string) => void
  /** Called once, when nothing more will come, unless it was closed from this side. */
  readonly onEnd: () => void
}

export interface Stream {
  close(): void
}

export interface TlsFiles {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** No answer came. A request that was not sent had no effect; whether one that was sent had any is unknown. */
export class NoAnswer extends Error {
  readonly wasSent: boolean

  constructor(reason: string, wasSent: boolean) {
    super(reason)
    this.wasSent = wasSent
  }
}

interface Request {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly body: string
  readonly token: string | undefined
}

/** Errors without a connection, so that no request was sent. Bun has names of its own. */
const unsent = /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket)$/
/** The certificate of one side is not accepted by the other. */
const untrusted = /CERT|ALTNAME|TLS|SSL/

export class Transport {
  readonly #tls: boolean
  readonly #agent: http.Agent

  constructor(tls?: TlsFiles) {
    this.#tls = tls !== undefined
    const options = { keepAlive: true, maxFreeSockets: 64 }
    this.#agent = tls ? new https.Agent({ ...options, ...tls }) : new http.Agent(options)
  }

  request(to: Host, path: string, body: string, options: RequestOptions): Promise<Reply> {
    const { token, timeoutMs, method = 'POST' } = options
    return new Promise((resolve, reject) => {
      const request = this.#open(to, { path, method, body, token }, this.#agent)
      const giveUp = () => {
        reject(new NoAnswer(`no answer within ${Math.round(timeoutMs)} ms`, true))
        request.destroy()
      }
      let timer = setTimeout(giveUp, timeoutMs)
      const fail = (error: unknown) => {
        clearTimeout(timer)
        reject(noAnswer(error))
      }
      request.on('error', fail)
      request.on('response', (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => {
          pieces.push(piece)
          // The member is still sending.
          clearTimeout(timer)
          timer = setTimeout(giveUp, timeoutMs)
        })
        response.on('error', fail)
        response.on('close', () => {
          clearTimeout(timer)
          if (!response.complete) reject(new NoAnswer('the answer was cut off', true))
          else {
            const text = Buffer.concat(pieces).toString('utf8')
            resolve({ status: response.statusCode ?? 0, text, date: response.headers.date })
          }
        })
      })
      request.end(body)
    })
  }

  /** An answer without end: one JSON document a line. */
  stream(to: Host, path: string, body: string, { token, onLine, onEnd }: StreamOptions): Stream {
    // A connection of its own: a kept one could be reused while this answer still goes on.
    const request = this.#open(to, { path, method: 'POST', body, token }, undefined)
    let isOver = false
    let rest = ''
    const end = () => {
      if (isOver) return
      isOver = true
      request.destroy()
      onEnd()
    }
    request.on('error', end)
    request.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        const lines = (rest + piece).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line !== '' && !isOver) onLine(line)
      })
      response.on('error', end)
      response.on('close', () => {
        // An error is one document without a line end.
        if (rest !== '' && !isOver) onLine(rest)
        end()
      })
    })
    request.end(body)
    return {
      close() {
        isOver = true
        request.destroy()
      },
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #open(to: Host, { path, method, body, token }: Request, agent: http.Agent | undefined) {
    const options = {
      host: to.host,
      port: to.port,
      path,
      method,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(token === undefined ? {} : { authorization: token }),
      },
    }
    if (!this.#tls) return http.request(agent ? { ...options, agent } : { ...options, agent: new http.Agent() })
    const { ca, cert, key } = (this.#agent as https.Agent).options
    return https.request(agent ? { ...options, agent } : { ...options, agent: new https.Agent({ ca, cert, key }) })
  }
}

function noAnswer(error: unknown): NoAnswer {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (untrusted.test(code)) return new NoAnswer(`the connection is not secure (${code})`, false)
  return new NoAnswer(code || message || 'the connection broke', !unsent.test(code))
}
