/**
 * The layers as data: which folder of `src/` may import which, and a checker that names every line pointing
 * the wrong way. The picture and the reasons are in ARCHITECTURE.md.
 */
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { findImports, type Import } from './imports.ts'

interface Layer {
  /** Other layers it may import; its own files are always allowed. */
  readonly imports: readonly string[]
  /** Built-in modules: none at all, all but the file system, or every one. */
  readonly builtins: 'none' | 'no-files' | 'all'
  readonly packages?: readonly string[]
  /** The folders inside do not know each other. `shared` limits which files beside them they may use. */
  readonly strangers?: { readonly shared?: readonly string[] }
  /** Whoever is not of this layer reaches a folder in it by its `index.ts`. */
  readonly hasFaces?: boolean
  /** Layers that only the folders named here may import, and files that lie in none. */
  readonly onlyFor?: Readonly<Record<string, readonly string[]>>
}

export const layers: Readonly<Record<string, Layer>> = {
  kernel: { imports: [], builtins: 'none' },
  formats: { imports: ['kernel'], builtins: 'no-files', packages: ['yaml'] },
  // What texts are about: words, likeness, ranking, grouping, names. Pure, and knows no protocol.
  text: { imports: ['kernel'], builtins: 'none' },
  tree: { imports: ['kernel'], builtins: 'no-files' },
  // What every protocol needs, once: a mechanism a folder. Knows no protocol.
  messaging: { imports: ['tree', 'formats', 'text', 'kernel'], builtins: 'no-files' },
  engines: { imports: ['tree', 'kernel'], builtins: 'all', packages: ['koffi'], strangers: {} },
  protocols: {
    imports: ['messaging', 'formats', 'text', 'tree', 'kernel'],
    builtins: 'no-files',
    strangers: { shared: ['contract.ts', 'neutral.ts', 'chapter.ts'] },
    hasFaces: true,
  },
  // What concerns messages of several protocols, by the contract alone.
  bridge: { imports: ['protocols', 'messaging', 'formats', 'text', 'tree', 'kernel'], builtins: 'no-files' },
  adapters: {
    imports: ['kernel'],
    builtins: 'no-files',
    packages: ['age-encryption', '@signalbox/jinja2', '@signalbox/minilm'],
  },
  operations: {
    imports: ['bridge', 'protocols', 'adapters', 'messaging', 'formats', 'text', 'tree', 'kernel'],
    builtins: 'no-files',
    packages: ['yaml'],
    // What is done with the files of one protocol is done in its folder; its operations ask it.
    onlyFor: {
      formats: ['workspace', 'transfer'],
      messaging: ['transfer', 'workspace'],
      tree: ['demo', 'transfer', 'workspace'],
    },
  },
  surfaces: { imports: ['operations', 'kernel'], builtins: 'no-files' },
}

const everything = Object.keys(layers)

/** The files that lie directly in `src/`. They wire the rest together; no layer imports them. */
export const roots: Readonly<Record<string, Layer>> = {
  'main.ts': { imports: [...everything, 'index.ts'], builtins: 'no-files', packages: ['yaml'] },
  'index.ts': { imports: everything, builtins: 'no-files', packages: ['yaml'] },
}

/** Where a cold command begins. No package may be loaded on the way that every command goes. */
export const coldStart = 'main.ts'

/** A source file: its path below `src/`, with slashes, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Every violation, as `src/file.ts:line: what is wrong`. */
export function findViolations(sources: readonly Source[]): string[] {
  const files = sources
    .filter(({ path }) => !/\.test\.[cm]?[jt]sx?$/.test(path))
    .map(({ path, text }) => ({ path, imports: findImports(text) }))
  return [...files.flatMap(wrongDirections), ...packagesAtColdStart(files)]
}

/**
 * What lies in `packages/` knows nothing of Signalbox: each folder imports its own files and nothing else. Its tests also import
 * what Node has, and vitest.
 */
export function findPackageViolations(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    findImports(text).flatMap(({ line, specifier = '' }) => {
      const isOwn = isRelative(specifier) && topOf(posix.join(posix.dirname(path), specifier)) === topOf(path)
      const isForTests = specifier === 'vitest' || builtinName(specifier) !== undefined
      return isOwn || (isForTests && /\/test\/|\.test\.ts$/.test(path))
        ? []
        : [`packages/${path}:${line}: a package imports its own files alone (${specifier})`]
    }),
  )
}

interface File {
  readonly path: string
  readonly imports: readonly Import[]
}

function wrongDirections({ path, imports }: File): string[] {
  const name = topOf(path)
  const layer = path.includes('/') ? layers[name] : roots[name]
  if (layer === undefined) {
    return path.includes('/')
      ? [
          `src/${path}:1: src/${name}/ is not a layer. Move the file, or give the folder a row in test/architecture/layers.ts`,
        ]
      : [`src/${path}:1: only ${Object.keys(roots).join(' and ')} lie directly in src/. Move the file into a layer`]
  }
  return imports.flatMap((found) => {
    const reason = judge(path, layer, found)
    return reason === undefined ? [] : [`src/${path}:${found.line}: ${reason}`]
  })
}

