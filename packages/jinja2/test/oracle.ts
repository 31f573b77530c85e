/** Jinja2 itself, where a Python here has it: what our own interpreter is held against. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface TemplateCase {
  readonly templates: Readonly<Record<string, string>>
  readonly name: string
  /** JSON text. */
  readonly data: string
}

export interface OracleError {
  readonly kind: string
  readonly message: string
  readonly template: string | null
  readonly line: number | null
}

export type OracleAnswer = { readonly text: string } | { readonly error: OracleError }

const oracle = fileURLToPath(new URL('oracle.py', import.meta.url))

/** Debian's Python has Debian's packages; the one that comes first on the path may be another. */
const pythons = ['python3', '/usr/bin/python3']
let found: { python: string; version: string } | null | undefined

function findPython(): { python: string; version: string } | null {
  for (const python of pythons) {
    const { status, stdout } = spawnSync(python, ['-c', 'import jinja2; print(jinja2.__version__)'], {
      encoding: 'utf8',
    })
    if (status === 0 && stdout.startsWith('3.1')) return { python, version: stdout.trim() }
  }
  return null
}

/** The Python that has Jinja2 3.1, or why there is none. */
export function haveJinja2(): { readonly python: string; readonly version: string } | { readonly reason: string } {
  if (found === undefined) found = findPython()
  if (found !== null) return found
  return { reason: 'no python3 here has Jinja2 3.1 (Debian: python3-jinja2)' }
}

/** The templates are sent once if several cases share them. */
const requestOf = ({ templates, ...rest }: TemplateCase, i: number, all: readonly TemplateCase[]): string =>
  `${JSON.stringify(all[i - 1]?.templates === templates ? rest : { templates, ...rest })}\n`

/** What Jinja2 makes of the cases, in one process. */
export function askJinja2(python: string, cases: readonly TemplateCase[]): OracleAnswer[] {
  const { status, stdout, stderr } = spawnSync(python, [oracle], {
    input: cases.map(requestOf).join(''),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  })
  if (status !== 0) throw new Error(`The oracle failed:\n${stderr}`)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OracleAnswer)
}
