/**
 * Divides the program for Bun into parts, one file each: a cold command pays for every byte of bytecode that is read
 * with it, used or not. The first part holds what every command needs; each part after that, what the everyday commands
 * of one protocol need besides; the last, everything else. A part is loaded when something in it is first asked for.
 *
 * Every module lies in one part alone, so that nothing exists twice: a part takes modules of other parts from those, once they
 * are loaded.
 */
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const first = 'main'
const last = 'rest'

/**
 * What every command begins with, and what nearly all of them import on demand. With it comes all that it imports, up to what is
 * imported on demand.
 */
const mainBeginnings = [
  ...['src/main.ts', 'src/surfaces/cli/run.ts'],
  ...['outside.ts', 'index.ts', 'locks.ts', 'moving.ts'].map((file) => `src/engines/file-system/${file}`),
  ...['changes.ts', 'expected.ts', 'findings.ts'].map((file) => `src/messaging/inspection/${file}`),
  'src/operations/workspace/users-settings.ts',
]
/** What everyday commands import on demand and nearly always do, beside the store of their protocol and its ports. */
const demanded = {
  acmq: ['src/protocols/ac-mq/store/mission.ts', 'src/protocols/ac-mq/store/waiting/pending-cache.ts'],
  mr: ['src/protocols/message-routing/store/neutral.ts'],
}
/** Parts that are loaded on top of another one: what only some everyday commands need would slow every command down. */
const onTop = {
  sentences: {
    of: 'session',
    from: ['src/protocols/shared-agent/store/language.ts', 'src/operations/session/model.ts'],
  },
  // The verbs for every agent, who is at home in AC-MQ unless somebody says otherwise.
  verbs: {
    of: 'acmq',
    from: ['src/surfaces/cli/commands/neutral/verbs.ts', 'src/protocols/ac-mq/store/neutral.ts'],
  },
}
/** What a protocol imports on demand for the tour alone. */
const chapter = /\/chapter\.ts$/

/** Where a part finds the others at run time. */
const loaded = `globalThis[Symbol.for('signalbox.parts')]`

export const fileOf = (part) => `${part}-on-bun.js`

/**
 * The text of each part, by the name of its file. `esbuild` is that package's `build`, `options` what it needs to read our
 * sources, `everyday` for each protocol its own file and those with the faces of its everyday commands.
 */
export async function divide(esbuild, root, options, everyday) {
  const modules = await readModules(esbuild, root, options)
  // `doctor` asks every protocol where its messages lie, and so does a send to an agent that has not been seen.
  const beginnings = { [first]: [...mainBeginnings, ...Object.values(everyday).map(({ index }) => index)] }
  for (const [name, { index, faces }] of Object.entries(everyday)) {
    const opened = modules.get(index).onDemand.filter((path) => !chapter.test(path))
    const ports = `src/operations/${name}/ports.ts`
    beginnings[name] = [...faces, ...opened, ...(modules.has(ports) ? [ports] : []), ...(demanded[name] ?? [])]
  }
  const partOf = assignParts(modules, beginnings)
  const parts = [...Object.keys(beginnings), ...Object.keys(onTop), last]
  const texts = await Promise.all(
    parts.map(async (part) => {
      const plan = { part, root, modules, partOf }
      const { outputFiles } = await esbuild({
        ...options,
        entryPoints: ['part'],
        outfile: join(root, fileOf(part)),
        format: 'cjs',
        target: 'esnext',
        minify: true,
        plugins: [partPlugin(plan)],
      })
      return [fileOf(part), outputFiles[0].text]
    }),
  )
  return Object.fromEntries(texts)
}

/** Every module of the program: what it imports at once and on demand, and what it exports. */
async function readModules(esbuild, root, options) {
  const graph = async (entryPoints) =>
    (
      await esbuild({
        ...options,
        entryPoints,
        outdir: join(root, 'dist'),
        format: 'esm',
        splitting: true,
        metafile: true,
      })
    ).metafile
  const { inputs } = await graph([mainBeginnings[0]])
  const { outputs } = await graph(Object.keys(inputs))
  const names = new Map(
    Object.values(outputs).flatMap(({ entryPoint, exports }) => (entryPoint ? [[entryPoint, exports]] : [])),
  )
  const targets = (imports, kind) => imports.filter((one) => one.kind === kind && !one.external).map(({ path }) => path)
  return new Map(
    Object.entries(inputs).map(([path, { imports }]) => [
      path,
      {
        atOnce: targets(imports, 'import-statement'),
        onDemand: targets(imports, 'dynamic-import'),
        exports: names.get(path),
      },
    ]),
  )
}

