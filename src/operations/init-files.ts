/** The texts that `init` writes. Generated from the tables they speak about, so that they stay true. */
import { printDuration } from '../formats/duration.ts'
import type { Field } from '../kernel/field.ts'
import { keptPrivate, type StateKind, stateKinds } from '../tree/home.ts'
import { expectedOf } from './check-input.ts'
import { allSections, schema as fullSchema, variableOf } from './workspace/settings.ts'

/** Every key with its meaning, commented out: the file says what could be set and sets nothing but `given`. */
export async function settingsTemplate(
  schema = fullSchema,
  given: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const lines = [
    '# Settings of this Signalbox workspace. Take the `#` before a key away to set it.',
    '# Flags beat environment variables, which beat this file. A wrong key is an error, never ignored.',
  ]
  const takes = (field: Field, variable: string) => `# Takes ${expectedOf(field)}; or set ${variable}.`
  for (const [key, field] of Object.entries(schema.settings)) {
    const set = given[key] === undefined ? `#${key}: ${sample(field)}` : `${key}: ${JSON.stringify(given[key])}`
    lines.push('', `# ${field.help}`, takes(field, variableOf(key)), set)
  }
  for (const { name, fields, usersOwn } of await allSections(schema)) {
    const shown = Object.entries(fields).filter(([key]) => !usersOwn.includes(key))
    if (shown.length > 0) lines.push('', `#${name}:`)
    for (const [key, field] of shown) {
      lines.push(`  # ${field.help}`, `  ${takes(field, variableOf(key, name))}`, `#  ${key}: ${sample(field)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function sample(field: Field): string {
  if (field.type === 'duration' && field.default !== undefined) return printDuration(field.default)
  const known = 'default' in field ? field.default : undefined
  return String(known ?? field.placeholder ?? '')
}

const meaningOf: Readonly<Record<StateKind, string>> = {
  presence: 'which agents have acted here',
  delivery: 'what was handed to whom',
  sequences: 'counters that no specification gives a place to',
  aliases: 'where files are that were moved, by their old names',
  approvals: 'what people have approved',
  keys: 'keys that somebody put here; they are not used, and not to be committed',
  rates: 'how much each sender may still send right now',
  metrics: 'how long writing and reading took',
  merging: 'how fast missions go, and which snapshots were taken',
  sessions: 'sessions of the Shared Agent Protocol: state, tasks, what was said',
  locks: 'who waits for which lock',
  shown: 'which messages were shown to whom',
  bridge: 'what was carried between protocols, and as what',
}

export function homeReadme(): string {
  const inGit = (kind: StateKind) => (keptPrivate.includes(kind) ? 'no' : 'yes')
  return `# .signalbox

What Signalbox keeps for itself. Messages are not here: they are plain files in the folders of their protocols.

| Folder | Holds | If you delete it | In git |
| --- | --- | --- | --- |
${stateKinds.map((kind) => `| \`state/${kind}/\` | ${meaningOf[kind]} | that knowledge is lost | ${inGit(kind)} |`).join('\n')}
| \`cache/\` | what can be worked out again from the files | the next command takes longer | no |
| \`engine/\` | locks, leases and half-written files | do it only while nothing runs | no |

\`policy.yaml\`, if you write one, lists what a person must approve first: see \`signalbox human list --help\`.

\`.gitignore\` here keeps out of git what the last column says. \`signalbox doctor\` looks after the rest.
`
}
