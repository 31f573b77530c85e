/** `npm start`: builds what is needed and takes a newcomer on the tour. Arguments go to `signalbox demo`. */
import { spawnSync } from 'node:child_process'
import { build } from './build.mjs'
import { inRoot, run, ScriptError, setup } from './setup.mjs'

await run(async () => {
  setup()
  await build()
  const { status, signal, error } = spawnSync(inRoot('bin/signalbox'), ['demo', ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  if (error) throw new ScriptError(`bin/signalbox could not be started: ${error.message}`)
  if (signal) process.kill(process.pid, signal)
  return status
})
