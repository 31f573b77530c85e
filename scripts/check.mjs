/** `npm run check`: types, lint, layers, coverage and the quick tests. Made to be run before every commit. */
import { spawnSync } from 'node:child_process'
import { build } from './build.mjs'
import { totalLine } from './counts.mjs'
import { inRoot, root, run, setup } from './setup.mjs'
import { testFiles, testOnNode } from './test.mjs'

// These start hundreds of processes, or servers; `npm test` runs them.
const isLong = (file) =>
  /^test\/(bench|cluster|crash|faults|held|memory|odd|races)\/|^test\/conformance\/(acmq|circe|dream|etcd|mr|session)\./.test(
    file,
  ) ||
  /^test\/(architecture\/toy-protocol|properties\/notes|scenarios\/(checkpoints-\w+|docs|launcher|mr-cli|strange-workspace))\./.test(
    file,
  ) ||
  /\.long(\.node)?\.test\.ts$/.test(file)

const steps = {
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
      { quiet: true },
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
