/**
 * Writes what Jinja2 makes of the templates in golden/: `NAME.txt`, the bytes, or `NAME.error.json`, the error.
 * The interpreter is held to these files, everywhere. Needs a python3 with Jinja2 3.1 (Debian: python3-jinja2).
 *
 *   npm run golden              writes them
 *   npm run golden -- --check   only says which differ
 *
 * PYTHON=/usr/bin/python3 chooses another Python than the first on the path.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = here('golden')

/** Every template below the folder, with slashes. */
const templateNames = () =>
  readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.j2'))
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => relative(folder, join(folder, path)).replaceAll('\\', '/'))
    .sort()

const answerOf = (name) => join(folder, name.replace(/\.j2$/, ''))

function main() {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  const names = templateNames()
  const templates = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const data = readFileSync(join(folder, 'data.json'), 'utf8')
  // What lies in parts/ is brought in by others.
  const cases = names.filter((name) => !name.startsWith('parts/'))
  const { status, stdout, stderr, error } = spawnSync(process.env.PYTHON ?? 'python3', [here('oracle.py')], {
    input: cases.map((name, i) => `${JSON.stringify({ ...(i === 0 ? { templates } : {}), name, data })}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`Jinja2 could not be asked: ${error?.message ?? stderr}`)
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  let changed = 0
  for (const [i, name] of cases.entries()) {
    const answer = answers[i]
    const [path, other] = 'text' in answer ? ['.txt', '.error.json'] : ['.error.json', '.txt']
    const text = 'text' in answer ? answer.text : `${JSON.stringify(answer.error, null, 2)}\n`
    const target = answerOf(name) + path
    if (existsSync(target) && readFileSync(target, 'utf8') === text && !existsSync(answerOf(name) + other)) continue
    changed++
    console.log(`${values.check ? 'differs' : 'written'}: ${name}`)
    if (values.check) continue
    writeFileSync(target, text)
    rmSync(answerOf(name) + other, { force: true })
  }
  console.log(`${cases.length} templates, ${changed} ${values.check ? 'differ' : 'written'}`)
  return values.check && changed > 0 ? 1 : 0
}

process.exitCode = main()
