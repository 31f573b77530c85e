/** Standard input and output as streams, for commands that read line after line until the input ends. */
import type { Screen } from './terminal.ts'

/** What the program around it brings. */
export interface StandardStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

export interface Conversation extends StandardStreams {
  readonly json: boolean
  readonly screen: Screen
  /** False when the reader of standard output has ended. */
  print(text: string): boolean
  /** A remark, beside what is printed. */
  notice(text: string): void
}

/** A longer line is cut: nobody types it, and it is refused for its length anyway. */
const longestLine = 64 * 1024

/** Lines without their ends, one after the other, in bounded memory. */
export async function* linesOf(input: StandardStreams['input'], stopped: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  const pieces = withStop(input, stopped)
  for await (const piece of pieces) {
    const parts = decoder.decode(piece, { stream: true }).split('\n')
    for (const [n, part] of parts.entries()) {
      if (n > 0) {
        yield line.replace(/\r$/, '')
        line = ''
      }
      if (line.length < longestLine) line += part.slice(0, longestLine - line.length)
    }
  }
  if (line !== '') yield line
}

async function* withStop(input: StandardStreams['input'], stopped: AbortSignal): AsyncGenerator<Uint8Array> {
  const stop = () => (input as NodeJS.ReadableStream & { destroy?: () => void }).destroy?.()
  stopped.addEventListener('abort', stop)
  try {
    for await (const piece of input) yield typeof piece === 'string' ? Buffer.from(piece) : piece
  } catch (error) {
    // Destroyed on purpose.
    if (!stopped.aborted) throw error
  } finally {
    stopped.removeEventListener('abort', stop)
  }
}
