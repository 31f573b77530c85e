/** What every queue has to do here: take messages, hand them out to workers, and wake a worker that waits. */

export interface PeerQueue {
  /** Resolves when the queue has acknowledged the message. */
  send(body: string): Promise<unknown>
  /** Hands out so many messages, which are all in the queue, to so many workers, and waits until all are completed. */
  handle(count: number, workers: number, onMessage: OnMessage): Promise<void>
  /** Hands out messages as they come, until the process ends. Absent if workers poll. */
  wait?(onMessage: OnMessage): Promise<void>
}

export type OnMessage = (body: string) => void

export interface PeerAddress {
  /** Where its packages are installed. */
  readonly packages: string
  /** The address of its server, or its folder. */
  readonly place: string
}

export type OpenPeer = (address: PeerAddress) => Promise<PeerQueue>

/** The name of the queue, stream, task or mission. */
export const queueName = 'bench'

/** Resolves when `tick` was called so many times. */
export function countdown(count: number): { readonly done: Promise<void>; readonly tick: () => void } {
  let left = count
  let resolve: () => void = () => {}
  const done = new Promise<void>((finish) => {
    resolve = finish
  })
  return {
    done,
    tick: () => {
      if (--left === 0) resolve()
    },
  }
}
