/** The message of the AC-MQ sections: a file of 1 KB, with the header that the library writes. */
import { printMessage } from '../../src/protocols/ac-mq/format.ts'
import type { AcmqRecord } from '../../src/protocols/ac-mq/schema.ts'
import type { SendInput } from '../../src/protocols/ac-mq/store/sending.ts'

export const sender = 'claude'
export const worker = 'gemini'
export const size = 1024

/** The dependencies of the messages; `queue.ts` makes sure that both are met. */
export const specification = 'context/architecture-spec.md'
export const earlierId = '9f8e7d6c-5b4a-4c3d-8b1a-0c9d8e7f6a5b'
export const dependencies: readonly string[] = [`path:./${specification}`, `msg:${earlierId}`]

const summary = 'Generate initial data models based on the architecture spec.'

/** The record of message `number`, as if it had been sent that many milliseconds after the first. */
export const recordOf = (mission: string, number: number, priority = 3): AcmqRecord => ({
  id: `${number.toString(16).padStart(8, '0')}-e5f6-4a7b-8c9d-0e1f2a3b4c5d`,
  mission_id: mission,
  timestamp: new Date(Date.UTC(2025, 6, 4, 10, 30) + number).toISOString(),
  from: sender,
  to: worker,
  status: 'pending',
  priority,
  timeout_seconds: 3600,
  dependencies: [],
  summary,
  attempt: 1,
})

/** Long enough that the file has the size that every contender writes. */
export function bodyFor(mission: string, dependsOn: readonly string[] = []): string {
  const header = printMessage({ ...recordOf(mission, 0), dependencies: dependsOn }, '').length
  return ''.padEnd(size - header - 1, 'Please read the specification first. ').concat('\n')
}

export const inputFor = (mission: string, dependsOn: readonly string[] = []): SendInput => ({
  from: sender,
  to: worker,
  body: bodyFor(mission, dependsOn),
  summary,
  priority: 3,
  timeoutSeconds: 3600,
  dependencies: dependsOn,
})
