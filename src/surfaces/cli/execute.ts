/** Runs one operation and prints its result. */
import { SignalboxError, unsupported } from '../../kernel/errors.ts'
import type { Fields } from '../../kernel/field.ts'
import { printable, printableLine } from '../../kernel/printable.ts'
import { mapAdvice } from '../../kernel/shape.ts'
import type { Bounded } from '../../operations/bounded.ts'
import { type Context, exitOf, type Passage, type Reporter } from '../../operations/define.ts'
import { lazyWorkspace } from '../../operations/workspace/workspace.ts'
import type { CommandFace } from './command.ts'
import type { Conversation } from './conversation.ts'
import type { GlobalValues } from './global-flags.ts'
import { noticeLines, printJson, stepLine } from './lines.ts'
import type { ProgressBar } from './progress.ts'
import type { Host } from './run.ts'
import { spelled } from './spelling.ts'
import { type Screen, screenOn } from './terminal.ts'
import type { Values } from './words.ts'

export async function execute(face: CommandFace, input: unknown, host: Host, globals: GlobalValues): Promise<number> {
  const { about, clock, environment, outside, terminal } = host
  const { out, err } = terminal.streams()
  const screen = screenOn(out, { flag: globals.color, environment, given: globals })
  const errScreen = () => screenOn(err, { flag: globals.color, environment, given: globals })
  const bar =
    err.isTerminal && !globals.quiet
      ? (await import('./progress.ts')).progressBar(err.columns, clock, terminal.err)
      : noBar
  const { root, engine, as: agent, durability } = globals
  const flags = { root, engine, agent, durability }
  const { close, ...workspace } = lazyWorkspace({ ...host, flags })
  const { operation } = face
  const actor = async () => {
    const { agent, origins } = await workspace.configuration()
    return agent === undefined ? undefined : { name: agent, isNamedByCall: origins.agent === 'flag' }
  }
  const context: Context = {
    ...workspace,
    actor,
    about,
    clock,
    environment,
    outside,
    benchmark: () => host.benchmark(globals.json === true),
    report: reporter(screen, errScreen, bar, host, globals),
  }
  const given = globals.json ? (input as Values) : { ...textDefaults(operation.input), ...(input as Values) }
  const how = { json: globals.json === true, quiet: globals.quiet === true, screen }
  try {
    const answered = await run(face, context, given, host, how).finally(() => bar.clear())
    const output = mapAdvice(answered, operation.output?.[answered.outcome], screen.spell) as Output
    // Close before printing: if closing fails, there must not be two JSON documents. An operation that notes what was
    // printed keeps the workspace for that.
    if (!operation.handedOut) await close()
    const aside = globals.json || globals.quiet ? undefined : face.aside?.(output as never, errScreen())
    if (aside) whereItCan(() => terminal.err(screen.next(aside)))
    const text = globals.json ? printJson(output) : `${face.show(output as never, screen)}${leftOutLine(face, output)}`
    await tellAnswer(face, output, text, { terminal, context, close, spell: screen.spell })
    return exitOf(operation.outcomes[output.outcome]!)
  } finally {
    await close()
  }
}

/** Said in the same way by every command. */
const leftOutLine = ({ operation }: CommandFace, { leftOut }: Output): string =>
  'limit' in operation.input && typeof leftOut === 'number' && leftOut > 0 ? `… and ${leftOut} more (--limit)\n` : ''

/** The defaults of inputs for an answer that is read as text. */
const textDefaults = (fields: Fields): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.type === 'integer' && field.textDefault !== undefined ? [[name, field.textDefault]] : [],
    ),
  )

/** Prints the answer. Where that fails, the operation takes back what it handed out, or the error says what stays done. */
async function tellAnswer(
  { operation }: CommandFace,
  output: Output,
  text: string,
  { terminal, context, close, spell }: Telling,
): Promise<void> {
  const untold = operation.untold?.(output) ?? ('durability' in output ? doneAllTheSame : undefined)
  let isTold: boolean
  try {
    isTold = terminal.out(text) !== false
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const hint = (await operation.takeBack?.(context, output)) ?? untold
    if (hint === undefined) throw error
    const { kind, code, message, details } = error
    throw new SignalboxError(kind, code, message, { hint, details: { ...details, outcome: output.outcome } })
  }
  const isOwed = !isTold && operation.untold !== undefined && untold !== undefined
  if (isOwed) whereItCan(() => terminal.err(`${spell(untold)}\n`))
  if (!isTold) return
  try {
    await operation.handedOut?.(context, output)
    await close()
  } catch (error) {
    // The answer stands, and there is one document of JSON.
    if (!(error instanceof SignalboxError)) throw error
    whereItCan(() => terminal.err(`${printableLine(error.message)} What was handed out here will be given again.\n`))
  }
}

