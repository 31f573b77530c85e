/**
 * `npm test`: the tests. The last line is `N passed, N failed`, with `, N skipped` where some were.
 *
 *   npm test                    every requirement once, each file on one runtime: for people, five minutes on two cores
 *   npm test -- --all           everything, on Node, on Bun and in part on a newer Node: for `.ci/run`
 *   npm test -- crash memory    test files whose path contains one of the words, as `--all` runs them
 *   npm test -- -t 'a title'    tests whose title matches, in all files, as `--all` runs them
 *   npm test -- --on=node       every file on one runtime only (node or bun)
 *
 * Files named `*.node.test.ts` test what does not depend on the runtime (types, layers), and run on Node only. So do the
 * pure parts (see `onNodeAlone`). Proofs that start a process a step, or run the same steps of the same engine again, run on
 * Bun only, which is quicker (see `onBunAlone`). With `--on`, without Bun, and in `npm run soak`, every file runs.
 * SIGNALBOX_TEST_SCALE=10 makes the long tests ten times as long; the short run sets SIGNALBOX_TEST_SHORT (`isShort` in tests).
 */
import { spawn, spawnSync } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { build, filesUnder } from './build.mjs'
import { bunLines, countJunit, countVitest, totalLine } from './counts.mjs'
import { testOnNewerNode } from './newer-node.mjs'
import {
  ensureDebian,
  ensureJinja2,
  findBun,
  inRoot,
  isMain,
  packageJson,
  root,
  run,
  ScriptError,
  setup,
} from './setup.mjs'

/** Every test file, relative to the root. */
export const testFiles = () =>
  ['src', 'packages', 'test']
    .flatMap((folder) => filesUnder(inRoot(folder)))
    .map((path) => relative(root, path))
    .filter((path) => path.endsWith('.test.ts'))

/** What says the same on every runtime: code that touches no engine, and what takes Bun longer than Node. */
const onNodeAlone = [
  /^src\/(kernel|formats|text|protocols|operations|surfaces|adapters)\//,
  /^packages\/jinja2\//,
  /^test\/golden\//,
  /^test\/properties\/(?!notes)/,
  /^test\/held\/(commands|memory|processes)/,
  /^test\/conformance\/(acmq|mr|circe|dream|session|neutral|protocol)/,
  /^test\/cluster\/wrong-clock/,
  /^test\/scenarios\/(doctor-stuck|strangers-notes|circe-doctor|session-(transcripts|delegation|carriers))/,
  /^test\/scenarios\/acmq-(index|bus|merging|memory-bad|organize|report)/,
  /^test\/odd\/circe/,
]

/**
 * Long proofs about protocols over the steps of an engine that `test/conformance`, `test/crash/crash`, `test/races` and
 * `test/engines` try on both runtimes. Bun starts a process in a fifth of the time, and compares values in half of it.
 */
const onBunAlone = [
  /^test\/crash\/(?!crash\.)/,
  /^test\/held\/(?!commands|memory|processes)/,
  /^test\/properties\/notes/,
  /^test\/cluster\/(access|transfer|mr|memory)/,
  /^test\/scenarios\/(docs|acmq-times|strange-workspace|session-work|checkpoints-)/,
]

/** Of what both runtimes try: what is about the disk, about processes that meet, or about what Bun alone loads. */
const shorterOnBun = [
  /^test\/(engines|conformance|races|crash|cluster)\//,
  /^test\/architecture\/cold/,
  /^test\/scenarios\/(mr-crowd|cold-parts)/,
]

/** Long proofs of what shorter ones prove too, which `npm test` leaves to `--all`. */
const leftToAll = [
  /^test\/odd\/odd-entries\.long/, // every command at every place; the other files of the folder take each place once
  /^test\/memory\/resident/, // what grows over 5,000 messages
  /^test\/held\/etcd/, // the pairs of `test/held/`, on a cluster
  /^test\/cluster\/chaos/, // leaders killed under load
]

const isOneOf = (patterns) => (file) => patterns.some((pattern) => pattern.test(file))
const isOfNode = (file) => file.endsWith('.node.test.ts')

/**
 * Which files run on which runtime. `isWhole`: each on both, but for those that are about Node alone. `isShort`: each on one,
 * and what is left to `--all` on none.
 */
export function shared(files, { isWhole = false, isShort = false, hasBun = true } = {}) {
  const isLeftToBun = isOneOf(isWhole || !hasBun ? [] : onBunAlone)
  const isLeftToNode = isOneOf(isWhole ? [] : onNodeAlone)
  const onNode = files.filter((file) => !isLeftToBun(file))
  const onBun = files.filter((file) => !isOfNode(file) && !isLeftToNode(file))
  if (!isShort) return { onNode, onBun }
  const isShorterOnBun = hasBun ? isOneOf(shorterOnBun) : () => false
  const isWanted = (file) => !isOneOf(leftToAll)(file)
  return {
    onNode: onNode.filter((file) => isWanted(file) && !(onBun.includes(file) && isShorterOnBun(file))),
    onBun: onBun.filter((file) => isWanted(file) && (!onNode.includes(file) || isShorterOnBun(file))),
  }
}

