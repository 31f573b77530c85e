// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source code
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/child.ts'
import { findImports } from './imports.ts'
import { findPackageViolations, findViolations } from './layers.ts'

describe('the layers', () => {
  it('no import in src/ points the wrong way', () => {
    const sources = readSources('src')
    expect(sources.length).toBeGreaterThan(5)
    expect(findViolations(sources)).toEqual([])
  })

  it('no import in packages/ leads out of its own folder', () => {
    const sources = readSources('packages').filter(({ path }) => path.endsWith('.ts'))
    expect(sources.map(({ path }) => path)).toContain('minilm/index.ts')
    expect(findPackageViolations(sources)).toEqual([])
    const planted = ["import '../minilm/x.ts'", "import '../other/x.ts'", "import '../../src/x.ts'", "import 'node:fs'"]
    const found = findPackageViolations([{ path: 'minilm/index.ts', text: planted.join('\n') }])
    expect(found.map((one) => one.split(':')[1])).toEqual(['2', '3', '4'])
    const test = { path: 'minilm/test/x.ts', text: [...planted, "import 'vitest'", "import '../index.ts'"].join('\n') }
    expect(findPackageViolations([test]).map((one) => one.split(':')[1])).toEqual(['3'])
  })

  it('only adapters import packages of our own, by their names', () => {
    const judged = (path: string, specifier: string) => findViolations([{ path, text: `import '${specifier}'` }]).length
    expect(judged('adapters/x.ts', '@signalbox/minilm')).toBe(0)
    expect(judged('adapters/x.ts', '../../packages/minilm/index.ts')).toBe(1)
    expect(judged('text/x.ts', '@signalbox/minilm')).toBe(1)
  })
})

function readSources(folder: string) {
  const from = join(repository, folder)
  return readdirSync(from, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(from, path), 'utf8') }))
}

describe('planted wrong imports are found, however they are written', () => {
  const planted: Record<string, string> = {
    'a static import': "import { x } from '../engines/memory/index.ts'",
    'a default import': "import x from '../engines/memory/index.ts'",
    'a namespace import': "import * as x from '../engines/memory/index.ts'",
    'a mixed import': "import x, { type Y, z as 'odd name' } from '../engines/memory/index.ts'",
    'an import over several lines': "import {\n  x, // from 'nowhere'\n} from '../engines/memory/index.ts'",
    'an import with attributes': "import x from '../engines/memory/index.ts' with { type: 'json' }",
    'an import without spaces': "import{x}from'../engines/memory/index.ts'",
    'a type import': "import type { X } from '../engines/memory/index.ts'",
    'a default type import': "import type X from '../engines/memory/index.ts'",
    'a side-effect import': "import '../engines/memory/index.ts'",
    'a dynamic import': "const x = await import('../engines/memory/index.ts')",
    'a dynamic import with a comment': "import(/* lazily */ '../engines/memory/index.ts')",
    'a dynamic import in a template': "const x = `${await import('../engines/memory/index.ts')}`",
    'a dynamic import by a plain template': 'import(`../engines/memory/index.ts`)',
    'a type by import()': "let x: import('../engines/memory/index.ts').X",
    'a type by typeof import()': "type X = typeof import('../engines/memory/index.ts')",
    'a re-export': "export { x } from '../engines/memory/index.ts'",
    'a re-export of everything': "export * from '../engines/memory/index.ts'",
    'a re-export under a name': "export * as x from '../engines/memory/index.ts'",
    'a re-export of a type': "export type { X } from '../engines/memory/index.ts'",
    'a re-export of all types': "export type * from '../engines/memory/index.ts'",
    'a require': "const x = require('../engines/memory/index.ts')",
    'an import by require': "import x = require('../engines/memory/index.ts')",
    'a require.resolve': "require.resolve('../engines/memory/index.ts')",
    'a createRequire at once': "createRequire(import.meta.url)('../engines/memory/index.ts')",
    'a createRequire by name': "const load = createRequire(import.meta.url)\nload('../engines/memory/index.ts')",
    'a dynamic import of a constant': "const name = '../engines/memory/index.ts'\nawait import(name)",
    'a worker': "new Worker(new URL('../engines/memory/index.ts', import.meta.url))",
    'a reference': '/// <reference path="../engines/memory/index.ts" />',
    'a specifier with escapes': "import '../\\x65ngines/memory/index.ts'",
    'a way round': "import '../tree/../engines/memory/index.ts'",
    'an import after a regular expression': "const quote = /['\"`]/\nimport '../engines/memory/index.ts'",
    'an import after a division': "const half = (1 + 2) / 3 // '\nimport '../engines/memory/index.ts'",
    'an import after a template': "const x = `a ${`b ${'}'}`} '`\nimport '../engines/memory/index.ts'",
  }
  for (const [what, text] of Object.entries(planted)) {
    it(what, () => {
      const line = text.split('\n').length > 1 && !text.startsWith('import {') ? 2 : 1
      expect(findViolations([{ path: 'protocols/contract.ts', text }])).toEqual([
        `src/protocols/contract.ts:${line}: protocols may not import engines (${written(text)}). It may import messaging, formats, text, tree, kernel`,
      ])
    })
  }

  it('a computed import, which cannot be judged', () => {
    const text = "let name = 'x'\nawait import('../engines/' + name)\nrequire(name)"
    expect(findViolations([{ path: 'tree/tree.ts', text }])).toEqual([
      'src/tree/tree.ts:2: dynamic of a computed name. Write the name as a plain string',
      'src/tree/tree.ts:3: require of a computed name. Write the name as a plain string',
    ])
  })

  it('the line is that of the import', () => {
    const text = "/*\n * import 'a'\n */\nimport '../kernel/clock.ts'\n\nimport '../formats/json.ts'\n"
    expect(findViolations([{ path: 'tree/tree.ts', text }])).toEqual([
      'src/tree/tree.ts:6: tree may not import formats (../formats/json.ts). It may import kernel',
    ])
  })
})

