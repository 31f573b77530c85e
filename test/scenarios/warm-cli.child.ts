/**
 * The command line in a thread that stays: on Node starting takes a hundred times as long as a command does. Each
 * request is one command with its own directory, variables and input; the thread that asks waits for the answer.
 */
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import { type Request, runHere } from '../support/in-process-cli.ts'

export type { Answer, Request } from '../support/in-process-cli.ts'

/** What the two threads share: the port, and a cell that is 1 while an answer waits. */
export interface Line {
  readonly port: MessagePort
  readonly answered: Int32Array
}

if (!isMainThread) {
  const { port, answered } = workerData as Line
  port.on('message', async (request: Request) => {
    port.postMessage(await runHere(request))
    Atomics.store(answered, 0, 1)
    Atomics.notify(answered, 0)
  })
}