/** Why an import is not allowed, or `undefined`. */
function judge(path: string, layer: Layer, found: Import): string | undefined {
  const { specifier } = found
  if (specifier === undefined) return `${found.kind} of a computed name. Write the name as a plain string`
  return isRelative(specifier) || found.kind === 'url' || found.kind === 'reference'
    ? judgeFile(path, layer, specifier)
    : judgeModule(path, layer, specifier)
}

function judgeFile(path: string, layer: Layer, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  if (specifier.startsWith('/') || target.startsWith('..')) return `${specifier} lies outside src/`
  const from = topOf(path)
  const to = topOf(target)
  if (to === 'main.ts') return 'nothing imports main.ts'
  if (from !== to) {
    if (!layer.imports.includes(to)) return `${from} may not import ${to} (${specifier}). ${allowed(layer)}`
    return path.includes('/') ? (pastTheFace(to, target) ?? notForFolder(path, to, layer)) : undefined
  }
  if (layer.strangers === undefined) return undefined
  const ownFolder = folderInLayer(path)
  const otherFolder = folderInLayer(target)
  if (ownFolder === undefined || ownFolder === otherFolder) return undefined
  if (otherFolder !== undefined) return `${from}/${ownFolder} may not know ${from}/${otherFolder} (${specifier})`
  const { shared } = layer.strangers
  const file = target.slice(from.length + 1)
  return shared === undefined || shared.includes(file)
    ? undefined
    : `folders in ${from} share nothing but ${shared.join(', ')} (${specifier})`
}

/** `protocols/ac-mq/store/claims.ts` is the business of its own folder. */
function pastTheFace(to: string, target: string): string | undefined {
  const folder = folderInLayer(target)
  const isInside = layers[to]?.hasFaces && folder !== undefined && target !== `${to}/${folder}/index.ts`
  return isInside ? `${to}/${folder} is reached by its index.ts, not past it (${target})` : undefined
}

function notForFolder(path: string, to: string, { onlyFor }: Layer): string | undefined {
  const folder = folderInLayer(path)
  const allowed = onlyFor?.[to]
  if (allowed === undefined || folder === undefined || allowed.includes(folder)) return undefined
  return `${topOf(path)}/${folder} may not import ${to}: that is for the protocol's own folder`
}

function judgeModule(path: string, layer: Layer, specifier: string): string | undefined {
  const from = topOf(path)
  const builtin = builtinName(specifier)
  if (builtin !== undefined) {
    if (layer.builtins === 'all') return undefined
    if (layer.builtins === 'none') return `${from} imports nothing from outside itself (${specifier})`
    return isFileModule(builtin) ? `only engines import ${specifier}. Say it in the verbs of the tree` : undefined
  }
  const packageName = packageOf(specifier)
  if (layer.packages?.includes(packageName)) return undefined
  return `${from} may not import the package ${packageName}`
}

/** Follows the imports that run when the command line starts, and names those that load a package. */
function packagesAtColdStart(files: readonly File[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const ways = new Map([[coldStart, [coldStart]]])
  // The map grows while it is walked: each file is visited once, with the way that led to it first.
  return [...visit()]

  function* visit(): Generator<string> {
    for (const [path, way] of ways) {
      for (const { kind, line, specifier } of byPath.get(path)?.imports ?? []) {
        if (specifier === undefined || !['static', 'side-effect', 'export'].includes(kind)) continue
        if (isRelative(specifier)) {
          const target = posix.join(posix.dirname(path), specifier)
          if (!ways.has(target)) ways.set(target, [...way, target])
        } else if (builtinName(specifier) === undefined) {
          yield `src/${path}:${line}: ${packageOf(specifier)} is loaded at every start (${way.join(' → ')}). Import one of these on demand`
        }
      }
    }
  }
}

const isRelative = (specifier: string): boolean =>
  /^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..'

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

const topOf = (path: string): string => path.split('/')[0]!

/** `engines/memory/x.ts` → `memory`; `engines/x.ts` → `undefined`. */
const folderInLayer = (path: string): string | undefined => {
  const parts = path.split('/')
  return parts.length > 2 ? parts[1] : undefined
}

/** `node:fs` and `fs` → `fs`, `bun:ffi` and `bun` as they are; other packages → `undefined`. */
const builtinName = (specifier: string): string | undefined => {
  if (specifier.startsWith('node:')) return specifier.slice('node:'.length)
  return specifier === 'bun' || specifier.startsWith('bun:') || builtinModules.includes(specifier)
    ? specifier
    : undefined
}

const isFileModule = (builtin: string): boolean => /^(fs|fs\/promises|bun|bun:.*)$/.test(builtin)

const allowed = ({ imports }: Layer): string =>
  imports.length === 0 ? 'It imports nothing' : `It may import ${imports.join(', ')}`
