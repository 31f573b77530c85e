/** Runs one command line: finds the command, reads its input, runs it, prints the result, gives the exit status. */
import type { Clock } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Outside } from '../../kernel/outside.ts'
import type { Benchmark, Environment, ProgramVersion } from '../../operations/define.ts'
import type { Engines } from '../../operations/workspace/engine.ts'
import { type Command, type CommandFace, type Group, isGroup } from './command.ts'
import { commandTable } from './command-table.generated.ts'
import type { StandardStreams } from './conversation.ts'
import { execute } from './execute.ts'
import { failureJson, failureOf, failureText, traceOf } from './failure.ts'
import { findCommand } from './find-command.ts'
import { globalFlags } from './global-flags.ts'
import { printJson } from './lines.ts'
import { fileFlags, readLongTexts } from './long-text.ts'
import { screenOn, type Terminal } from './terminal.ts'
import { checkFlags, placeWords, readFlags, type Values } from './words.ts'

export async function runCommandLine(
  words: readonly string[],
  host: Host,
  table: Group = commandTable,
): Promise<number> {
  const globals: Values = {}
  try {
    return await run(words, host, table, globals)
  } catch (error) {
    return tellFailure(error, words, host, globals)
  }
}

async function run(words: readonly string[], host: Host, table: Group, globals: Values): Promise<number> {
  const found = findCommand(words, table, globals)
  const { path, rest } = found
  // Before the input is read: help must also come when the input is incomplete or wrong.
  const wantsHelp = globals.help === true || mentions(rest, '--help') || mentions(rest, '-h')
  const member = wantsHelp ? found.member : aloneIn(found.member)
  if (wantsHelp || (isGroup(member) && !globals.version)) return explain(path, member, words, host, globals)
  if (isGroup(member)) return execute(await versionOf(table), {}, host, globals)
  const face = await member.load()
  const input = readInput(rest, face, globals, host)
  if (globals.version) return execute(await versionOf(table), {}, host, globals)
  return execute(face, input, host, globals)
}

const aloneIn = (member: Command | Group): Command | Group =>
  (isGroup(member) ? member.members.find(({ name }) => name === member.alone) : undefined) ?? member

function readInput(rest: readonly string[], face: CommandFace, globals: Values, host: Host): Values {
  const fields = face.operation.input
  const values: Values = { ...globals }
  const words = readFlags(rest, { ...fields, ...fileFlags(fields), ...globalFlags }, values).rest
  for (const name of Object.keys(globalFlags)) {
    if (Object.hasOwn(values, name)) globals[name] = values[name]
    delete values[name]
  }
  checkFlags(globals, globalFlags)
  placeWords(words, fields, values, globals.as as string | undefined)
  readLongTexts(values, fields, host.outside)
  return values
}

async function versionOf(table: Group): Promise<CommandFace> {
  const command = table.members.find(({ name }) => name === 'version')
  return (command as Command).load()
}

async function explain(
  path: readonly string[],
  member: Command | Group,
  words: readonly string[],
  host: Host,
  globals: Values,
) {
  const { commandHelp, groupHelp, groupJson, helpJson } = await import('./help.ts')
  const { summaries } = await import('./command-summaries.generated.ts')
  const say = inWordsTyped(words, host)
  const operation = isGroup(member) ? undefined : (await member.load()).operation
  const flag = mentions(words, '--no-color') ? false : undefined
  const screen = screenOn(host.terminal.streams().out, { flag, environment: host.environment })
  if (globals.json || mentions(words, '--json')) {
    const json = operation ? helpJson(path, operation, screen) : groupJson(path, member as Group, summaries)
    host.terminal.out(say(printJson(json)))
    return 0
  }
  host.terminal.out(
    say(operation ? commandHelp(path, operation, screen) : groupHelp(path, member as Group, summaries, screen)),
  )
  return 0
}

/** After `acmq …` a text names commands as `acmq …`, not as `signalbox acmq …`. */
function inWordsTyped([group]: readonly string[], { startedAs }: Host): (text: string) => string {
  if (startedAs === undefined || group !== startedAs) return (text) => text
  return (text) => text.replaceAll(`${commandTable.name} ${startedAs}`, startedAs)
}

/** Prints an error, as text or JSON as asked for, and gives its exit status. */
export function tellFailure(error: unknown, words: readonly string[], host: Host, globals: Values = {}): number {
  const { terminal, environment } = host
  const say = inWordsTyped(words, host)
  const { message, hint, ...rest } = failureOf(error)
  const flag = mentions(words, '--no-color') ? false : (globals.color as boolean | undefined)
  const { paint, spell } = screenOn(terminal.streams().err, { flag, environment, given: globals })
  const failure = { ...rest, message: say(spell(message)), hint: hint === undefined ? undefined : say(spell(hint)) }
  const program = (words[0] === host.startedAs ? host.startedAs : undefined) ?? commandTable.name
  if (environment.SIGNALBOX_DEBUG) hasPrinted(() => terminal.err(traceOf(error)))
  // Search all words again: the mistake may come before `--json`.
  const isJson = globals.json || mentions(words, '--json')
  if (isJson && hasPrinted(() => terminal.out(printJson(failureJson(failure))))) return failure.exit
  hasPrinted(() => terminal.err(failureText(failure, program, paint)))
  return failure.exit
}

/** False if the stream cannot be written to. The exit status must survive that. */
function hasPrinted(print: () => void): boolean {
  try {
    print()
    return true
  } catch (error) {
    if (error instanceof SignalboxError) return false
    throw error
  }
}

function mentions(words: readonly string[], flag: string): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).includes(flag)
}

/** What the command line needs of the program around it. */
export interface Host {
  readonly about: ProgramVersion
  /** The name of a launcher that stands for a group of commands: `acmq` for `signalbox acmq`. */
  readonly startedAs?: string | undefined
  readonly terminal: Terminal
  readonly environment: Environment
  readonly clock: Clock
  readonly engines: Engines
  readonly outside: Outside
  /** A file that comes with the package; `undefined` where it is missing. */
  readonly packageFile?: (path: string) => Uint8Array | undefined
  /** Aborted by the first SIGINT or SIGTERM. Once this is called, those signals end the program only if the caller does. */
  stopSignal(): AbortSignal
  /** Standard input and output, for commands that read line after line. Absent where there are none. */
  streams?(): StandardStreams
  /** Starts this program with other words, and does not wait for it. */
  startSelf?(words: readonly string[]): Promise<void>
  /** The benchmark of this checkout, if there is one; `forProgram` when a program reads the figures. */
  benchmark(forProgram: boolean): Benchmark | undefined
}
