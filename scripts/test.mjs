/**
 * `npm test`: every test on Node and, where it is installed, on Bun. The last line is `N passed, N failed`.
 *
 *   npm test                    everything
 *   npm test -- crash memory    test files whose path contains one of the words
 *   npm test -- -t 'a title'    tests whose title matches, in all files
 *   npm test -- --on=node       on one runtime only (node or bun)
 *
 * Files named `*.node.test.ts` test what does not depend on the runtime (types, layers), and run on Node only. So do the
 * pure parts, and proofs that run the same steps of the same engine again (see `onOneRuntime`); with `--on=bun`, and in
 * `npm run soak`, they run on Bun too.
 * SIGNALBOX_TEST_SCALE=10 makes the long tests ten times as long.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { build, filesUnder } from './build.mjs'
import { countJunit, countVitest, totalLine } from './counts.mjs'
import { ensureDebian, findBun, inRoot, isMain, packageJson, root, run, ScriptError, setup } from './setup.mjs'

/** Every test file, relative to the root. */
export const testFiles = () =>
  ['src', 'test']
    .flatMap((folder) => filesUnder(inRoot(folder)))
    .map((path) => relative(root, path))
    .filter((path) => path.endsWith('.test.ts'))

/**
 * What says the same on every runtime: code that touches no engine, and long proofs about protocols over the steps of an
 * engine that `test/conformance`, `test/crash/crash`, `test/races` and `test/engines` try on both.
 */
const onOneRuntime = [
  /^src\/(kernel|formats|protocols|operations|surfaces|duties|adapters)\//,
  /^test\/(golden|properties|held)\//,
  /^test\/crash\/(archive|acmq|mr|faults)/,
  /^test\/conformance\/(acmq|mr|neutral|protocol)/,
  /^test\/cluster\/(access|wrong-clock|transfer|mr)/,
  /^test\/scenarios\/(docs|doctor-stuck|acmq-times|acmq-index|strange-workspace|strangers-notes)/,
]

/** Runs files with vitest on the Node that runs this, and counts. */
export function testOnNode(files, { title, quiet = false } = {}) {
  const report = freshReport('node.json')
  const reporters = [`--reporter=${quiet ? 'dot' : 'default'}`, '--reporter=json', `--outputFile.json=${report}`]
  const named = title === undefined ? [] : ['-t', title]
  const status = start(process.execPath, [
    inRoot('node_modules/vitest/vitest.mjs'),
    'run',
    ...reporters,
    ...named,
    ...files,
  ])
  if (!existsSync(report)) return { passed: 0, failed: 1, failures: ['vitest left no report'], skipped: [] }
  return countVitest(JSON.parse(readFileSync(report, 'utf8')), status)
}

function testOnBun(bun, files, { title } = {}) {
  const report = freshReport('bun.xml')
  const status = start(bun, [
    'test',
    '--parallel=2',
    '--timeout=300000',
    `--define=__SIGNALBOX_VERSION__:${JSON.stringify(packageJson().version)}`,
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...(title === undefined ? [] : [`--test-name-pattern=${title}`]),
    ...files.map((file) => `./${file}`),
  ])
  return countJunit(existsSync(report) ? readFileSync(report, 'utf8') : '', files, status)
}

function freshReport(name) {
  const path = inRoot('build/reports', name)
  mkdirSync(inRoot('build/reports'), { recursive: true })
  rmSync(path, { force: true })
  return path
}

function start(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error) throw new ScriptError(`${command} could not be started: ${error.message}`)
  return status ?? 1
}

const heading = (text) => console.log(`\n── ${text} ${'─'.repeat(Math.max(0, 100 - text.length))}`)

async function main() {
  const { values, positionals } = parseArgs({
    options: { title: { type: 'string', short: 't' }, on: { type: 'string' } },
    allowPositionals: true,
  })
  setup()
  await build({ children: true })
  // If the types are wrong, the test of the library's types fails. The others should still run.
  await build({ types: true }).catch((error) => console.error(error.message))
  const without = ensureDebian(['strace', 'age', 'etcd'])
  for (const [name, reason] of Object.entries(without)) process.env[`SIGNALBOX_WITHOUT_${name.toUpperCase()}`] = reason

  const files = testFiles().filter(
    (file) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
  )
  if (files.length === 0) throw new ScriptError(`No test file matches ${positionals.join(', ') || '*.test.ts'}.`)

  const bun = findBun()
  const isWhole = values.on === 'bun' || process.env.SIGNALBOX_TEST_SCALE !== undefined
  const onBun = files.filter(
    (file) => !file.endsWith('.node.test.ts') && (isWhole || !onOneRuntime.some((pattern) => pattern.test(file))),
  )
  const results = []
  if (values.on !== 'bun') {
    const name = `Node ${process.versions.node}`
    heading(`${name} (vitest), ${files.length} files`)
    results.push({ name, ...testOnNode(files, values) })
  }
  if (values.on !== 'node' && bun !== undefined && onBun.length > 0) {
    const name = `Bun ${spawnSync(bun, ['--version'], { encoding: 'utf8' }).stdout.trim()}`
    heading(`${name} (bun test), ${onBun.length} files`)
    results.push({ name, ...testOnBun(bun, onBun, values) })
  }

  heading('Summary')
  for (const { name, passed, failed, failures, skipped } of results) {
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped.length} skipped`)
    for (const title of skipped) console.log(`  skipped: ${title}`)
    for (const text of failures) console.log(`  failed: ${text}`)
  }
  if (bun === undefined) console.log('Bun: not run, because it is not installed with the package (npm install bun)')
  const idle = results.filter(({ passed, failed }) => passed + failed === 0)
  for (const { name } of idle) console.log(`${name}: no test was executed`)
  console.log(totalLine(results))
  return results.length === 0 || idle.length > 0 || results.some(({ failed }) => failed > 0) ? 1 : 0
}

if (isMain(import.meta.url)) {
  await run(() =>
    main().catch((error) => {
      // The last line must say that it failed, whatever happened.
      console.error(error instanceof ScriptError ? error.message : error)
      console.log(totalLine([{ passed: 0, failed: 1, skipped: [] }]))
      return 1
    }),
  )
}
