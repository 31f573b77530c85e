/** Sending one message from the command line, a process each: to an agent wherever it reads, against into a mission. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, runsEach } from '../cold/launch.ts'
import { launcherEnvironment } from '../cold/runtime.ts'
import { compare, interleave } from '../measure.ts'
import { inRepository } from '../repository.ts'
import type { Goal, Section } from '../section.ts'
import { sender, text, worker, workspaceAt } from './verbs.ts'

export const neutralColdGoal: Goal = { atMost: 1.15 }

export const neutralColdSend: Section = {
  title: 'Neutral: a cold signalbox send against a cold acmq send',

  async run(places, { isQuick }) {
    const cwd = places.memory.folder('neutral-cold')
    const { acmq, send, take, close } = await workspaceAt(cwd, 'acmq:main')
    await acmq.create('main')
    // Both have been seen: otherwise it is looked for who may have been meant.
    await send({ from: sender, to: worker, text })
    await take(worker)
    await close()
    const file = join(cwd, 'body.md')
    writeFileSync(file, text)
    const words = ['--root', cwd, '--from', sender, '--to', worker, '--file', file]
    const cpu = { ours: [] as number[], theirs: [] as number[] }
    const turn = (side: 'ours' | 'theirs', command: readonly string[]) => (round: number) => {
      const launched = launch([...command, ...words], { cwd, env: launcherEnvironment })
      if (round > 0) cpu[side].push(launched.cpu)
      return launched.wall
    }
    const wall = await interleave(isQuick ? 5 : 15, {
      ours: turn('ours', [inRepository('bin', 'signalbox'), 'send']),
      theirs: turn('theirs', [inRepository('bin', 'acmq'), 'send', 'main']),
    })
    const figure = (name: string, samples: typeof cpu, goal?: Goal) =>
      compare({
        name,
        against: 'acmq send',
        ...samples,
        unit: 'ms',
        ratio: 'cost',
        ...(goal ? { goal } : {}),
      })
    return {
      figures: [figure('signalbox send, time', wall, neutralColdGoal), figure('CPU', cpu)],
      notes: [`On ${places.memory.fileSystem}; the same text to the same agent; ${runsEach} starts a round.`],
    }
  },
}
