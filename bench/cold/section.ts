/** Cold start: the shortest command of ours against the runtime doing nothing at all. */
import { inRepository } from '../repository.ts'
import type { Section } from '../section.ts'
import { againstEmpty } from './against-empty.ts'
import { runsEach } from './launch.ts'
import { emptyName, onBun } from './runtime.ts'

export const coldStart: Section = {
  title: `Cold start: signalbox version against ${emptyName}`,

  async run(places, { isQuick }) {
    const figures = await againstEmpty([inRepository('bin', 'signalbox'), 'version'], {
      cwd: places.memory.folder('cold'),
      rounds: isQuick ? 5 : 9,
      goals: onBun ? { wall: { atMost: 1.5 } } : { cpu: { atMost: 1.2 } },
    })
    return {
      figures,
      notes: [`${runsEach} starts a round from a shell, less what the shell's own loop takes; ratios of cost.`],
    }
  },
}
