/** Every protocol has the same files for the same things, so that their differences are the only differences one sees. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { forwardingMethods } from './forwarding.ts'
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
  'envelope.ts',
  'settings.ts',
  'chapter.ts',
  'index.ts',
]
const inStore = [
  'parts.ts',
  'sending.ts',
  'claiming.ts',
  'settling.ts',
  'agents.ts',
  'view.ts',
  'outcomes.ts',
  'inspect.ts',
  'overview.ts',
  'neutral.ts',
  'moving.ts',
]

/** What a protocol cannot have, and why. Its README says so too. */
const without: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'shared-agent': {
    'store/moving.ts': 'nothing moves: a session is one document, which changes where it lies',
  },
}

/** What is not there yet: these files are missing, and so many methods only forward. To be emptied. */
const notYet: Readonly<Record<string, { readonly files: readonly string[]; readonly forwarding: number }>> = {
  'shared-agent': { files: [], forwarding: 1 },
}

/** Where a message can be touched. What only names a type of the tree, such as a change of some bytes, is pure. */
const touching =
  /^(tree|waiting|change|quarantine|keep|events|expected|named-locks|tolerant|readable|journal|sending-once)\.ts$/

function sourcesOf(protocol: string): { path: string; text: string }[] {
  const folder = join(root, protocol)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

const touchesTree = (text: string): boolean =>
  findImports(text).some(({ specifier }) => {
    if (specifier === undefined || !/\/(tree|messaging\/[\w-]+)\/[^/]+$/.test(specifier)) return false
    const name = basename(specifier)
    return touching.test(name) && (name !== 'tree.ts' || /\bTree\b/.test(text))
  })

/** A class that holds a collection names what may be done with it. */
const ofCollections = /: (has|get|add|drop|delete|clear)$/

it('there are protocols to look at', () => expect(protocols.length).toBeGreaterThanOrEqual(2))

describe.each(protocols)('%s', (protocol) => {
  it('has the same files as the others', () => {
    const expected = [...files, ...inStore.map((name) => `store/${name}`)]
    const missing = expected.filter((path) => !existsSync(join(root, protocol, path)))
    const excused = [...Object.keys(without[protocol] ?? {}), ...(notYet[protocol]?.files ?? [])]
    expect(missing.filter((path) => !excused.includes(path))).toEqual([])
    expect(Object.keys(without[protocol] ?? {}).filter((path) => !missing.includes(path))).toEqual([])
  })

  it('exposes the parts of its store instead of methods that only forward to them', () => {
    const found = sourcesOf(protocol)
      .filter(({ path }) => /^store\/[^/]+\.ts$/.test(path) && path !== 'store/neutral.ts')
      .flatMap(({ path, text }) => forwardingMethods(text).map((name) => `${path}: ${name}`))
      .filter((method) => !ofCollections.test(method))
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(notYet[protocol]?.forwarding ?? 0)
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

it('finds a method that only forwards, and no other', () => {
  const source = `export class Store {
  next(mailbox: number, options?: { readonly wait: number }): Promise<Given> {
    return this.#all.messages.next(mailbox, options)
  }
  async close(): Promise<void> {
    await this.#tree.close()
  }
  other(mailbox: number): Promise<Given> {
    return this.#messages.next(mailbox, {})
  }
  own(mailbox: number): Promise<Given> {
    return this.next(mailbox)
  }
}
`
  expect(forwardingMethods(source)).toEqual(['next', 'close'])
})

it('src/tree/ holds the port and nothing built on it', () => {
  const tree = join(root, '../tree')
  const files = readdirSync(tree).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  expect(files).toContain('tree.ts')
  // What is built on the port takes a tree or calls one of its verbs.
  const built = files.filter((name) => {
    const text = readFileSync(join(tree, name), 'utf8')
    return name !== 'tree.ts' && (/\bTree\b/.test(text) || /\btree\.\w+\(/.test(text))
  })
  expect(built).toEqual([])
})

it('a mechanism of messaging knows no protocol', () => {
  const messaging = join(root, '../messaging')
  const sources = readdirSync(messaging, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  expect(sources.length).toBeGreaterThan(10)
  const knowing = sources.filter((path) =>
    findImports(readFileSync(join(messaging, path), 'utf8')).some(({ specifier }) =>
      specifier?.includes('/protocols/'),
    ),
  )
  expect(knowing).toEqual([])
})
