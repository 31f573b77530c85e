/**
 * A claim that finds nothing: messages that wait for others that are not there, beside files in `failed/` that are no messages.
 * Twice as many of both must take twice as long, and not four times.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printMessage } from '../../src/protocols/ac-mq/format.ts'
import { compare, interleave } from '../measure.ts'
import type { Goal, Section } from '../section.ts'
import { recordOf, worker } from './message.ts'
import { openBox, queueFolder } from './queue.ts'

const [fewer, more] = [300, 600]
export const absentGoal: Goal = { atMost: 3 }

export const acmqAbsent: Section = {
  title: `AC-MQ: a claim with ${more} waiting for what is absent and as many broken files, against ${fewer}`,

  async run(places, { isQuick }) {
    const place = places.memory
    const samples = await interleave(isQuick ? 3 : 8, {
      ours: (round) => msOfClaim(place.folder(`absent-${more}-${round}`), more),
      theirs: (round) => msOfClaim(place.folder(`absent-${fewer}-${round}`), fewer),
    })
    return {
      figures: [
        compare({
          name: `claim, ${more} held back`,
          against: `${fewer} held back`,
          ...samples,
          unit: 'ms',
          ratio: 'cost',
          goal: absentGoal,
        }),
      ],
      notes: [`On ${place.fileSystem}; a new process's first claim, with nothing in memory.`],
    }
  },
}

async function msOfClaim(root: string, count: number): Promise<number> {
  const mission = 'absent'
  const before = await openBox(root)
  await before.acmq.create(mission)
  await before.close()
  for (let number = 0; number < count; number++) {
    const record = { ...recordOf(mission, number, 3), dependencies: [`msg:absent-${number}`] }
    writeFileSync(join(queueFolder(root, mission, 'pending'), `waits-${number}.md`), printMessage(record, 'Text\n'))
    writeFileSync(join(queueFolder(root, mission, 'failed'), `broken-${number}.md`), 'no message')
  }
  const box = await openBox(root)
  const opened = await box.acmq.open(mission)
  const since = performance.now()
  const claimed = await opened.claims.next({ agent: worker })
  const ms = performance.now() - since
  await box.close()
  if (claimed.outcome !== 'nothing' || claimed.blocked.length !== count) throw new Error('not all of them wait')
  return ms
}
