/** The manifest of a new mission. AC-MQ §2, §5. */
import { printable } from '../../../kernel/printable.ts'
import { isoTime } from '../times.ts'
import { isStructure } from './lines.ts'

/** `now`: when the mission was made. */
export function printManifest({
  mission,
  objective,
  now,
}: {
  mission: string
  objective: string
  now: number
}): string {
  const text = asBody(objective)
  return `# Mission: ${mission}

## Objective

${text === '' ? '<!-- What is this mission for? -->' : text}

## Status

Started ${isoTime(now)}

## Milestones

<!-- One a line, ticked when reached:
- [ ] First milestone
-->

## Context

What every agent reads before it works here. Paths begin at this mission's folder.

- \`context/**\`
- \`artifacts/**\`
- \`findings/**\`
`
}

/** Escapes lines that `parseManifest` would read as a heading, a task or code, so that it gives the same text back. */
function asBody(objective: string): string {
  const lines = printable(objective.replaceAll(/\r\n?/g, '\n')).trim().split('\n')
  return lines
    .map((line) => line.trimEnd())
    .map((line, i) => escaped(line, lines[i + 1]))
    .join('\n')
}

function escaped(line: string, next: string | undefined): string {
  const special = isStructure(line, next)
  const startsWithWord = /^\s*[A-Za-z0-9]/.test(line)
  let body = line.replaceAll('<!--', '\\<!--')
  if (/\\:$/.test(line) || (special && startsWithWord)) body = body.replace(/:$/, '\\:')
  if (/^\s*\d*\\/.test(line)) return body.replace('\\', '\\\\')
  if (!special) return body
  return startsWithWord ? body.replace(/^(\s*\d+)(?=[.)])/, '$1\\') : body.replace(/^(\s*)/, '$1\\')
}
