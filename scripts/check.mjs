/** `npm run check`: types, lint, layers, coverage and the quick tests. Made to be run before every commit. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build, ensureCommandTable } from './build.mjs'
import { totalLine } from './counts.mjs'
import { inRoot, root, run, setup } from './setup.mjs'
import { testFiles, testOnNode } from './test.mjs'

const { files: durations } = JSON.parse(readFileSync(inRoot('test/durations.json'), 'utf8'))
const durationOf = (file) => durations[file] ?? 0

/** What starts hundreds of processes, or servers, or takes three seconds; `npm test` runs it. */
const isLong = (file) =>
  /^test\/(bench|cluster|crash|held|memory|odd|races)\/|^test\/conformance\/(acmq|circe|dream|etcd|mr|session)\./.test(
    file,
  ) || durationOf(file) >= 3000

const steps = {
  commands: async () => void (await ensureCommandTable()),
  types: () => node('node_modules/typescript/bin/tsc', '-p', '.'),
  lint: () =>
    node('node_modules/@biomejs/biome/bin/biome', 'ci', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.'),
  build: async () => {
    await build({ children: true })
    await build({ types: true })
  },
  tests: () => {
    const counts = testOnNode(
      testFiles().filter((file) => !isLong(file)),
      { dots: true },
    )
    return counts.failed === 0 && counts.passed > 0 ? totalLine([counts]) : new Error(totalLine([counts]))
  },
}

/** Shows the output of a tool only if it fails. */
function node(program, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inRoot(program), ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return status === 0 ? undefined : new Error(`${stdout}${stderr}`.trimEnd())
}

await run(async () => {
  setup()
  let failed = 0
  for (const [name, step] of Object.entries(steps)) {
    const startedAt = Date.now()
    const result = await Promise.resolve()
      .then(step)
      .catch((error) => error)
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
    if (result instanceof Error) {
      failed++
      console.log(`✗ ${name} (${seconds} s)\n${result.message}`)
    } else {
      console.log(`✓ ${name} (${seconds} s)${result === undefined ? '' : `: ${result}`}`)
    }
  }
  return failed === 0 ? 0 : 1
})
