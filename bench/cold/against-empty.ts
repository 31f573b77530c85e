/** A command of ours against an empty program. What the shell's own loop takes is subtracted from both. */
import { compare, interleave } from '../measure.ts'
import type { Figure, Goal } from '../section.ts'
import { type Launched, launch } from './launch.ts'
import { emptyName, emptyProgram, launcherEnvironment } from './runtime.ts'

export async function againstEmpty(
  command: readonly string[],
  options: { readonly cwd: string; readonly rounds: number; readonly goals: { wall?: Goal; cpu?: Goal } },
): Promise<Figure[]> {
  const commands = { ours: command, theirs: emptyProgram, nothing: [':'] }
  const all = { ours: [] as Launched[], theirs: [] as Launched[], nothing: [] as Launched[] }
  const turn = (name: keyof typeof all) => (round: number) => {
    const launched = launch(commands[name], { cwd: options.cwd, env: launcherEnvironment })
    if (round > 0) all[name].push(launched)
    return launched.wall
  }
  await interleave(options.rounds, { ours: turn('ours'), theirs: turn('theirs'), nothing: turn('nothing') })
  const samples = (name: 'ours' | 'theirs', what: keyof Launched) =>
    all[name].map((launched, i) => launched[what] - all.nothing[i]![what])
  return (['wall', 'cpu'] as const).map((what) => {
    const goal = options.goals[what]
    return compare({
      name: what === 'wall' ? 'time' : 'CPU',
      against: emptyName,
      ours: samples('ours', what),
      theirs: samples('theirs', what),
      unit: 'ms',
      ratio: 'cost',
      ...(goal ? { goal } : {}),
    })
  })
}