/** What the first part needs, or two others, lies in the first. */
function assignParts(modules, beginnings) {
  const reachedFrom = (paths) => {
    const all = new Set(paths)
    for (const path of all) for (const next of modules.get(path).atOnce) all.add(next)
    return all
  }
  const reached = Object.entries(beginnings).map(([part, paths]) => ({ part, all: reachedFrom(paths) }))
  for (const [part, { of, from }] of Object.entries(onTop)) {
    const below = reached.find((one) => one.part === of)?.all ?? new Set()
    reached.push({ part, all: new Set([...reachedFrom(from)].filter((path) => !below.has(path))) })
  }
  const partOf = new Map()
  for (const path of modules.keys()) {
    const by = reached.filter(({ all }) => all.has(path)).map(({ part }) => part)
    partOf.set(path, by.includes(first) || by.length > 1 ? first : (by[0] ?? last))
  }
  return partOf
}

/** Makes esbuild put the modules of one part into one file, and take those of other parts from there. */
function partPlugin({ part, root, modules, partOf }) {
  return {
    name: 'part',
    setup(build) {
      build.onResolve({ filter: /^part$/ }, ({ path }) => ({ path, namespace: 'part' }))
      build.onLoad({ filter: /./, namespace: 'part' }, () => ({
        contents: entryOf(part, modules, partOf),
        resolveDir: root,
      }))
      build.onResolve({ filter: /^(\.\.?|@signalbox)\// }, ({ path, resolveDir, kind, namespace }) => {
        if (namespace !== 'file') return undefined
        const [scope, name] = path.split('/')
        const target = scope === '@signalbox' ? `packages/${name}/index.ts` : relative(root, resolve(resolveDir, path))
        if (partOf.get(target) === part && (kind !== 'dynamic-import' || part === last)) return undefined
        return { path: target, namespace: 'loaded' }
      })
      build.onLoad({ filter: /./, namespace: 'loaded' }, ({ path }) => ({
        contents: borrowed(path, part, modules, partOf),
      }))
      build.onResolve({ filter: /^\.\/.*-on-bun\.js$/, namespace: 'loaded' }, ({ path }) => ({ path, external: true }))
      build.onResolve({ filter: /^node:/ }, ({ path, namespace, kind }) =>
        namespace === 'file' && kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
      )
      build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
        contents: builtin(path, namesImported(path, root, modules)),
      }))
    },
  }
}

/**
 * Lends what other parts import; the first one then starts the program. Nearly all of an everyday part is used as soon as it
 * is loaded: its modules run one after the other, which takes less than a wrapper around each. Those of the last run when
 * another part imports them.
 */
function entryOf(part, modules, partOf) {
  const lent = new Set()
  for (const [path, { atOnce, onDemand }] of modules) {
    for (const next of atOnce) if (partOf.get(path) !== partOf.get(next)) lent.add(next)
    for (const next of onDemand) lent.add(next)
  }
  const own = [...lent].filter((path) => partOf.get(path) === part)
  if (part === last) {
    const entries = own.map((path) => `get ${JSON.stringify(path)}() { return require('./${path}') }`)
    return `;(${loaded}).${part} = { ${entries.join(', ')} }`
  }
  const imports = own.map((path, i) => `import * as m${i} from './${path}'`)
  const entries = own.map((path, i) => `${JSON.stringify(path)}: m${i}`)
  return [
    ...imports,
    `;(${loaded} ??= {}).${part} = { ${entries.join(', ')} }`,
    ...(part === first ? [`import './${mainBeginnings[0]}'`] : []),
  ].join('\n')
}

/** A module as it is in the part that holds it, which is loaded for it if need be. */
function borrowed(path, by, modules, partOf) {
  const part = partOf.get(path)
  const isThere = part === by || part === first
  return [
    `const parts = ${loaded}`,
    ...(isThere ? [] : [`if (parts.${part} === undefined) require('./${fileOf(part)}')`]),
    `export const { ${modules.get(path).exports.join(', ')} } = parts.${part}[${JSON.stringify(path)}]`,
  ].join('\n')
}

/** Taken as it is: the way that bundlers take it, with a getter for each of its names, costs a tenth of loading it. */
const builtin = (path, names) =>
  `const it = require(${JSON.stringify(path)}); export default it; export const { ${names.join(', ')} } = it`

function namesImported(builtinPath, root, modules) {
  const names = new Set()
  for (const path of modules.keys()) {
    for (const [, list, from] of readFileSync(join(root, path), 'utf8').matchAll(
      /^import \{([^}]*)\} from '([^']+)'/gm,
    )) {
      if (from !== builtinPath) continue
      for (const name of list.split(','))
        if (name.trim() && !name.includes('type ')) names.add(name.trim().split(' as ')[0])
    }
  }
  return [...names]
}
