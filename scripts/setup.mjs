/**
 * Installs what a fresh clone needs. Every script calls this first, so that one command is always enough.
 * Plain Node: it must not import any dependency, since none is installed yet.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const inRoot = (...parts) => join(root, ...parts)
export const packageJson = () => JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))

/** Installs the dependencies when they are missing or belong to another lock file. */
export function setup() {
  if (!dependenciesAreCurrent()) installDependencies()
}

/** An error for people: scripts print only the message, without a stack. */
export class ScriptError extends Error {}

/** Runs a script's body and sets the exit status from its answer or failure. */
export async function run(body) {
  try {
    process.exitCode = (await body()) ?? 0
  } catch (error) {
    console.error(error instanceof ScriptError ? error.message : error)
    process.exitCode = 1
  }
}

/** True when this file was started by itself, not imported by another script. */
export const isMain = (url) => process.argv[1] !== undefined && fileURLToPath(url) === realpathSync(process.argv[1])

const markerPath = () => inRoot('node_modules', '.signalbox-lock')
const hashOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

function dependenciesAreCurrent() {
  const installed = inRoot('node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const { dependencies, devDependencies } = packageJson()
  const all = Object.keys({ ...dependencies, ...devDependencies })
  // An install without development dependencies looks complete to npm, but nothing here can be built with it.
  if (!all.every((name) => existsSync(inRoot('node_modules', name, 'package.json')))) return false

  const lock = inRoot('package-lock.json')
  const hash = hashOf(lock)
  // Compare the hash first: switching branches and back gives the lock file a new time but the same content.
  if (existsSync(markerPath())) return readFileSync(markerPath(), 'utf8') === hash
  if (statSync(installed).mtimeMs < statSync(lock).mtimeMs) return false
  writeFileSync(markerPath(), hash)
  return true
}

/** Scripts build what they need themselves: in an install that one of them started, `prepare` has nothing to do. */
const ownInstall = 'SIGNALBOX_OWN_INSTALL'
export const isWithinOwnInstall = () => process.env[ownInstall] !== undefined

/** Of the settings that npm passes on to scripts, those that are about what the caller does, not about how to install. */
const isOfTheCaller = (name) =>
  /^npm_config_(global|location|dry_run|omit|include|production|only|package_lock_only|pack_destination|json)$/i.test(
    name,
  )

/** For an npm that a script starts. npm passes the settings of the caller on to scripts. */
export const environmentForNpm = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfTheCaller(name)))

export function installDependencies() {
  // Work trees may share one folder by a link. `npm ci` empties what the link leads to, for everybody.
  if (lstatSync(inRoot('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ScriptError(
      'node_modules is a link, and is not up to date: run `npm ci` where it leads to, or remove it.',
    )
  }
  console.error('Installing dependencies (npm ci) …')
  // `--silent` of the caller must not hide why an install failed.
  const result = spawnSync('npm', ['ci', '--include=dev', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...environmentForNpm(), [ownInstall]: '1' },
  })
  if (result.status !== 0) {
    const why = result.error?.message ?? `${result.stdout}${result.stderr}`
    throw new ScriptError(
      `npm ci failed${result.status === null ? '' : ` with status ${result.status}`}:\n${why.trim()}`,
    )
  }
  writeFileSync(markerPath(), hashOf(inRoot('package-lock.json')))
}

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // missing or not readable
  }
}

/** Where a command is on the search path, or `undefined`. */
export const findCommand = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, name))
    .find(isExecutable)

/** The Bun that is installed with the package, found as `bin/signalbox` finds it. */
export function findBun() {
  const bun = inRoot('node_modules', 'bun')
  if (!existsSync(bun)) return undefined
  // Its platform packages lie beside it, for pnpm where the link leads to.
  const modules = dirname(realpathSync(bun))
  const platforms = existsSync(join(modules, '@oven')) ? readdirSync(join(modules, '@oven')) : []
  const unmoved = platforms
    .filter((name) => !name.endsWith('-musl'))
    .map((name) => join(modules, '@oven', name, 'bin', 'bun'))
    .find(isExecutable)
  if (unmoved !== undefined) return unmoved
  const moved = join(modules, 'bun', 'bin', 'bun.exe')
  // If install scripts are off, a small text file is in the place of the program.
  return isExecutable(moved) && statSync(moved).size > 100_000 ? moved : undefined
}

/** Commands whose Debian package has another name. */
const debianPackages = { etcd: 'etcd-server' }

/**
 * Installs the Debian packages of commands that are missing. Never throws: answers the reason for each command that is
 * still missing.
 */
export function ensureDebian(commands) {
  return ensurePackages(
    commands.map((name) => ({
      name,
      package: debianPackages[name] ?? name,
      isThere: () => findCommand(name) !== undefined,
    })),
  )
}

/** Jinja2 is no command but a package of Python; `packages/jinja2/test/oracle.ts` looks for it in the same places. */
export function ensureJinja2() {
  const has = (python) => spawnSync(python, ['-c', 'import jinja2']).status === 0
  const isThere = () => ['python3', '/usr/bin/python3'].some(has)
  return ensurePackages([{ name: 'jinja2', package: 'python3-jinja2', isThere }])
}

function ensurePackages(wanted) {
  const missing = wanted.filter(({ isThere }) => !isThere())
  if (missing.length === 0) return {}
  const all = (reason) =>
    Object.fromEntries(missing.map(({ name }) => [name, `${name} is not installed, and ${reason}`]))

  if (findCommand('apt-get') === undefined) return all('there is no apt-get to install it with')
  if (process.getuid?.() !== 0) return all('only root may install it')
  console.error(`Installing ${missing.map((one) => one.package).join(', ')} (apt-get) …`)
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-o', 'Acquire::Retries=1', ...args], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  // Go on if this fails: older package lists may be good enough.
  apt('update')
  // One by one, so that one that is not available does not prevent the others.
  const reasons = {}
  for (const { name, package: packageName, isThere } of missing) {
    const { stderr, error } = apt('install', '-y', '--no-install-recommends', packageName)
    if (isThere()) continue
    const why = (error?.message ?? stderr).trim().split('\n').pop()
    reasons[name] = `${name} is not installed, and apt-get could not: ${why}`
  }
  return reasons
}
