/** What every queue has to do here: take messages, hand them out to workers, and wake a worker that waits. */

export interface PeerQueue {
  /** Resolves when the queue has acknowledged the message. */
  send(body: string): Promise<unknown>
  /** Hands out so many messages, all of which are there already, to so many workers, and waits until all are settled. */
  handle(count: number, workers: number, onMessage: OnMessage): Promise<void>
  /** Hands out messages as they come, until the process ends. Absent where a worker looks only now and then. */
  wait?(onMessage: OnMessage): Promise<void>
}

export type OnMessage = (body: string) => void

export interface PeerAddress {
  /** Where its packages are installed. */
  readonly packages: string
  /** Where its server answers, or the folder that is its own. */
  readonly place: string
}

export type OpenPeer = (address: PeerAddress) => Promise<PeerQueue>

/** The one queue, stream, task or mission that everybody uses. */
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
