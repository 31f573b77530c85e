/** What the scripts share that write source files. */
import { spawnSync } from 'node:child_process'
import { inRoot, root, ScriptError } from './setup.mjs'

/** Source text as the formatter would have it in this file. */
export function formatted(source, file) {
  const biome = inRoot('node_modules/@biomejs/biome/bin/biome')
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], {
    cwd: root,
    input: source,
    encoding: 'utf8',
  })
  if (status !== 0) throw new ScriptError(stderr)
  return stdout
}
