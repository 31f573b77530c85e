/** `chat`: a person speaks in a session, at a prompt with history, completion and colours. */
import { printable } from '../../../../kernel/printable.ts'
import type { Context } from '../../../../operations/define.ts'
import type { CommandSpec } from '../../../../operations/session/fields.ts'
import { type Answered, answerOrRefusal, reasonOf } from '../../../../operations/session/refusing.ts'
import { type Spoken, sessionChat } from '../../../../operations/session/serve.ts'
import { commandFace } from '../../command.ts'
import { type Conversation, linesOf } from '../../conversation.ts'
import { printJson } from '../../lines.ts'
import { arrival } from './arrival.ts'
import { beginTalk, tellArrivals } from './serve.ts'

export const chatFace = commandFace(sessionChat, () => '', { stay: () => chat })

interface Prompt {
  lines(): AsyncIterable<string>
  /** Shows a text above the prompt, which stays what it was. */
  show(text: string): boolean
  ask(): void
  /** Ctrl-C or Ctrl-D while a command runs ends that command. */
  onInterrupt(end: () => void): void
  close(): void
}

async function chat(
  context: Context,
  input: unknown,
  stopped: AbortSignal,
  conversation: Conversation,
): Promise<Spoken> {
  const { sessions, session, agent, over } = await beginTalk(context, input, stopped)
  const { paint } = conversation.screen
  const isTyped = conversation.input.isTTY === true && conversation.output.isTTY === true && !conversation.json
  const prompt = isTyped
    ? await terminalPrompt(
        conversation,
        `${paint('bold', session)}${paint('dim', '>')} `,
        await sessions.commands(),
        stopped,
      )
    : plainPrompt(conversation, stopped)
  const arriving = tellArrivals(sessions, { session, agent }, over.signal, (mail) =>
    prompt.show(
      conversation.json
        ? printJson({ outcome: 'arrived', message: mail })
        : `${paint('cyan', `* ${arrival(mail, session)}`)}\n`,
    ),
  )
  let lines = 0
  let saying = new AbortController()
  prompt.onInterrupt(() => saying.abort())
  over.signal.addEventListener('abort', () => saying.abort())
  try {
    prompt.ask()
    for await (const line of prompt.lines()) {
      if (farewell.test(line)) break
      if (line.trim() !== '') {
        if (!over.signal.aborted) saying = new AbortController()
        const { signal } = saying
        const said = await answerOrRefusal(() => sessions.say(line.trim(), { session, agent, signal }))
        lines++
        if (!prompt.show(conversation.json ? printJson(said) : coloured(said, conversation))) break
      }
      prompt.ask()
    }
  } finally {
    over.abort()
    prompt.close()
    await arriving
  }
  return { outcome: 'ended', session, lines }
}

/** Words by which people leave; a command begins with `#`. */
const farewell = /^\s*(?:quit|exit|stop|bye|goodbye|:q|logout)(?:[\s,]+(?:please|now|bye))*[\s.!]*$/i

function coloured(said: Answered, { screen: { paint } }: Conversation): string {
  const text = printable(said.answer)
  if (said.exit !== 2) return `${said.exit === 1 ? paint('yellow', text) : text}\n`
  const { message, hint } = reasonOf(said) ?? {}
  const reasons = [message, hint].flatMap((one) => (one === undefined ? [] : [`${paint('dim', printable(one))}\n`]))
  return `${paint('red', text)}\n${reasons.join('')}`
}

const plainPrompt = ({ input, print }: Conversation, stopped: AbortSignal): Prompt => ({
  lines: () => linesOf(input, stopped),
  show: print,
  ask() {},
  onInterrupt() {},
  close() {},
})

/** The line editor of the runtime: arrows, history, Ctrl-A and the like. */
async function terminalPrompt(
  { input, output }: Conversation,
  text: string,
  table: readonly CommandSpec[],
  stopped: AbortSignal,
): Promise<Prompt> {
  const { createInterface, clearLine, cursorTo } = await import('node:readline')
  const editor = createInterface({ input, output, prompt: text, completer: completerFor(table), historySize: 500 })
  let isAsking = false
  let isOpen = true
  let interrupt = () => {}
  stopped.addEventListener('abort', () => editor.close())
  // No prompt is shown while a command runs, also when a message arrives.
  editor.on('line', () => {
    isAsking = false
  })
  // Ctrl-C ends what is under way, else clears what is typed, else ends the conversation, as Ctrl-D does.
  editor.on('SIGINT', () => {
    if (!isAsking) interrupt()
    else if (editor.line === '') editor.close()
    else for (const name of ['e', 'u']) editor.write(null, { ctrl: true, name })
  })
  editor.on('close', () => {
    isOpen = false
    interrupt()
  })
  return {
    lines: () => editor,
    show(shown) {
      if (isAsking) {
        cursorTo(output, 0)
        clearLine(output, 0)
      }
      output.write(shown)
      if (isAsking) editor.prompt(true)
      return true
    },
    ask() {
      if (!isOpen) return
      isAsking = true
      editor.prompt()
    },
    onInterrupt(end) {
      interrupt = end
    },
    close() {
      isAsking = false
      editor.close()
    },
  }
}

/** The commands that begin like what is typed. */
export const completerFor =
  (table: readonly CommandSpec[]) =>
  (line: string): [string[], string] => {
    const known = table.map(({ name, parameters }) => `#${name}${parameters.length > 0 ? ':' : ''}`)
    return [line.startsWith('#') ? known.filter((one) => one.startsWith(line)) : [], line]
  }
