import { printableLine } from '../../../kernel/printable.ts'
import type { Copied } from '../../../operations/transfer/copy.ts'
import { exportWorkspace, importWorkspace } from '../../../operations/transfer/import.ts'
import { mirror } from '../../../operations/transfer/mirror.ts'
import { commandFace } from '../command.ts'

export const importFace = commandFace(importWorkspace, (output) =>
  'from' in output
    ? shown('Imported', `from ${output.from}`, output)
    : `Put ${output.copied} into ${printableLine(output.to)}: ${printableLine(output.paths.join(', '))}${output.unchanged > 0 ? `; ${output.unchanged} had the same content there` : ''}.\n`,
)

export const exportFace = commandFace(exportWorkspace, (output) => shown('Exported', `to ${output.to}`, output))

export const mirrorFace = commandFace(mirror, ({ directory, written, removed }) =>
  printableLine(`${directory}: ${written} written, ${removed} removed.`).concat('\n'),
)

function shown(did: string, where: string, { copied, unchanged, count, hash, leftBehind }: Copied): string {
  const lines = [
    `${did} ${copied} ${printableLine(where)}; ${unchanged} were there already.`,
    `Both sides have ${count} with the same content (SHA-256 ${hash}).`,
    ...[...new Set(leftBehind.map(({ reason }) => reason))].map((reason) => {
      const paths = leftBehind.filter((one) => one.reason === reason).map(({ path }) => path)
      return `Left behind (${reason}): ${printableLine(paths.join(', '))}`
    }),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
