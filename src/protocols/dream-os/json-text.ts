/**
 * A JSON file that may be edited: its parsed value, and an editor of its text (`JsonEditor`). With `compat`, `//` remarks are
 * passed over and stay where they are.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { parseJson } from '../../formats/json.ts'
import { JsonEditor, withoutRemarks } from '../../formats/json-edit.ts'
import { inputs } from '../../kernel/call.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Malformed } from '../../kernel/problem.ts'
import { malformed } from './problem.ts'

export interface JsonText {
  readonly outcome: 'read'
  readonly value: unknown
  readonly hadRemarks: boolean
  edit(): JsonEditor
}

export interface JsonOptions {
  readonly compat?: boolean
  readonly most: number
}

const deepest = 64

/** Decodes UTF-8. Most files are pure ASCII, which one of the runtimes decodes many times as fast as `latin1`. */
export const decodeText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isAscii(bytes) ? 'latin1' : 'utf8')

export function readJsonText(bytes: Uint8Array, { compat = false, most }: JsonOptions): JsonText | Malformed {
  if (!isUtf8(bytes)) return malformed('BAD_JSON', 'Not valid JSON: it is not UTF-8.')
  const text = decodeText(bytes)
  const bare = compat ? withoutRemarks(text) : text
  try {
    const value = parseJson(bare, { maxBytes: most, maxDepth: deepest })
    return { outcome: 'read', value, hadRemarks: bare !== text, edit: () => new JsonEditor(text, bare) }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const hasRemarks = !compat && withoutRemarks(text) !== text
    const hint = hasRemarks ? `Remarks behind // are read with ${inputs({ compat: true })}.` : error.hint
    return {
      outcome: 'malformed',
      problems: [{ code: error.code, field: '', message: error.message, ...(hint === undefined ? {} : { hint }) }],
      isUnfinished: true,
    }
  }
}
