/**
 * The newest Node that we support beside the one that runs the tests: fetched from the npm registry into `build/`, where the
 * package of a platform holds the program itself.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { environmentForNpm, inRoot, root } from './setup.mjs'

const major = 24

/** What is run there: the command line of every protocol as users meet it, and the file system below it. */
const files =
  /^test\/scenarios\/(cli|acmq-cli|acmq-verbs|mr-cli|circe-cli|session-cli|session-work|dream-cli|checkpoints|transfer)\.test|^test\/engines\/|^test\/conformance\/tree\./

/** Builds with it, takes the tour of `npm start`, and runs `testOnNode` with it. `testFiles`: all that there are. */
export function testOnNewerNode(testFiles, testOnNode) {
  const { program, version, reason } = ensureNewerNode()
  const name = `Node ${version ?? major}`
  const counts = { passed: 0, failed: 0, failures: [], skipped: [] }
  if (reason !== undefined) return { name, ...counts, isLeftOut: true, skipped: [`a newer Node (skipped: ${reason})`] }

  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` }
  for (const [title, step] of [
    ['npm run build', () => buildWith(program, env)],
    ['npm start', () => startWith(program, env)],
  ]) {
    const problem = step()
    console.log(`${problem === undefined ? '✓' : '✗'} ${title}`)
    if (problem === undefined) counts.passed++
    else counts.failures.push(`${title}\n    ${problem.trim().split('\n').slice(-12).join('\n    ')}`)
  }
  const tested = testOnNode(
    testFiles.filter((file) => files.test(file)),
    { program, env, report: `node-${major}.json`, quiet: true },
  )
  return {
    name,
    passed: counts.passed + tested.passed,
    failed: counts.failures.length + tested.failed,
    failures: [...counts.failures, ...tested.failures],
    skipped: tested.skipped,
  }
}

/** The program and its version, or the reason why there is none. */
function ensureNewerNode() {
  if (Number.parseInt(process.versions.node, 10) >= major) return { reason: `the tests run on ${process.version}` }
  const prefix = inRoot('build', `node-${major}`)
  const name = `node-${process.platform}-${process.arch}`
  const program = join(prefix, 'node_modules', name, 'bin/node')
  if (!existsSync(program)) {
    console.error(`Installing ${name}@${major} (npm) …`)
    mkdirSync(prefix, { recursive: true })
    const words = ['install', `${name}@${major}`, '--prefix', prefix, '--no-save', '--no-package-lock']
    const { status, stderr, error } = spawnSync(
      'npm',
      [...words, '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'],
      { cwd: prefix, encoding: 'utf8', timeout: 180_000, env: environmentForNpm() },
    )
    if (status !== 0) {
      const why = error?.message ?? stderr.split('\n').find((line) => line.trim() !== '') ?? `status ${status}`
      return { reason: `npm could not install ${name}@${major}: ${why}` }
    }
  }
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  const version = /^v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1]
  return version ? { program, version } : { reason: `${name} does not start here: ${error?.message ?? stdout}` }
}

function buildWith(program, env) {
  // Without these notes of what was built already, everything is built again.
  rmSync(inRoot('build/stamps'), { recursive: true, force: true })
  return problemOf(program, ['scripts/build.mjs'], env)
}

function startWith(program, env) {
  // The tour leaves a folder there for people to look at.
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tour-'))
  try {
    return problemOf(program, ['scripts/start.mjs'], { ...env, TMPDIR: folder, SIGNALBOX_RUNTIME: 'node' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a script of ours printed if it failed, or if the runtime warned of something. */
function problemOf(program, words, env) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: root, encoding: 'utf8', env })
  if (error) return error.message
  return status === 0 && !/Warning:/.test(stderr) ? undefined : `${stdout}${stderr}`
}
