/** The message of all contenders: 1 KB with an AC-MQ header, its status padded so that it can be changed in place. */

const header = `---
id: a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d
status: pending\x20\x20\x20
mission_id: system-design-alpha
timestamp: 2025-07-04T10:30:00Z
from: claude
to: gemini
priority: 1
timeout_seconds: 3600
dependencies:
  - "path:./context/architecture-spec.md"
  - "msg:9f8e7d6c-5b4a-4c3d-2b1a-0c9d8e7f6a5b"
summary: "Generate initial data models based on the architecture spec."
---
`

export const message = Buffer.from(header.padEnd(1023, 'Please read the specification first. ').concat('\n'))

export const processing = Buffer.from('processing')
export const completed = Buffer.from('completed ')

const key = Buffer.from('\nstatus: ')

/** The position of the ten characters of the status. Every contender searches for them in the same way. */
export function statusAt(bytes: Buffer): number {
  const at = bytes.indexOf(key)
  if (at < 0) throw new Error('the message has no status')
  return at + key.length
}

/** The queue's folder below a root, as in AC-MQ. Each round has one of its own, so that folders do not grow. */
export const queueOf = (round: number) => `llm/missions/bench-${round}/queue`

export const nameOfMessage = (number: number) =>
  `20250704T103000Z-${number.toString(16).padStart(8, '0')}-from-claude-to-gemini.md`
