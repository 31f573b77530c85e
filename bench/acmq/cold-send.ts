/** Sending one message from the command line, a process each. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { againstEmpty } from '../cold/against-empty.ts'
import { runsEach } from '../cold/launch.ts'
import { emptyName, onBun } from '../cold/runtime.ts'
import { inRepository } from '../repository.ts'
import type { Goal, Section } from '../section.ts'
import { bodyFor, sender, worker } from './message.ts'
import { openBox } from './queue.ts'

/** Only for Bun, on which the command line starts if it is installed. Node has no goal. */
export const coldSendGoal: Goal = { atMost: 3.5 }

export const acmqColdSend: Section = {
  title: `AC-MQ: a cold acmq send against ${emptyName}`,

  async run(places, { isQuick }) {
    const cwd = places.memory.folder('cold-send')
    const { acmq, close } = await openBox(cwd)
    await acmq.create('bench')
    await close()
    const file = join(cwd, 'body.md')
    writeFileSync(file, bodyFor('bench'))
    const command = [inRepository('bin', 'acmq'), 'send', 'bench', '--root', cwd, '--from', sender, '--to', worker]
    const figures = await againstEmpty([...command, '--file', file], {
      cwd,
      rounds: isQuick ? 5 : 9,
      goals: onBun ? { wall: coldSendGoal } : {},
    })
    return {
      figures,
      notes: [
        `On ${places.memory.fileSystem}; a body of 1 KB from a file; ${runsEach} starts a round; ratios of cost.`,
      ],
    }
  },
}
