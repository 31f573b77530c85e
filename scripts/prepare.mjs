/**
 * npm's `prepare`: builds `dist/` whenever npm installs a clone, packs it, or installs it for somebody else from git or from
 * a folder. npm may keep what it prints for itself; all of it goes to standard error, since `npm pack` prints its answer.
 */
import { existsSync } from 'node:fs'
import { build } from './build.mjs'
import { inRoot, installDependencies, isWithinOwnInstall, run } from './setup.mjs'

/** `npm install --omit=dev` in a clone: without the tools nothing is to be built. */
const leavesToolsOut = () =>
  /\b(dev|optional)\b/.test(process.env.npm_config_omit ?? '') || process.env.NODE_ENV === 'production'
const haveTools = () =>
  ['assemblyscript', 'esbuild', 'typescript', 'yaml'].every((name) =>
    existsSync(inRoot('node_modules', name, 'package.json')),
  )

await run(async () => {
  if (isWithinOwnInstall()) return
  // npm packs a clone, and links to it, without installing what it needs.
  const isInstalled = existsSync(inRoot('node_modules/.package-lock.json'))
  if (!haveTools() && !(isInstalled && leavesToolsOut())) installDependencies()
  try {
    await build({ types: true })
  } catch (error) {
    if (!leavesToolsOut()) throw error
    console.error(
      'dist/ was not built in full, because tools for it were left out: `npm install --include=dev` installs them.',
    )
  }
})
