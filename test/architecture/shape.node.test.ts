/** Every protocol has the same files for the same things, so that their differences are the only differences one sees. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findImports } from './imports.ts'

const root = new URL('../../src/protocols', import.meta.url).pathname
const protocols = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

const files = [
  'README.md',
  'schema.ts',
  'format.ts',
  'layout.ts',
  'lifecycle.ts',
  'settings.ts',
  'chapter.ts',
  'index.ts',
]
const inStore = ['parts.ts', 'outcomes.ts', 'view.ts', 'inspect.ts', 'overview.ts', 'neutral.ts', 'moving.ts']

/** What a protocol cannot have, and why. Its README says so too. */
const without: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'shared-agent': {
    'store/moving.ts': 'nothing moves: a session is one document, which changes where it lies',
  },
}

/** Where a message can be touched. What only names a type of the tree, such as a change of some bytes, is pure. */
const touching = /^(tree|wait|change|set-aside|keep|event-log|expected|named-locks|waiters|bell)\.ts$/

function sourcesOf(protocol: string): { path: string; text: string }[] {
  const folder = join(root, protocol)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

const touchesTree = (text: string): boolean =>
  findImports(text).some(({ specifier }) => {
    if (specifier === undefined || !/\/tree\/[^/]+$/.test(specifier)) return false
    const name = basename(specifier)
    return touching.test(name) && (name !== 'tree.ts' || /\bTree\b/.test(text))
  })

it('there are protocols to look at', () => expect(protocols.length).toBeGreaterThanOrEqual(2))

describe.each(protocols)('%s', (protocol) => {
  it('has the same files as the others', () => {
    const expected = [...files, ...inStore.map((name) => `store/${name}`)]
    const missing = expected.filter((path) => !existsSync(join(root, protocol, path)))
    expect(missing).toEqual(Object.keys(without[protocol] ?? {}))
  })

  it('touches the tree only in the folders that its README names', () => {
    const readme = readFileSync(join(root, protocol, 'README.md'), 'utf8')
    const named = /^Touches the tree: (.*)\.$/m.exec(readme)?.[1] ?? ''
    const allowed = [...named.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder!)
    expect(allowed).toContain('store')
    const found = sourcesOf(protocol).filter(({ text }) => touchesTree(text))
    const elsewhere = found.map(({ path }) => path).filter((path) => !allowed.includes(path.split('/')[0]!))
    // Its scene of the tour plays on a tree of its own, and its ports are handed in.
    expect(elsewhere.filter((path) => path !== 'chapter.ts' && path !== 'ports.ts')).toEqual([])
    expect(allowed.filter((folder) => !found.some(({ path }) => path.startsWith(`${folder}/`)))).toEqual([])
  })

  it('links the home of its specification, and says what was decided where that is silent', () => {
    const readme = readFileSync(join(root, protocol, 'README.md'), 'utf8')
    expect(readme).toMatch(/\]\(https:\/\/[^)]+\)/)
    expect(readme).toMatch(/^## Where the specification is silent$/m)
  })

  it('looks its moves up in the table of its lifecycle', () => {
    const moving = sourcesOf(protocol).filter(
      ({ path, text }) => path.startsWith('store/') && /\btree\.move\(/.test(text),
    )
    const isWithout = without[protocol]?.['store/moving.ts'] !== undefined
    expect(moving.map(({ path }) => path)).toEqual(isWithout ? [] : ['store/moving.ts'])
    // Its steps are those of what changes in place, and are looked up all the same.
    const looking = isWithout ? sourcesOf(protocol).filter(({ path }) => path.startsWith('store/')) : moving
    expect(looking.some(({ text }) => text.includes("'../lifecycle.ts'"))).toBe(true)
  })
})
