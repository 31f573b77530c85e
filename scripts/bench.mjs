/**
 * `npm run bench`: builds, then runs `bench/main.ts` on Bun and on Node. Arguments are passed on.
 *
 *   npm run bench -- --on=bun    on one runtime only (bun or node)
 *   npm run bench -- --json      one JSON document: the figures of each runtime under its name
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { build, bundlePrograms, filesUnder } from './build.mjs'
import { findBun, findCommand, inRoot, root, run, ScriptError, setup } from './setup.mjs'

await run(async () => {
  const on = process.argv.find((arg) => arg.startsWith('--on='))?.slice('--on='.length)
  const args = process.argv.slice(2).filter((arg) => !arg.startsWith('--on='))
  if (!existsSync(inRoot('bench/main.ts'))) throw new ScriptError('There is no benchmark: bench/main.ts is missing.')
  setup()
  await build()
  const children = filesUnder(inRoot('bench')).filter((path) => path.endsWith('.child.ts'))
  const programs = Object.fromEntries(children.map((path) => [basename(path, '.child.ts'), path]))
  await bundlePrograms({ ...programs, main: inRoot('bench/main.ts') }, inRoot('build/bench'))

  // `signalbox bench` starts this script on its own runtime, which may be Bun.
  const node = process.versions.bun === undefined ? process.execPath : findCommand('node')
  const here = Object.entries({ bun: findBun(), node }).filter(([, program]) => program !== undefined)
  const chosen = here.filter(([name]) => on === undefined || on === name)
  if (chosen.length === 0)
    throw new ScriptError(`${on} is not here to measure on: use ${here.map(([name]) => name).join(' or ')}`)

  const asJson = args.includes('--json')
  const figures = {}
  for (const [name, program] of chosen) {
    const { status, stdout } = spawnSync(program, [inRoot('build/bench/main.mjs'), ...args], {
      cwd: root,
      stdio: ['inherit', asJson ? 'pipe' : 'inherit', 'inherit'],
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    if (status !== 0) throw new ScriptError(`The benchmark failed on ${name}.`)
    if (asJson) figures[name] = JSON.parse(stdout)
  }
  if (asJson) console.log(JSON.stringify(figures))
})
