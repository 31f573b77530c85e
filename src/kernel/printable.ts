/**
 * Text from messages is data: before it reaches a terminal, everything that could move the cursor, change
 * colours, reorder letters or fake a line is shown as a visible escape instead.
 */
const risky = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const riskyInLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Safe to print as one or many lines: keeps tabs and line feeds. */
export const printable = (text: string): string => text.replace(risky, visible)

/** Safe to print inside a line or a table cell. */
export const printableLine = (text: string): string => text.replace(riskyInLine, visible)

function visible(character: string): string {
  const code = character.charCodeAt(0)
  if (code === 10) return '\\n'
  if (code === 13) return '\\r'
  if (code === 9) return '\\t'
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : escaped(character)
}

/** As JSON may write it: `\\u200e`. */
export const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