const noBar: ProgressBar = { show() {}, clear() {} }

interface Telling {
  readonly terminal: Host['terminal']
  readonly context: Context
  readonly spell: Screen['spell']
  close(): Promise<void>
}

const doneAllTheSame = 'What was asked for is done all the same: look before you repeat the command.'

/** Prints what may be missing: a stream that cannot be written to must not hide the answer. */
function whereItCan(print: () => void): void {
  try {
    print()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
  }
}

type Output = { readonly outcome: string } & Bounded

async function run(
  face: CommandFace,
  context: Context,
  input: Values,
  host: Host,
  how: { readonly json: boolean; readonly quiet: boolean; readonly screen: Screen },
): Promise<Output> {
  const { operation } = face
  if (!operation.follow) return operation.invoke(context, input, spelled)
  const over = new AbortController()
  const { signal } = over
  const stopped = host.stopSignal()
  stopped.addEventListener('abort', () => over.abort(stopped.reason))
  const talk = face.talk?.(conversationOf(host, how, context), signal)
  const tell =
    talk?.tell ??
    ((event: Output) => {
      const text = how.json || how.quiet ? '' : (face.event?.(event as never, how.screen) ?? '')
      return text === '' || host.terminal.out(text) !== false
    })
  try {
    const happening = await operation.follow({ ...context, signal, talk }, input, spelled)
    if (!happening) return await operation.invoke({ ...context, signal }, input, spelled)
    for (;;) {
      const { done, value } = await happening.next()
      if (done) return value
      // Nobody reads any more: let it end, so that it puts back what it could not tell.
      if (!signal.aborted && !tell(value)) over.abort()
    }
  } finally {
    talk?.close()
  }
}

function conversationOf(
  { terminal, streams }: Host,
  { json, screen }: { readonly json: boolean; readonly screen: Screen },
  { report }: Context,
): Conversation {
  // Asked for when they are used: to name standard input alone keeps a process waiting for it.
  const both = () => {
    if (streams) return streams()
    throw unsupported('NEEDS_STANDARD_INPUT', 'There is no standard input to be spoken to by.', {
      hint: 'Start it by itself.',
    })
  }
  return {
    json,
    screen,
    notice: report.notice,
    print: (text) => terminal.out(text) !== false,
    get input() {
      return both().input
    },
    get output() {
      return both().output
    },
  }
}

function reporter(
  screen: Screen,
  errScreen: () => Screen,
  bar: ProgressBar,
  { terminal, environment }: Host,
  { json, quiet }: GlobalValues,
): Reporter {
  return {
    tell(passage) {
      if (json || quiet) return
      bar.clear()
      terminal.out(narrated(passage, screen))
    },
    notice(text) {
      if (quiet) return
      bar.clear()
      terminal.err(noticeLines({ notices: [screen.spell(text)] }, errScreen()))
    },
    progress: bar.show,
    finished({ operation, milliseconds, ended }) {
      if (environment.SIGNALBOX_DEBUG)
        terminal.err(`debug: ${operation} ended with ${ended} after ${milliseconds} ms\n`)
    },
  }
}

/** What an operation tells while it runs. */
function narrated({ as, text }: Passage, { paint }: Screen): string {
  switch (as) {
    case 'title':
      return `\n${paint('bold', printableLine(text))}\n`
    case 'text':
      return `${printableLine(text)}\n`
    case 'step':
      return stepLine(text, paint)
    case 'file': {
      const [path, ...lines] = printable(text.trimEnd()).split('\n')
      return `    ${paint('cyan', path!)}\n${lines.map((line) => `    ${paint('dim', '│')} ${line}\n`).join('')}`
    }
  }
}
