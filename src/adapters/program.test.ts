import { expect, it } from 'vitest'
import { runProgram } from './program.ts'

const run = (script: string) =>
  runProgram({ program: ['sh', '-c', script], input: '', folder: '/', timeMs: 20_000, mostBytes: 2 ** 22 })

it('[SA-8b] what a program prints at its very end is kept', async () => {
  // More than a pipe holds, so that the last of it is read when the program has ended.
  const ended = await Promise.all(
    Array.from({ length: 8 }, () => run("head -c 300000 /dev/zero | tr '\\000' x; printf end")),
  )
  for (const one of ended) {
    const output = one.outcome === 'ended' ? one.output : ''
    expect([output.length, output.slice(-3)]).toEqual([300_003, 'end'])
  }
})

it('[SA-8b] what has left its group holds its output open, and nobody waits for that', async () => {
  const ended = await run('printf end; setsid sleep 3 & exit 0')
  expect(ended).toMatchObject({ outcome: 'ended', status: 0, output: 'end' })
})

it('[SA-8b] an argument that no program can be given is told as one that was not started', async () => {
  expect(await run('echo \0')).toMatchObject({ outcome: 'not-started', reason: expect.stringContaining('null bytes') })
})
