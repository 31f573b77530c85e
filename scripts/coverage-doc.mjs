/** Writes `docs/spec-coverage.md` from `test/requirements.ts` and the tests that cite it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { bundlePrograms } from './build.mjs'
import { inRoot, root, run, setup } from './setup.mjs'

await run(async () => {
  setup()
  await bundlePrograms({ coverage: inRoot('test/architecture/coverage.ts') }, inRoot('build/scripts'))
  const { readCitations, printCoverage, requirements } = await import(
    pathToFileURL(inRoot('build/scripts/coverage.mjs')).href
  )
  mkdirSync(inRoot('docs'), { recursive: true })
  writeFileSync(inRoot('docs/spec-coverage.md'), printCoverage(requirements, readCitations(root)))
})
