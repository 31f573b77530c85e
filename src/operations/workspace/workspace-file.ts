/** What `signalbox.yaml` of a workspace says, checked: a wrong key is an error with its line, never ignored. */
import type { SettingsFound } from '../../kernel/outside.ts'
import type { Environment } from '../define.ts'
import { ownFilePath } from './own-file.ts'
import { isEtcd, type Schema, type SettingsSection, variableOf } from './settings.ts'
import { bad, checkedEntry, entriesOf, type SettingsFile } from './settings-file.ts'
import type { Entry } from './settings-text.ts'

type Values = Record<string, unknown>

export interface FileValues {
  readonly values: Values
  readonly sections: Readonly<Record<string, Values>>
  /** On which line a key at the top stands. */
  readonly lines: Readonly<Record<string, number>>
}

export async function readFile(
  found: SettingsFound,
  path: string,
  { settings, sections }: Schema,
  environment: Environment,
): Promise<FileValues> {
  const file = settingsIn(found, path)
  const read = { values: {} as Values, sections: {} as Record<string, Values>, lines: {} as Record<string, number> }
  const entries = await entriesOf(file)
  for (const entry of entries) {
    const load = Object.hasOwn(sections, entry.key) ? sections[entry.key] : undefined
    if (load === undefined) {
      const value = checkedEntry(entry, file, settings, { alsoKnown: Object.keys(sections) })
      // Checked here, because an error from opening the engine would quote the value.
      const isNoEngine = entry.key === 'engine' && value !== 'files' && !isEtcd(value)
      if (isNoEngine && !file.mayBeQuoted) throw bad(file, entry.line, 'not an engine.', {})
      read.lines[entry.key] = entry.line
      if (value !== undefined) read.values[entry.key] = value
    } else if (entry.value.kind === 'section') {
      const { fields, usersOwn }: SettingsSection = await load()
      const values: Values = {}
      for (const inner of entry.value.entries) {
        if (usersOwn.includes(inner.key)) throw notForWorkspaces(file, inner, entry.key, entries, environment)
        const value = checkedEntry(inner, file, fields, { section: entry.key })
        if (value !== undefined) values[inner.key] = value
      }
      read.sections[entry.key] = values
    } else if (entry.value.kind !== 'scalar' || entry.value.scalar !== null) {
      throw bad(file, entry.line, `\`${entry.key}\` is a section; found a value.`, {
        hint: `Write its keys on lines of their own below \`${entry.key}:\`, indented.`,
      })
    }
  }
  return read
}

/** What only the user can say; see docs/decisions/0028-settings-of-a-stranger.md. */
function notForWorkspaces(
  file: SettingsFile,
  { key, line }: Entry,
  section: string,
  entries: readonly Entry[],
  environment: Environment,
) {
  const variable = variableOf(key, section)
  const engine = entries.find((entry) => entry.key === 'engine')?.value
  const isShown = file.mayBeQuoted && engine?.kind === 'scalar' && isEtcd(engine.scalar)
  const address = isShown ? engine.scalar : 'etcd://HOST:PORT/TENANT'
  const path = ownFilePath({ environment }) ?? 'the file that SIGNALBOX_CONFIG names'
  const hint =
    section === 'etcd'
      ? `Take it out here. Write it into ${path} below a line \`${address}:\`, indented: \`  ${key}: …\`. Or set ${variable} together with SIGNALBOX_ENGINE.`
      : `Take it out here. If you want it, set ${variable} in your own environment.`
  const what = `\`${section}.${key}\` is not for a workspace to say: who cloned it would hand over secrets unasked.`
  // All words of ours, so that they can be said whosever file it is.
  return bad({ ...file, mayBeQuoted: true }, line, what, { hint, details: { key: `${section}.${key}`, variable } })
}

function settingsIn(found: SettingsFound, path: string): SettingsFile {
  if (found.kind === 'file') {
    return { path, text: found.text, mayBeQuoted: found.isOwn && found.names === 1 }
  }
  const file = { path, mayBeQuoted: true }
  if (found.kind === 'link') {
    throw bad(file, 1, 'this is a symbolic link; settings are not read through one.', {
      hint: 'Put a copy of the file it leads to in its place.',
    })
  }
  // A pipe of this name would keep every command waiting.
  throw bad(file, 1, 'this is not a file.', { hint: 'Move it away, or write settings into a file of that name.' })
}
