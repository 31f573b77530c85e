/** Cold start: the shortest command of ours against the runtime doing nothing at all. */
import { compare, interleave } from '../measure.ts'
import { inRepository } from '../repository.ts'
import type { Section } from '../section.ts'
import { type Launched, launch, runsEach } from './launch.ts'

const onBun = process.versions.bun !== undefined

export const coldStart: Section = {
  title: `Cold start: signalbox version against ${onBun ? 'bun' : 'node'} -e 0`,

  async run(places, { isQuick }) {
    const cwd = places.memory.folder('cold')
    const rounds = isQuick ? 5 : 9
    const env = { SIGNALBOX_RUNTIME: onBun ? 'bun' : 'node' }
    const commands = {
      ours: [inRepository('bin', 'signalbox'), 'version'],
      theirs: [onBun ? process.execPath : 'node', '-e', '0'],
      nothing: [':'],
    }
    const all = { ours: [] as Launched[], theirs: [] as Launched[], nothing: [] as Launched[] }
    const turn = (name: keyof typeof all) => (round: number) => {
      const launched = launch(commands[name], { cwd, env })
      if (round > 0) all[name].push(launched)
      return launched.wall
    }
    await interleave(rounds, { ours: turn('ours'), theirs: turn('theirs'), nothing: turn('nothing') })
    const samples = (name: 'ours' | 'theirs', what: keyof Launched) =>
      all[name].map((launched, i) => launched[what] - all.nothing[i]![what])
    const figure = (what: keyof Launched, atMost: number | undefined) =>
      compare({
        name: what === 'wall' ? 'time' : 'CPU',
        against: `${onBun ? 'bun' : 'node'} -e 0`,
        ours: samples('ours', what),
        theirs: samples('theirs', what),
        unit: 'ms',
        ratio: 'cost',
        ...(atMost === undefined ? {} : { goal: { atMost } }),
      })
    return {
      figures: [figure('wall', onBun ? 1.5 : undefined), figure('cpu', onBun ? undefined : 1.2)],
      notes: [`${runsEach} starts a round from a shell, less what the shell's own loop takes; ratios of cost.`],
    }
  },
}
