/** `chat`: a person speaks in a session, at a prompt with history, completion and colours. */
import { clearLine, createInterface, cursorTo } from 'node:readline'
import { printable } from '../../../../kernel/printable.ts'
import type { Told } from '../../../../operations/session/conversing.ts'
import type { CommandSpec } from '../../../../operations/session/fields.ts'
import { type Answered, reasonOf } from '../../../../operations/session/refusing.ts'
import { sessionChat } from '../../../../operations/session/serve.ts'
import { commandFace, type SpokenTo } from '../../command.ts'
import { type Conversation, linesOf } from '../../conversation.ts'
import { printJson } from '../../lines.ts'
import { arrival, spelledAnswer } from './arrival.ts'

export const chatFace = commandFace(sessionChat, () => '', { talk: spokenTo })

interface Prompt {
  lines(): AsyncIterable<string>
  /** Shows a text above the prompt, which stays what it was. */
  show(text: string): boolean
  ask(): void
  /** Ctrl-C or Ctrl-D while a command runs ends that command. */
  onInterrupt(end: () => void): void
  close(): void
}

function spokenTo(conversation: Conversation, stopped: AbortSignal): SpokenTo {
  const { paint } = conversation.screen
  let prompt: Prompt = plainPrompt(conversation, stopped)
  return {
    async *lines() {
      prompt.ask()
      for await (const line of prompt.lines()) {
        if (farewell.test(line)) return
        if (line.trim() !== '') yield line.trim()
        // The answer was shown when the operation comes back for the next line.
        prompt.ask()
      }
    },
    onInterrupt: (end) => prompt.onInterrupt(end),
    tell(event) {
      const told = event as Told
      if (told.outcome === 'begun') {
        prompt = promptFor(conversation, told, stopped)
        return true
      }
      if (told.outcome === 'arrived') {
        const { session, ...arrived } = told
        return prompt.show(
          conversation.json ? printJson(arrived) : `${paint('cyan', `* ${arrival(arrived.message, session)}`)}\n`,
        )
      }
      const said = spelledAnswer(told, conversation.screen)
      return prompt.show(conversation.json ? printJson(said) : coloured(said, conversation))
    },
    close: () => prompt.close(),
  }
}

function promptFor(
  conversation: Conversation,
  { session, commands }: Extract<Told, { readonly outcome: 'begun' }>,
  stopped: AbortSignal,
): Prompt {
  const isTyped = conversation.input.isTTY === true && conversation.output.isTTY === true && !conversation.json
  if (!isTyped) return plainPrompt(conversation, stopped)
  const { paint } = conversation.screen
  return terminalPrompt(conversation, `${paint('bold', session)}${paint('dim', '>')} `, commands, stopped)
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
function terminalPrompt(
  { input, output }: Conversation,
  text: string,
  table: readonly CommandSpec[],
  stopped: AbortSignal,
): Prompt {
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