/** Runs files with vitest, on the Node that runs this unless told otherwise, and counts. `dots`: a dot a test, not a line a file. */
export function testOnNode(files, { title, dots = false, quiet = false, program, env, report: name } = {}) {
  const report = freshReport(name ?? 'node.json')
  const words = [
    inRoot('node_modules/vitest/vitest.mjs'),
    'run',
    `--reporter=${dots ? 'dot' : 'default'}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
    // Otherwise slow tests get a line each below the line of their file.
    '--slowTestThreshold=300000',
    ...(dots || quiet ? ['--silent=passed-only'] : []),
    ...(title === undefined ? [] : ['-t', title]),
    ...files,
  ]
  const status = start(program ?? process.execPath, words, env)
  if (!existsSync(report)) return { passed: 0, failed: 1, failures: ['vitest left no report'], skipped: [] }
  return countVitest(JSON.parse(readFileSync(report, 'utf8')), status)
}

async function testOnBun(bun, files, { title, quiet }) {
  const report = freshReport('bun.xml')
  const status = await startBun(bun, quiet, [
    'test',
    // As many as vitest starts, and in the same order: see vitest.config.ts.
    '--parallel=3',
    `--timings=${inRoot('test/durations.json')}`,
    '--timeout=300000',
    `--define=__SIGNALBOX_VERSION__:${JSON.stringify(packageJson().version)}`,
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...(title === undefined ? [] : [`--test-name-pattern=${title}`]),
    ...files.map((file) => `./${file}`),
  ])
  return countJunit(existsSync(report) ? readFileSync(report, 'utf8') : '', files, status)
}

/** Shows a line a file and what failed. Everything that Bun and the tests print is in `build/reports/bun.log`. */
function startBun(bun, quiet, args) {
  const log = createWriteStream(freshReport('bun.log'))
  const child = spawn(bun, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.pipe(log, { end: false })
  const lines = bunLines({ all: !quiet })
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.write(`${line}\n`)
    for (const shown of lines.of(line)) console.log(shown)
  })
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new ScriptError(`${bun} could not be started: ${error.message}`)))
    child.on('close', (status) => {
      if (status !== 0) for (const shown of lines.rest()) console.log(shown)
      log.end(() => resolve(status ?? 1))
    })
  })
}

function freshReport(name) {
  const path = inRoot('build/reports', name)
  mkdirSync(inRoot('build/reports'), { recursive: true })
  rmSync(path, { force: true })
  return path
}

function start(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  if (error) throw new ScriptError(`${command} could not be started: ${error.message}`)
  return status ?? 1
}

const heading = (text) => console.log(`\n── ${text} ${'─'.repeat(Math.max(0, 100 - text.length))}`)

async function main() {
  const { values, positionals } = parseArgs({
    options: { all: { type: 'boolean' }, title: { type: 'string', short: 't' }, on: { type: 'string' } },
    allowPositionals: true,
  })
  setup()
  await build({ children: true })
  // If the types are wrong, the test of the library's types fails. The others should still run.
  await build({ types: true }).catch((error) => console.error(error.message))
  ensureJinja2()
  for (const [name, reason] of Object.entries(ensureDebian(['strace', 'age', 'etcd'])))
    process.env[`SIGNALBOX_WITHOUT_${name.toUpperCase()}`] = reason

  const files = testFiles().filter(
    (file) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
  )
  if (files.length === 0) throw new ScriptError(`No test file matches ${positionals.join(', ') || '*.test.ts'}.`)

  const bun = values.on === 'node' ? undefined : findBun()
  const isWhole = values.on !== undefined || process.env.SIGNALBOX_TEST_SCALE !== undefined
  // Without a run on Bun, tests on Node do what they leave to it.
  if (isWhole || bun === undefined) process.env.SIGNALBOX_TEST_ALONE = 'yes'
  const isSelection = positionals.length > 0 || values.title !== undefined
  const isShort = !values.all && !isWhole && !isSelection
  if (isShort) process.env.SIGNALBOX_TEST_SHORT = 'yes'
  const options = { title: values.title, quiet: !isSelection }
  const { onNode, onBun } = shared(files, { isWhole, isShort, hasBun: bun !== undefined })
  const results = []
  if (values.on !== 'bun' && onNode.length > 0) {
    const name = `Node ${process.versions.node}`
    heading(`${name} (vitest), ${onNode.length} files`)
    results.push({ name, ...testOnNode(onNode, options) })
  }
  if (bun !== undefined && onBun.length > 0) {
    const name = `Bun ${spawnSync(bun, ['--version'], { encoding: 'utf8' }).stdout.trim()}`
    heading(`${name} (bun test), ${onBun.length} files`)
    results.push({ name, log: 'build/reports/bun.log', ...(await testOnBun(bun, onBun, options)) })
  }
  if (values.all && !isSelection && values.on === undefined) {
    heading('A newer Node')
    results.push(testOnNewerNode(files, testOnNode))
  }

  heading('Summary')
  for (const { name, passed, failed, failures, skipped, log } of results) {
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped.length} skipped`)
    for (const title of skipped) console.log(`  skipped: ${title}`)
    for (const text of failures) console.log(`  failed: ${text}`)
    if (failed > 0 && log !== undefined) console.log(`  all that was printed: ${log}`)
  }
  if (isShort)
    console.log('npm test -- --all also runs the longest proofs, and on both runtimes what a runtime can change')
  if (findBun() === undefined)
    console.log('Bun: not run, because it is not installed with the package (npm install bun)')
  const idle = results.filter(({ passed, failed, isLeftOut }) => passed + failed === 0 && !isLeftOut)
  for (const { name } of idle) console.log(`${name}: no test was executed`)
  console.log(totalLine(results))
  // A title may belong to a test that one runtime leaves to the other.
  const isIdle = values.title === undefined ? idle.length > 0 : idle.length === results.length
  return results.length === 0 || isIdle || results.some(({ failed }) => failed > 0) ? 1 : 0
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
