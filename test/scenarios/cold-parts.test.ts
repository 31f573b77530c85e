/** The parts that a cold command loads: few for what agents do all day, and together the whole program. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Command, type Group, isGroup } from '../../src/surfaces/cli/command.ts'
import { commandTable } from '../../src/surfaces/cli/command-table.generated.ts'
import { haveStrace, runtime } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cli, cliJson, mainProgram, plainEnvironment, programFor } from './cli-program.ts'

/** The files of the program that a command opens. */
function loadedBy(words: readonly string[], cwd: string): Set<string> {
  const log = join(tempDir(), 'trace')
  const under = ['strace', '-f', '-e', 'trace=open,openat', '-o', log]
  expect(cli(words, { cwd, under }).exit).toBe(0)
  const opened = readFileSync(log, 'utf8').matchAll(/dist\/(?:chunks\/)?([\w-]+?)(?:-[A-Z0-9]{8})?\.js", [^=]*= \d/g)
  return new Set([...opened].map(([, name]) => name!))
}

verifies.unless(haveStrace().reason, 'X-cold', 'everyday commands of AC-MQ load what they need and no more', () => {
  const root = tempDir()
  expect(cli(['acmq', 'create-mission', 'alpha'], { cwd: root }).exit).toBe(0)
  const send = ['send', 'alpha', '--from', 'claude', '--to', 'gemini', '--body', 'Design the schema']
  for (let i = 0; i < 2; i++) expect(cli(['acmq', ...send], { cwd: root }).exit).toBe(0)
  const claimed = () => cliJson(['acmq', 'claim', 'alpha', '--as', 'gemini'], { cwd: root }).output.message.id as string
  const [first, second] = [claimed(), claimed()]
  const everyday = [
    send,
    ['claim', 'alpha', '--as', 'gemini'],
    ['renew', 'alpha', first, '--as', 'gemini'],
    ['complete', 'alpha', first, '--as', 'gemini', '--result', 'done'],
    ['fail', 'alpha', second, '--as', 'gemini', '--reason', 'no time'],
  ]
  for (const words of everyday) {
    const loaded = loadedBy(['acmq', ...words], root)
    if (runtime === 'bun') expect(loaded, words[0]!).toEqual(new Set(['main-on-bun', 'acmq-on-bun']))
    const others = /^(archive|graph|hydrate|manifest|overview|reconcile|supervise|inspection|help|settings-yaml)$/
    expect([...loaded].filter((name) => others.test(name))).toEqual([])
  }
})

const notOnBun = runtime === 'bun' ? haveStrace().reason : 'the program lies in parts on Bun alone'
verifies.unless(notOnBun, 'X-cold', 'a sentence loads what a command does, and the part about sentences', () => {
  const root = tempDir()
  const say = (line: string) => loadedBy(['session', 'say', '--session', 's', '--as', 'Orchestrator', line], root)
  say('#STATE:save:branch:main')
  expect(say('#STATE:load:branch')).toEqual(new Set(['main-on-bun', 'session-on-bun']))
  expect(say('what did we save as branch?')).toEqual(new Set(['main-on-bun', 'session-on-bun', 'sentences-on-bun']))
})

/** Every command, as words: `['acmq', 'send']`. */
function commandsIn(group: Group, before: readonly string[] = []): string[][] {
  return group.members.flatMap((member: Command | Group) => {
    const words = [...before, member.name]
    return isGroup(member) ? commandsIn(member, words) : [words]
  })
}

it('in parts and as a whole, the program says the same', () => {
  const whole = (words: readonly string[], cwd: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [mainProgram, ...words], {
      cwd,
      env: plainEnvironment(),
      encoding: 'utf8',
    })
    return { exit: status, out: stdout, err: stderr }
  }
  if (runtime === 'node') {
    expect(programFor(['acmq'])).toBe(mainProgram)
    return
  }
  const cwd = tempDir()
  const commands = commandsIn(commandTable)
  expect(commands.length).toBeGreaterThan(40)
  for (const words of commands) {
    const asked = [...words, '--help']
    expect(cli(asked, { cwd })).toEqual(whole(asked, cwd))
  }
  for (const words of [['acmq', 'send'], ['acmq', 'claim', 'nowhere', '--as', 'x'], ['mr', 'send', '--json'], ['snd']])
    expect(cli(words, { cwd })).toEqual(whole(words, cwd))
})
