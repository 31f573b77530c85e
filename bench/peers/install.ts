/** Installs a neighbour from npm: the versions of its lock file in `packages/`, in a folder of its own. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRepository } from '../repository.ts'
import { cached } from './cache.ts'
import { Unavailable } from './unavailable.ts'

const files = ['package.json', 'package-lock.json']

/** Answers the folder to load it from. Native parts are compiled for this Node, which takes minutes the first time. */
export function installPackages(name: string): Promise<string> {
  const source = (file: string) => inRepository('bench', 'peers', 'packages', name, file)
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(source(file)))
  const key = [name, hash.digest('hex').slice(0, 12), process.arch, `node${process.versions.modules}`].join('-')
  return cached(key, (folder) => {
    for (const file of files) copyFileSync(source(file), join(folder, file))
    // Not `npm ci`, which also wants native parts for other systems. `npm install` follows the lock file, too.
    const { error, status, signal, stderr } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // Ctrl-C is sent to both programs, but our own handler would only run later.
    if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(130)
    if (error) throw new Unavailable(`npm could not be started: ${error.message}`)
    if (status !== 0) throw new Unavailable(`npm could not install it: ${firstError(stderr)}`)
  })
}

/** The sentence that says what happened: npm prints a code before it and the place of its log after it. */
const firstError = (printed: string): string =>
  printed
    .split('\n')
    .map((line) => /^npm (?:error|ERR!) (?!code )(.*\S)/.exec(line)?.[1])
    .find((line) => line !== undefined) ?? printed.trim().split('\n')[0]!

/** What the lock file pins, for the notes: `bullmq 6.7.0`. */
export function pinnedVersion(name: string): string {
  const path = inRepository('bench', 'peers', 'packages', name, 'package.json')
  const { dependencies } = JSON.parse(readFileSync(path, 'utf8')) as { dependencies: Record<string, string> }
  return `${name} ${dependencies[name]}`
}