const written = (text: string): string =>
  text.includes('/../') ? '../tree/../engines/memory/index.ts' : '../engines/memory/index.ts'

describe('what is no import is left alone', () => {
  const innocent = [
    "// import 'node:fs'",
    "/* import 'node:fs' */",
    'const text = "import \'node:fs\'"',
    "const text = `import 'node:fs'`",
    "const text = `${1}\nimport 'node:fs'`",
    "const pattern = /import 'node:fs'/",
    "const pattern = /[/'\"]import 'node:fs'/g",
    'const here = import.meta.url',
    "shelf.import('node:fs')",
    'class Shelf { import(path: string) { return path } }',
    'const shelf = { import: 1, require(path: string) { return path } }',
    'interface Shelf { import(path: string): void }',
    "export const from = 'node:fs'",
    "export { a, b }\nconst from = 'node:fs'",
    "const from = 'node:fs'; Array.from('node:fs')",
    "const page = new URL('https://example.org/x.js')",
  ]
  for (const text of innocent) {
    it(text.replaceAll('\n', ' '), () => expect(findImports(text)).toEqual([]))
  }
})

describe('the table', () => {
  const wrong: [path: string, specifier: string, reason: string][] = [
    ['kernel/a.ts', 'node:path', 'kernel imports nothing from outside itself (node:path)'],
    ['kernel/a.ts', '../tree/tree.ts', 'kernel may not import tree (../tree/tree.ts). It imports nothing'],
    ['formats/a.ts', '../tree/tree.ts', 'formats may not import tree (../tree/tree.ts). It may import kernel'],
    ['formats/a.ts', 'node:fs', 'only engines import node:fs. Say it in the verbs of the tree'],
    ['tree/a.ts', 'fs', 'only engines import fs. Say it in the verbs of the tree'],
    ['tree/a.ts', 'node:fs/promises', 'only engines import node:fs/promises. Say it in the verbs of the tree'],
    ['tree/a.ts', 'yaml', 'tree may not import the package yaml'],
    [
      'engines/memory/a.ts',
      '../file-system/b.ts',
      'engines/memory may not know engines/file-system (../file-system/b.ts)',
    ],
    [
      'engines/memory/a.ts',
      '../../formats/json.ts',
      'engines may not import formats (../../formats/json.ts). It may import tree, kernel',
    ],
    ['engines/memory/a.ts', 'yaml', 'engines may not import the package yaml'],
    ['protocols/ac-mq/a.ts', '../circe/index.ts', 'protocols/ac-mq may not know protocols/circe (../circe/index.ts)'],
    [
      'protocols/ac-mq/a.ts',
      '../shared.ts',
      'folders in protocols share nothing but contract.ts, neutral.ts, chapter.ts (../shared.ts)',
    ],
    [
      'protocols/ac-mq/a.ts',
      '../../operations/a.ts',
      'protocols may not import operations (../../operations/a.ts). It may import messaging, formats, text, tree, kernel',
    ],
    ['protocols/ac-mq/a.ts', 'bun:ffi', 'only engines import bun:ffi. Say it in the verbs of the tree'],
    [
      'adapters/git.ts',
      '../formats/json.ts',
      'adapters may not import formats (../formats/json.ts). It may import kernel',
    ],
    [
      'operations/a.ts',
      '../engines/memory/index.ts',
      'operations may not import engines (../engines/memory/index.ts). It may import bridge, protocols, adapters, messaging, formats, text, tree, kernel',
    ],
    [
      'operations/a.ts',
      '../surfaces/cli/a.ts',
      'operations may not import surfaces (../surfaces/cli/a.ts). It may import bridge, protocols, adapters, messaging, formats, text, tree, kernel',
    ],
    [
      'surfaces/cli/a.ts',
      '../../tree/tree.ts',
      'surfaces may not import tree (../../tree/tree.ts). It may import operations, kernel',
    ],
    ['surfaces/cli/a.ts', '../../main.ts', 'nothing imports main.ts'],
    [
      'surfaces/cli/a.ts',
      '../../index.ts',
      'surfaces may not import index.ts (../../index.ts). It may import operations, kernel',
    ],
    ['surfaces/cli/a.ts', 'signalbox', 'surfaces may not import the package signalbox'],
    ['surfaces/cli/a.ts', '@scope/name/deep.js', 'surfaces may not import the package @scope/name'],
    ['surfaces/cli/a.ts', '../../../test/support/temp.ts', '../../../test/support/temp.ts lies outside src/'],
    ['surfaces/cli/a.ts', '/etc/a.js', '/etc/a.js lies outside src/'],
    ['index.ts', './main.ts', 'nothing imports main.ts'],
    ['main.ts', 'node:fs', 'only engines import node:fs. Say it in the verbs of the tree'],
  ]
  for (const [path, specifier, reason] of wrong) {
    it(`${path} ↛ ${specifier}`, () => {
      expect(findViolations([{ path, text: `import '${specifier}'` }])).toEqual([`src/${path}:1: ${reason}`])
    })
  }

  const right: [path: string, text: string][] = [
    ['kernel/a.ts', "import './b.ts'"],
    ['formats/a.ts', "import '../kernel/a.ts'\nimport { parse } from 'yaml'\nimport { Buffer } from 'node:buffer'"],
    ['engines/memory/a.ts', "import '../../tree/tree.ts'\nimport './b.ts'\nimport '../shared.ts'"],
    ['engines/file-system/a.ts', "import 'node:fs'\nimport 'fs/promises'\nconst ffi = await import('bun:ffi')"],
    ['engines/index.ts', "import './memory/index.ts'"],
    ['protocols/ac-mq/a.ts', "import './b.ts'\nimport '../contract.ts'\nimport '../../formats/json.ts'"],
    ['adapters/git.ts', "import 'node:child_process'\nimport '../kernel/errors.ts'"],
    ['operations/a.ts', "import { parse } from 'yaml'\nimport '../tree/tree.ts'"],
    ['surfaces/cli/a.ts', "import '../mcp/a.ts'\nimport 'node:os'"],
    ['main.ts', "import './engines/memory/index.ts'\nimport './index.ts'\nimport './surfaces/cli/a.ts'"],
    ['index.ts', "export * from './engines/file-system/index.ts'"],
    ['kernel/a.test.ts', "import 'node:fs'\nimport 'vitest'\nimport '../engines/memory/index.ts'"],
  ]
  for (const [path, text] of right) {
    it(`${path}: ${text.replaceAll('\n', '; ')}`, () => expect(findViolations([{ path, text }])).toEqual([]))
  }

  it('a package on the way of every command is refused, and allowed behind a dynamic import', () => {
    const cold = [
      { path: 'main.ts', text: "import './operations/a.ts'" },
      { path: 'operations/a.ts', text: "import type { X } from './c.ts'\nexport { b } from './b.ts'" },
      { path: 'operations/b.ts', text: "import './a.ts'\nimport { parse } from 'yaml'" },
      { path: 'operations/c.ts', text: "import { parse } from 'yaml'" },
    ]
    expect(findViolations(cold)).toEqual([
      'src/operations/b.ts:2: yaml is loaded at every start (main.ts → operations/a.ts → operations/b.ts). Import one of these on demand',
    ])
    const onDemand = { path: 'operations/a.ts', text: "export const b = async () => (await import('./b.ts')).b" }
    expect(findViolations(cold.with(1, onDemand))).toEqual([])
  })

  it('a folder without a row is refused, with a hint', () => {
    expect(findViolations([{ path: 'utils/a.ts', text: '' }])).toEqual([
      'src/utils/a.ts:1: src/utils/ is not a layer. Move the file, or give the folder a row in test/architecture/layers.ts',
    ])
    expect(findViolations([{ path: 'helpers.ts', text: '' }])).toEqual([
      'src/helpers.ts:1: only main.ts and index.ts lie directly in src/. Move the file into a layer',
    ])
  })
})
