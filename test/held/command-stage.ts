/**
 * The stage on files where the first actor is the real command, as a user starts it, paused by strace before a system call:
 * its renames, links and changes of time. Only killing strace lets it go on.
 */
import { existsSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { type Child, repository, spawnProgram } from '../support/child.ts'
import { quickTempDir } from '../support/temp.ts'
import type { Explored, Pair, Played, Stage } from './explorer.ts'
import { OutsideFiles } from './outside.ts'
import { playSecond } from './process-stage.ts'
import type { Answer } from './story.ts'
import { Worlds } from './worlds.ts'

/** The command lines of these stories of AC-MQ. */
const commands: Readonly<Record<string, readonly string[]>> = {
  send: ['send', 'alpha', '--as', 'claude', '--to', 'gemini', '--id', 'm1', '--body', 'Please do it.\n'],
  claim: ['claim', 'alpha', '--as', 'gemini'],
  'complete barely': ['complete', 'alpha', 'm1', '--as', 'gemini', '--attempt', '1'],
  complete: ['complete', 'alpha', 'm1', '--as', 'gemini', '--attempt', '1', '--result', 'Result of attempt 1'],
  renew: ['renew', 'alpha', 'm1', '--as', 'gemini', '--attempt', '1'],
}

const calls = ['rename', 'renameat', 'renameat2', 'link', 'linkat', 'utimensat']
/** Much longer than a test takes. */
const delayMicroseconds = 600_000_000
const internalErrorExit = 70

export class CommandStage implements Stage {
  readonly name = 'commands, held by strace'
  readonly #worlds = new Worlds('portable')
  readonly #logs = quickTempDir()
  #started = 0

  async play(explored: Explored, { first, second, holdAt }: Pair): Promise<Played> {
    const { root, begun, end } = await this.#worlds.paint(explored)
    const outside = new OutsideFiles(root)
    const log = join(this.#logs, `${++this.#started}`)
    const command = [...commands[first]!, '--root', root, '--json']
    const child = spawnProgram([process.execPath, join(repository, 'dist/main.js'), 'acmq', ...command], {
      under: ['strace', '-f', '-qq', '-o', log, ...['-e', `trace=${calls.join(',')}`], ...['-e', injection(holdAt)]],
      cwd: root,
    })
    const step = await heldIn(log, child, holdAt)
    const meanwhile = await playSecond(explored, second, root, 'portable')
    const between = await outside.files()
    if (step !== undefined) child.kill()
    const { code } = await child.exited
    const answers = [answerOf(first, child, code)]
    const [before, after] = step === undefined ? [answers, []] : [[], answers]
    return {
      ...{ step, waited: false, before, meanwhile, after, begun, between, outside, end },
      tree: () => openFileTree({ root }),
    }
  }

  async close(): Promise<void> {}
}

const injection = (holdAt: number): string =>
  `inject=${calls.join(',')}:delay_enter=${delayMicroseconds}:when=${holdAt}`

/** strace writes the call when it begins, and the rest of the line when it has returned. */
async function heldIn(log: string, child: Child, holdAt: number): Promise<string | undefined> {
  let hasEnded = false
  const ended = child.exited.then(() => {
    hasEnded = true
  })
  for (;;) {
    const changed = nextChangeIn(log)
    const entered = existsSync(log) ? [...readFileSync(log, 'utf8').matchAll(/^\d+ +(\w+)\((.*)/gm)] : []
    const held = entered[holdAt - 1]
    if (held || hasEnded) {
      changed.stop()
      return held && `${held[1]} ${held[2]!.replaceAll(/\/proc\/\d+\/fd\/\d+\//g, '')}`
    }
    await Promise.race([ended, changed.promise])
    changed.stop()
  }
}

function nextChangeIn(file: string): { readonly promise: Promise<void>; stop(): void } {
  let onChange: () => void = () => {}
  const promise = new Promise<void>((resolve) => {
    onChange = resolve
  })
  const watcher = watch(join(file, '..'), onChange)
  return { promise, stop: () => watcher.close() }
}

/** The exit status is that of strace, which we killed. So only the output of the command tells how it ended. */
function answerOf(story: string, child: Child, code: number | null): Answer {
  const verb = story.split(' ')[0]!
  const text = story === 'complete' ? { text: 'Result of attempt 1' } : {}
  const told = { verb, id: 'm1', ...(verb === 'send' ? {} : { attempt: 1 }), ...text }
  const line = child.stdout[0] ?? child.stderr().split('\n')[0] ?? ''
  try {
    const { outcome, message, error, code: errorCode } = JSON.parse(line)
    if (outcome === undefined) return { ...told, outcome: `error ${errorCode ?? error?.code}` }
    const { attempt, body } = message ?? {}
    return { ...told, outcome, ...(attempt === undefined ? {} : { attempt }), ...(body === undefined ? {} : { body }) }
  } catch {
    // Not JSON: the command has a defect.
    return { ...told, outcome: 'defect', defect: `exit ${code === internalErrorExit ? code : '?'}: ${child.stderr()}` }
  }
}
