/** Operations that a text names in neutral words, as commands to type. */
import type { CallSpelling } from '../../kernel/call.ts'
import { positions } from './command-table.generated.ts'
import { flagOf, kebab, shellWord } from './spelling.ts'

/** A call as a command to type: `acmq claim alpha --as gemini`. Inputs alone are flags. */
export const commandLine: CallSpelling = (operation, input) => {
  const placed = operation === undefined ? [] : (positions[operation] ?? [])
  const words = placed.flatMap((name) => (input[name] === undefined ? [] : [input[name]].flat().map(wordOf)))
  const flags = Object.entries(input).flatMap(([name, value]) => (placed.includes(name) ? [] : flagWords(name, value)))
  // AC-MQ has a launcher of its own.
  const program = operation === undefined ? [] : [operation.replace(/^(?!acmq\b)/, 'signalbox ')]
  return [...program, ...words, ...flags].join(' ')
}

const wordOf = (value: unknown): string => shellWord(typeof value === 'object' ? JSON.stringify(value) : String(value))

function flagWords(name: string, value: unknown): string[] {
  if (typeof value === 'boolean') return [value ? flagOf(name) : `--no-${kebab(name)}`]
  return [value].flat().map((one) => `${flagOf(name)} ${wordOf(one)}`)
}
