/** The package as a program meets it that installed it: its types, and its code on both runtimes. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { repository } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

/** A project with the package installed; `program` is its only source. */
function makeConsumer(program: string): string {
  const project = tempDir()
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
  symlinkSync(repository, join(project, 'node_modules/signalbox'))
  symlinkSync(join(repository, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'consumer.ts'), program)
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        // Our declarations are checked too: an import in them that leads nowhere would silently become `any`.
        skipLibCheck: false,
        noEmit: true,
      },
      files: ['consumer.ts'],
    }),
  )
  return project
}

const typeErrors = (project: string): string[] => {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: project, encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean)
}

const anyCheck = `
type IsAny<T> = 0 extends 1 & T ? true : false
type Library = typeof library
/** Exports whose type got lost, such as by a declaration that could not be found. */
type Lost = { [Name in keyof Library]: IsAny<Library[Name]> extends true ? Name : never }[keyof Library]
const none: [Lost] extends [never] ? 'none' : Lost = 'none'
void none
`

verifies('X-library', 'a consumer with nodenext resolution gets every type', () => {
  expect(existsSync(join(repository, 'dist/types/src/index.d.ts')), 'run npm run build').toBe(true)
  expect(typeErrors(makeConsumer(`import * as library from 'signalbox'\n${anyCheck}`))).toEqual([])
})

verifies('X-library', 'what the types forbid is an error for a consumer', () => {
  const errors = typeErrors(makeConsumer("import { thereIsNoSuchExport } from 'signalbox'\nvoid thereIsNoSuchExport\n"))
  expect(errors.join('\n')).toMatch(/consumer\.ts.*TS2305.*thereIsNoSuchExport/)
})

const bun = join(repository, 'node_modules/.bin/bun')
const runtimes = { node: process.execPath, bun }
for (const [name, program] of Object.entries(runtimes)) {
  const reason = existsSync(program) ? undefined : 'Bun is not installed with the package'
  verifies.unless(reason, 'X-library', `the library can be imported on ${name}`, () => {
    const project = makeConsumer('')
    writeFileSync(
      join(project, 'consumer.mjs'),
      "import * as library from 'signalbox'\nconsole.log(Object.keys(library).length)",
    )
    const { status, stdout, stderr } = spawnSync(program, ['consumer.mjs'], { cwd: project, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(Number(stdout)).toBeGreaterThan(0)
  })
}
