/**
 * A small proxy before a server that behaves like a bad network. Its mode can change while it runs:
 *
 * - `pass`: nothing.
 * - `hold`: what clients send is kept until `release`, even after they have closed the connection.
 * - `mute`: what clients send arrives, but they get no answers any more.
 * - `mute-writes`: the same, for requests that write to etcd.
 * - `drop`: nothing arrives in either direction, without an error.
 * - `refuse`: connections are reset.
 */
import { connect, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'

export type Mode = 'pass' | 'hold' | 'mute' | 'mute-writes' | 'drop' | 'refuse'

export interface TcpProxy {
  readonly port: number
  mode: Mode
  /** Milliseconds of delay in each direction. */
  delayMs: number
  /** Bytes that the server has sent so far. */
  readonly received: number
  /** Requests that clients have sent so far. */
  readonly requests: number
  /** Resolves when something is kept because of `hold`. */
  held(): Promise<void>
  /** Passes on what was kept. */
  release(): void
  /**
   * Drops everything on the present connections; new ones are not affected. With a pattern, only on those that began with
   * such a request.
   */
  silence(which?: RegExp): void
  /** Breaks the present connections. */
  cut(): void
  close(): Promise<void>
}

interface Connection {
  readonly client: Socket
  readonly upstream: Socket
  isSilent: boolean
  isMuted: boolean
  /** What the client sent first. */
  first: string
}

const open = new Set<TcpProxy>()
afterAll(async () => {
  for (const proxy of open) await proxy.close()
})

const writes = /request_put|request_delete_range/

export async function startProxy(target: number): Promise<TcpProxy> {
  const connections = new Set<Connection>()
  const kept: (() => void)[] = []
  let onHeld: () => void = () => {}
  let received = 0
  let requests = 0

  const server = createServer((client) => {
    const connection = { client, upstream: connect(target, '127.0.0.1'), isSilent: false, isMuted: false, first: '' }
    const { upstream } = connection
    connections.add(connection)
    // Resets are expected here.
    for (const socket of [client, upstream]) socket.on('error', () => {})

    client.on('data', (piece) => {
      const { mode } = proxy
      const text = piece.toString('latin1')
      connection.first ||= text
      requests += text.split('POST /v3/').length - 1
      if (mode === 'refuse') client.resetAndDestroy()
      else if (mode === 'hold') {
        kept.push(() => upstream.write(piece))
        onHeld()
      } else if (mode !== 'drop' && !connection.isSilent) {
        connection.isMuted = mode === 'mute' || (mode === 'mute-writes' && writes.test(text))
        later(() => upstream.write(piece))
      }
    })
    upstream.on('data', (piece) => {
      received += piece.length
      const isHeard = proxy.mode !== 'drop' && !connection.isMuted && !connection.isSilent
      if (isHeard) later(() => client.destroyed || client.write(piece))
    })
    client.on('close', () => {
      if (kept.length === 0) upstream.destroy()
    })
    upstream.on('close', () => {
      connections.delete(connection)
      if (!connection.isSilent) client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const later = (work: () => void) => (proxy.delayMs > 0 ? setTimeout(work, proxy.delayMs) : work())
  const cut = () => {
    for (const { client, upstream } of connections) {
      client.destroy()
      upstream.destroy()
    }
  }
  const proxy: TcpProxy = {
    port: (server.address() as { port: number }).port,
    mode: 'pass',
    delayMs: 0,
    get received() {
      return received
    },
    get requests() {
      return requests
    },
    held: () => (kept.length > 0 ? Promise.resolve() : new Promise((resolve) => (onHeld = resolve))),
    release() {
      for (const send of kept.splice(0)) send()
    },
    silence(which = /^/) {
      for (const connection of connections) if (which.test(connection.first)) connection.isSilent = true
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        open.delete(proxy)
        cut()
        server.close(() => resolve())
      }),
  }
  open.add(proxy)
  return proxy
}
