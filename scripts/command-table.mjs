/**
 * Writes `src/surfaces/cli/command-table.generated.ts`: every command with its name and where its face is found; and
 * `command-summaries.generated.ts`: a sentence about each, which only help and completion read. The order is that of
 * `src/surfaces/cli/command-outline.ts`; the faces are found among what `src/surfaces/cli/commands/` exports, and an
 * operation without one gets a plain face.
 *
 * The build writes them whenever a source has changed; they are not kept in git.
 */
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundlePrograms, filesUnder, replaceFile } from './build.mjs'
import { inRoot, root, ScriptError } from './setup.mjs'

const surface = 'src/surfaces/cli'
const [tableFile, summariesFile] = ['table', 'summaries'].map((name) => `${surface}/command-${name}.generated.ts`)

/** What each file should be now. */
export async function currentFiles() {
  const { outline, found } = await readCommands()
  return { [tableFile]: printTable(outline, found), [summariesFile]: printSummaries(outline) }
}

/** For each protocol its own file, and those with the faces of the commands that agents use all day. */
export async function everydayFiles() {
  const { outline, found } = await readCommands()
  const groups = outline.members.filter(({ everyday }) => everyday !== undefined)
  return Object.fromEntries(
    groups.map((group) => [group.name, { index: found.protocols.get(group.name), faces: facesOf(group, found) }]),
  )
}

function facesOf({ name, everyday, members }, { faces, operations }) {
  const files = everyday.flatMap((one) => {
    const operation = one
      .split(' ')
      .reduce((group, word) => group?.members?.find((member) => member.name === word), { members })
    if (!operation) throw new ScriptError(`${name} ${one} is said to be used all day, but there is no such command.`)
    return faces.get(operation)?.file ?? [`${surface}/plain-face.ts`, operations.get(operation).file]
  })
  return [...new Set(files)]
}

const header =
  '// Written by scripts/command-table.mjs. Do not edit: change command-outline.ts or the operations, and build.\n'

/** The source text. `found` says which file exports which operation and which face. */
export function printTable(outline, found) {
  const unlisted = new Set(found.operations.keys())
  const table = printGroup(outline)
  for (const operation of unlisted) {
    const { file } = found.operations.get(operation)
    throw new ScriptError(`${operation.name} in ${file} is no command: add it to its protocol's list of operations.`)
  }
  return `${header}import type { Group } from './command.ts'

/** Every command, by name. Light on purpose: a cold command reads this table and loads only its own line. */
export const commandTable: Group = ${table}

/** Inputs that are words by their place, by the names of their commands. */
export const positions: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(positionsIn(outline))}
`

  function printGroup({ name, alone, members }) {
    const known = new Set()
    const lines = members.map((member) => {
      if (known.has(member.name)) throw new ScriptError(`Two commands of ${name} are named ${member.name}.`)
      known.add(member.name)
      return 'members' in member ? printGroup(member) : printCommand(member)
    })
    const more = alone === undefined ? '' : `alone: ${text(alone)},`
    return `{ name: ${text(name)}, ${more} members: [${lines.join(', ')}] }`
  }

  function printCommand(operation) {
    unlisted.delete(operation)
    return `{ name: ${text(operation.name)}, load: async () => ${printLoad(operation)} }`
  }

  function printLoad(operation) {
    const face = found.faces.get(operation)
    if (face) return imported(face)
    const place = found.operations.get(operation)
    if (!place) throw new ScriptError(`No file of src/operations/ exports the operation ${operation.name}.`)
    return `(await import('./plain-face.ts')).plainFace(${imported(place)})`
  }
}

/** Older ways to name who acts are left out: no command is proposed with them. */
function positionsIn(outline) {
  const found = {}
  walk(outline, [])
  return found

  function walk({ input, members }, path) {
    const names = Object.entries(input ?? {}).flatMap(([name, field]) =>
      field.positional && !field.isActor ? [name] : [],
    )
    if (names.length > 0) found[path.join(' ')] = names
    for (const member of members ?? []) walk(member, [...path, member.name])
  }
}

function printSummaries(outline) {
  const lines = []
  walk(outline, [])
  return `${header}import type { Summaries } from './command.ts'

export const summaries: Summaries = { ${lines.join(', ')} }
`

  function walk({ summary, members }, path) {
    lines.push(`${text(path.join(' '))}: ${text(summary)}`)
    for (const member of members ?? []) walk(member, [...path, member.name])
  }
}

const imported = ({ file, name }) => {
  const path = relative(surface, file)
  return `(await import('${path.startsWith('.') ? path : `./${path}`}')).${name}`
}

const text = (words) => JSON.stringify(words)

/** Loads every operation and every face, and notes where each is exported. */
async function readCommands() {
  const files = [`${surface}/commands`, 'src/operations', 'src/protocols'].flatMap((folder) =>
    filesUnder(inRoot(folder)).filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && isRead(path)),
  )
  const entry = inRoot('build/scripts/commands-entry.ts')
  const lines = [
    `export { commandOutline } from ${text(inRoot(surface, 'command-outline.ts'))}`,
    ...files.map((path, i) => `import * as m${i} from ${text(path)}`),
    `export const modules = [${files.map((_, i) => `m${i}`).join(', ')}]`,
  ]
  replaceFile(entry, `${lines.join('\n')}\n`)
  // The table that is there may name faces that are gone by now.
  await bundlePrograms({ commands: entry }, inRoot('build/scripts'), [
    '*/command-table.generated.ts',
    '*/command-summaries.generated.ts',
  ])
  const { commandOutline, modules } = await import(pathToFileURL(inRoot('build/scripts/commands.mjs')).href)
  const found = { operations: new Map(), faces: new Map(), protocols: new Map() }
  for (const [i, module] of modules.entries()) {
    const file = relative(root, files[i])
    for (const [name, value] of Object.entries(module)) {
      if (typeof value?.open === 'function' && value.section) found.protocols.set(value.name, file)
      if (typeof value?.invoke === 'function') found.operations.set(value, { file, name })
      if (typeof value?.show === 'function' && value.operation) {
        const other = found.faces.get(value.operation)
        if (other) throw new ScriptError(`${value.operation.name} has two faces: in ${other.file} and in ${file}.`)
        found.faces.set(value.operation, { file, name })
      }
    }
  }
  return { outline: await commandOutline(), found }
}

/** Of a protocol its face alone. */
const isRead = (path) => !path.startsWith(inRoot('src/protocols')) || path.endsWith('/index.ts')
