/** The story of one task among many logged messages against the same among few, by a process that stays. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { printEvent } from '../../src/protocols/circe/events.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import { fileNameOf } from '../../src/protocols/circe/names.ts'
import type { Circe } from '../../src/protocols/circe/store/circe.ts'
import { compare, interleave } from '../measure.ts'
import type { Goal, Section } from '../section.ts'
import { microsecondsEach } from '../steps/contender.ts'

const [manyCount, fewCount] = [100_000, 1000]
const perTask = 10
export const storyGoal: Goal = { atMost: 10 }

export const circeStory: Section = {
  title: `CIRCE: the story of a task among ${manyCount / 1000},000 logged messages against ${fewCount / 1000},000`,

  async run(places, { isQuick, rounds }) {
    const place = places.memory
    const [many, few] = [await filled(place.folder('many'), manyCount), await filled(place.folder('few'), fewCount)]
    const calls = isQuick ? 20 : 100
    const tell = (from: Circe) => async () => {
      const since = performance.now()
      for (let n = 0; n < calls; n++) {
        const { entries } = await from.overview.log({ task: 'TASK-7' })
        if (entries.length !== perTask) throw new Error(`${entries.length} entries instead of ${perTask}`)
      }
      return microsecondsEach(since, calls)
    }
    const samples = await interleave(rounds, { ours: tell(many), theirs: tell(few) })
    return {
      figures: [
        compare({
          name: `story, ${manyCount} logged`,
          against: `${fewCount} logged`,
          ...samples,
          unit: 'µs a story',
          ratio: 'cost',
          goal: storyGoal,
        }),
      ],
      notes: [
        `On ${place.fileSystem}; ${perTask} messages a task; the first story, which fills the cache, does not count.`,
      ],
    }
  },
}

/** A log as it is after a long time: each message with its line, ten a task. */
async function filled(root: string, count: number): Promise<Circe> {
  const logs = join(root, 'AI_MANAGER/LOGS')
  mkdirSync(logs, { recursive: true })
  const lines: string[] = []
  for (let n = 0; n < count; n++) {
    const time = Date.UTC(2026, 0, 1) + n * 1000
    const parts = { time, from: 'qa', to: 'engineer', intent: 'inform', task: `TASK-${Math.floor(n / perTask)}` }
    const name = fileNameOf(parts)
    const created = new Date(time).toISOString().replace('.000', '')
    const head = `# MESSAGE\nfrom: qa\nto: engineer\nintent: inform\ntask_id: ${parts.task}\nstatus: new\ncreated_at: ${created}\n`
    writeFileSync(join(logs, name), `${head}\n## Summary\nNumber ${n}\n`)
    lines.push(
      printEvent({
        at: time,
        event: 'message',
        agent: 'qa',
        task: parts.task,
        file: name,
        detail: 'inform new to engineer',
      }),
    )
  }
  writeFileSync(join(logs, 'events.log'), `${lines.join('\n')}\n`)
  const past = new Date(Date.now() - 3_600_000)
  utimesSync(logs, past, past)
  const tree = await openFileTree({ root })
  return circe.open({ tree, clock: systemClock, settings: circe.defaults })
}
