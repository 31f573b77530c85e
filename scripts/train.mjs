/** `npm run train`: bundles `training/main.ts` and runs it, which makes `data/sentences.bin`. Its header says what else it can do. */
import { spawnSync } from 'node:child_process'
import { bundlePrograms } from './build.mjs'
import { inRoot, root, run, ScriptError, setup } from './setup.mjs'

await run(async () => {
  setup()
  await bundlePrograms({ train: inRoot('training/main.ts') }, inRoot('build/training'))
  const { status } = spawnSync(process.execPath, [inRoot('build/training/train.mjs'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new ScriptError('The training failed.')
})
