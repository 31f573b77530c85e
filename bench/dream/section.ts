/** Dream.OS: sending to a mailbox of 1,000 messages, against the least that keeps its convention. */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openWorkspace } from '../../src/index.ts'
import { compare, interleave } from '../measure.ts'
import type { Section } from '../section.ts'
import { microsecondsEach } from '../steps/contender.ts'

const mailbox = '_agent_coordination/shared_mailboxes/mailbox_1.json'

const messageOf = (n: number) => ({
  message_id: crypto.randomUUID(),
  sender_agent_id: 'Agent_0',
  timestamp_dispatched: new Date().toISOString(),
  command: 'refactor_file',
  params: { target_file: `core/utils/module_${n}.py`, details: 'x'.repeat(100) },
})

function fill(root: string): string {
  const path = join(root, mailbox)
  mkdirSync(dirname(path), { recursive: true })
  const messages = Array.from({ length: 1000 }, (_, n) => messageOf(n))
  const whole = {
    status: 'online',
    assigned_agent_id: 'Worker',
    last_seen_utc: new Date().toISOString(),
    messages,
    processed_message_ids: [],
  }
  writeFileSync(path, JSON.stringify(whole, null, 2))
  return path
}

/** Lock, read, parse, add, write, rename, unlock: what every program that keeps the convention does. */
function sendBare(path: string, n: number): void {
  closeSync(openSync(`${path}.lock`, 'wx'))
  const whole = JSON.parse(readFileSync(path, 'utf8'))
  whole.messages.push(messageOf(n))
  writeFileSync(`${path}.tmp`, JSON.stringify(whole, null, 2))
  renameSync(`${path}.tmp`, path)
  unlinkSync(`${path}.lock`)
}

export const dreamOs: Section = {
  title: 'Dream.OS: sending to a mailbox of 1,000 messages',

  async run(places, { rounds, isQuick }) {
    const place = places.memory
    const count = isQuick ? 20 : 60
    const samples = await interleave(rounds, {
      async ours() {
        const root = place.folder('dream')
        fill(root)
        const workspace = await openWorkspace({ root, environment: {} })
        const since = performance.now()
        for (let n = 0; n < count; n++) {
          await workspace.dream.messages.send({
            mailbox: 1,
            from: 'Agent_0',
            command: 'refactor_file',
            params: messageOf(n).params,
          })
        }
        const each = microsecondsEach(since, count)
        await workspace.close()
        return each
      },
      theirs() {
        const path = fill(place.folder('dream-bare'))
        const since = performance.now()
        for (let n = 0; n < count; n++) sendBare(path, n)
        return microsecondsEach(since, count)
      },
    })
    const goal = { atLeast: 0.6 }
    return {
      figures: [
        compare({
          name: 'send',
          against: 'lock, read, parse, write, rename',
          ...samples,
          unit: 'µs a message',
          ratio: 'speed',
          goal,
        }),
      ],
      notes: [
        `On ${place.fileSystem}. Ours also keeps unknown keys as they stand, remembers what was sent, and looks whether it is there.`,
      ],
    }
  },
}
