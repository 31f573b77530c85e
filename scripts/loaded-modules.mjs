/**
 * Which of our modules a command loads, in the order in which it does: `bun --preload scripts/loaded-modules.mjs
 * src/main.ts …` writes their paths into the file that SIGNALBOX_LOADED names. Only Bun runs the sources as they are.
 */
import { appendFileSync, readFileSync } from 'node:fs'

Bun.plugin({
  name: 'loaded-modules',
  setup(build) {
    build.onLoad({ filter: /\/(src|packages)\/.*\.ts$/ }, ({ path }) => {
      appendFileSync(process.env.SIGNALBOX_LOADED, `${path}\n`)
      return { contents: readFileSync(path, 'utf8'), loader: 'ts' }
    })
  },
})
