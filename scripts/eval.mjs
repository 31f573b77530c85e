/** `npm run eval`: bundles `test/eval/main.ts` and runs it. Arguments are passed on; its header says which there are. */
import { spawnSync } from 'node:child_process'
import { bundlePrograms } from './build.mjs'
import { inRoot, root, run, ScriptError, setup } from './setup.mjs'

await run(async () => {
  setup()
  await bundlePrograms({ eval: inRoot('test/eval/main.ts') }, inRoot('build/eval'))
  const { status } = spawnSync(process.execPath, [inRoot('build/eval/eval.mjs'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new ScriptError('The evaluation failed.')
})
