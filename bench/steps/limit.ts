/** The C program beside this file as a contender: the fastest that this machine allows. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNow } from '../child.ts'
import { inRepository } from '../repository.ts'
import { callsOf } from './bare.ts'
import type { Contender, Step } from './contender.ts'
import { message, queueOf } from './message.ts'

/** The contender, or the reason why there is none. */
export function openLimit(root: string): Contender | { readonly missing: string } {
  const program = inRepository('build', 'bench', 'limit')
  mkdirSync(inRepository('build', 'bench'), { recursive: true })
  const built = spawnSync('cc', ['-O2', '-o', program, inRepository('bench', 'steps', 'limit.c')], { encoding: 'utf8' })
  if (built.error) return { missing: 'there is no C compiler (cc)' }
  if (built.status !== 0) return { missing: `cc failed: ${built.stderr.trim().split('\n')[0]}` }
  const messageFile = join(root, 'message.md')
  writeFileSync(messageFile, message)
  mkdirSync(join(root, '.signalbox/engine/tmp'), { recursive: true })

  return {
    name: 'C',
    countCalls: () => callsOf(4, 5),
    prepare: (round, count) => {
      const queue = join(root, queueOf(round))
      for (const state of ['pending', 'processing', 'completed']) mkdirSync(join(queue, state), { recursive: true })
      const run = (step: Step) => () => Number(runNow(program, [step, root, queue, messageFile, `${count}`])) / 1000
      return { send: run('send'), claim: run('claim'), lifecycle: run('lifecycle') }
    },
  }
}
