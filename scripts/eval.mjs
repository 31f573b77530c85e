/**
 * `npm run eval`: bundles the programs of `test/eval/` and runs them. `npm run eval -- sentences` runs that of sentences alone.
 * Other arguments are passed on; the headers of the programs say which there are.
 */
import { spawnSync } from 'node:child_process'
import { bundlePrograms } from './build.mjs'
import { inRoot, root, run, ScriptError, setup } from './setup.mjs'

await run(async () => {
  setup()
  const programs = { eval: inRoot('test/eval/main.ts'), sentences: inRoot('test/eval/sentences/main.ts') }
  await bundlePrograms(programs, inRoot('build/eval'))
  const evaluate = (program, args) => {
    const command = [inRoot(`build/eval/${program}.mjs`), ...args]
    const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new ScriptError('The evaluation failed.')
  }
  const [first, ...rest] = process.argv.slice(2)
  if (first === 'sentences') return evaluate('sentences', rest)
  evaluate('eval', process.argv.slice(2))
  if (first === undefined) evaluate('sentences', [])
})
