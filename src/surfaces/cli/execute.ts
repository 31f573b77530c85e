/** Runs one operation and prints its result. */
import { printable, printableLine } from '../../kernel/printable.ts'
import { type Context, exitOf, type Passage, type Reporter } from '../../operations/define.ts'
import { lazyWorkspace } from '../../operations/workspace/workspace.ts'
import type { CommandFace } from './command.ts'
import type { GlobalValues } from './global-flags.ts'
import type { Host } from './host.ts'
import { noticeLines, printJson } from './lines.ts'
import { noBar, type ProgressBar, progressBar } from './progress.ts'
import { spelled } from './spelling.ts'
import { type Screen, screenOn } from './terminal.ts'
import type { Values } from './words.ts'

export async function execute(face: CommandFace, input: unknown, host: Host, globals: GlobalValues): Promise<number> {
  const { about, clock, environment, outside, terminal } = host
  const { out, err } = terminal.streams()
  const screen = screenOn(out, { flag: globals.color, environment })
  const errScreen = () => screenOn(err, { flag: globals.color, environment })
  const bar = err.isTerminal && !globals.quiet ? progressBar(err.columns, clock, terminal.err) : noBar
  const { root, engine, as: agent, durability } = globals
  const { close, ...workspace } = lazyWorkspace({ ...host, flags: { root, engine, agent, durability } })
  const context: Context = {
    ...workspace,
    about,
    clock,
    environment,
    outside,
    benchmark: () => host.benchmark(globals.json === true),
    report: reporter(screen, errScreen, bar, host, globals),
  }
  // Close before printing: if closing fails, there must not be two JSON documents.
  const output = await run(face, context, input as Values, host).finally(async () => {
    bar.clear()
    await close()
  })
  const aside = globals.json || globals.quiet ? undefined : face.aside?.(output as never, errScreen())
  if (aside) terminal.err(aside)
  terminal.out(globals.json ? printJson(output) : face.show(output as never, screen))
  return exitOf(face.operation.outcomes[output.outcome]!)
}

function run(face: CommandFace, context: Context, input: Values, host: Host): Promise<{ readonly outcome: string }> {
  const stay = face.stay?.(input)
  return stay ? stay(context, input, host.stopSignal()) : face.operation.invoke(context, input, spelled)
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
      terminal.err(noticeLines({ notices: [text] }, errScreen()))
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
      return `  ${paint('green', '›')} ${printableLine(text)}\n`
    case 'file': {
      const [path, ...lines] = printable(text.trimEnd()).split('\n')
      return `    ${paint('cyan', path!)}\n${lines.map((line) => `    ${paint('dim', '│')} ${line}\n`).join('')}`
    }
  }
}
