/** A workspace as commands and the library see it: root, configuration and tree, each made at its first use. */
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { EmbedderPort } from '../../kernel/embedder.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { once } from '../../kernel/once.ts'
import type { Outside } from '../../kernel/outside.ts'
import type { Store } from '../../protocols/contract.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Environment } from '../define.ts'
import { type AnyProtocol, type ProtocolLine, type ProtocolName, protocols, type StoreOf } from '../protocols.ts'
import { type Configuration, readConfiguration } from './configuration.ts'
import { type ClusterHealth, type Engines, isCluster, unknownEngine } from './engine.ts'
import { checkRoot, findRoot, type Root } from './root.ts'

export interface WorkspaceOptions {
  /** As given on the command line or in code; they beat the environment and the file. */
  readonly flags: Readonly<Record<string, unknown>> & { readonly root?: string | undefined }
  readonly environment: Environment
  readonly outside: Outside
  readonly engines: Engines
  /** This process's own. One that is held, as tests do, counts as the tree's time too. */
  readonly clock: Clock
  /** A file that comes with the package, by its path in it; `undefined` where it is missing. */
  readonly packageFile?: ((path: string) => Uint8Array | undefined) | undefined
  /** No agent is seen for what is done here in its name: see `LazyWorkspace.forOthers`. */
  readonly isForOthers?: boolean
  /** See `Around`. */
  readonly startSelf?: ((words: readonly string[]) => Promise<void>) | undefined
}

export interface LazyWorkspace {
  root(): Root
  /** `makeRoot`: the root need not be there yet. */
  configuration(options?: { readonly makeRoot?: boolean }): Promise<Configuration>
  /** `recover: false` leaves what crashed processes left half-way to be looked at first; it counts for the first call. */
  tree(options?: { readonly makeRoot?: boolean; readonly recover?: boolean }): Promise<Tree>
  /** The same tree once more, by another clock; closed by the caller. */
  openAgain(clock: Clock): Promise<Tree>
  /** How the cluster is that keeps the tree; `undefined` when files do. */
  clusterHealth(): Promise<ClusterHealth | undefined>
  /** A protocol in this workspace, as it is configured. Always the same one; closed with the workspace. */
  store<P extends AnyProtocol>(protocol: P): Promise<StoreOf<P>>
  /** Where vectors of texts come from, as the user has set it. */
  meaning: EmbedderPort['meaning']
  /** A tree of plain files somewhere else, with the defaults; relative to the root. */
  openTree(folder: string, clock?: Clock): Promise<Tree>
  /** The workspace of plain files in another directory, as it is configured there; closed by the caller. */
  workspaceIn(directory: string): LazyWorkspace
  /** The same workspace once more, in which an agent is not seen for what is done in its name; closed by the caller. */
  forOthers(): LazyWorkspace
  /** Twice is fine. What is asked for afterwards is opened again. */
  close(): Promise<void>
}

export function lazyWorkspace(options: WorkspaceOptions): LazyWorkspace {
  const { flags, environment, outside, engines, clock, packageFile = () => undefined, startSelf } = options
  let root: Root | undefined
  let configuration: Promise<Configuration> | undefined
  let tree: Promise<Tree> | undefined

  const findOnce = () => (root ??= findRoot(flags.root, environment, outside))
  const readOnce = () => (configuration ??= readConfiguration({ root: findOnce().path, flags, environment, outside }))

  async function open(makeRoot: boolean, recover: boolean, by = clock): Promise<Tree> {
    const root = findOnce()
    checkRoot(root, outside, makeRoot)
    const configuration = await readOnce()
    const { engine: address, durability, permissions } = configuration
    const held = heldOnly(by)
    const openFiles = () =>
      engines.files({ root: root.path, mustExist: !makeRoot, durability, permissions, clock: held, recover })
    if (address === 'files') return openFiles()
    if (!isCluster(address)) throw unknownEngine(address)
    const opened = await engines.etcd({ ...(await server(configuration)), clock: held, address })
    try {
      // The settings of a workspace on a cluster lie in the directory, too.
      if (makeRoot && outside.kindOf(root.path) === undefined) await (await openFiles()).close()
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  const server = async (configuration: Configuration) =>
    (await import('./server.ts')).serverSettings(configuration, ownPlace())

  const ownPlace = () => ({ environment, outside, root: findOnce() })

  const openTree = (folder: string, by = clock): Promise<Tree> => {
    const root = outside.resolve(findOnce().path, folder)
    return engines.files({ root, mustExist: false, durability: 'process', permissions: 'owner', clock: heldOnly(by) })
  }

  const treeOnce = (makeRoot = false, recover = true) => (tree ??= openNamed(makeRoot, recover))

  async function openNamed(makeRoot: boolean, recover: boolean): Promise<Tree> {
    const opened = await open(makeRoot, recover)
    if (options.isForOthers) (await import('../../messaging/agents/directory.ts')).actForOthers(opened)
    return opened
  }

  const store = <P extends AnyProtocol>({ name }: P) => storeOnce(name) as Promise<StoreOf<P>>

  const place = () => ({ configuration: readOnce, tree: () => treeOnce(), store })

  const messagePlaces = async () => (await import('../stores.ts')).messagePlaces(place())

  const forOthers = () => lazyWorkspace({ ...options, isForOthers: true })

  // Files, whatever engine this process was told to use.
  const workspaceIn = (directory: string) => lazyWorkspace({ ...options, flags: { root: directory, engine: 'files' } })

  const messagePlacesIn = async (directory: string) => {
    const { defaultMessageFolders, messagePlaces } = await import('../stores.ts')
    const other = workspaceIn(directory)
    try {
      return await messagePlaces({ ...other, tree: () => other.tree({ recover: false }) })
    } catch (error) {
      // Its settings cannot be read, or it cannot be found: messages lie where they usually do.
      if (!(error instanceof SignalboxError)) throw error
      return await defaultMessageFolders()
    } finally {
      await other.close()
    }
  }

  /** On the same engine, also where a flag names it. */
  const startAgain =
    startSelf &&
    ((words: readonly string[]) =>
      startSelf(typeof flags.engine === 'string' ? [...words, '--engine', flags.engine] : words))

  const recently = async () => (await import('./recently.ts')).recently(() => treeOnce())

  const meaning = once(async () => {
    const models = await (await readOnce()).section('models')
    return (await import('../meaning.ts')).embedderPort({ packageFile, models, outside, recently })
  })

  const stores = new Map<string, Promise<Store>>()

  const storeOnce = (name: string): Promise<Store> => {
    const opened = stores.get(name) ?? openStore(name)
    stores.set(name, opened)
    return opened
  }

  async function openStore(name: string): Promise<Store> {
    const line = protocolLine(name)!
    const { section } = await readOnce()
    const protocol = await line.load()
    const settings = protocol.settingsFrom(await section(name as ProtocolName))
    const ports = await line.ports?.({
      ...ownPlace(),
      openTree,
      packageFile,
      messagePlaces,
      messagePlacesIn,
      forOthers: options.isForOthers ? undefined : forOthers,
      names: protocols.map(({ name }) => name),
      startSelf: startAgain,
      models: () => section('models'),
      recently,
    })
    return protocol.open({ ...ports, tree: await treeOnce(), clock, settings })
  }

  return {
    root: findOnce,
    async configuration({ makeRoot = false } = {}) {
      checkRoot(findOnce(), outside, makeRoot)
      return readOnce()
    },
    tree: ({ makeRoot, recover } = {}) => treeOnce(makeRoot, recover),
    store,
    meaning: async (which) => (await meaning()).meaning(which),
    async clusterHealth() {
      const configuration = await readOnce()
      const { engine: address } = configuration
      if (!isCluster(address)) return undefined
      return engines.etcdHealth({ ...(await server(configuration)), address })
    },
    openAgain: (by) => open(false, false, by),
    openTree,
    workspaceIn,
    forOthers,
    async close() {
      const [opening, treeOpening] = [[...stores.values()], tree]
      stores.clear()
      tree = undefined
      // What could not be opened has told its caller already; there is nothing to close.
      const opened = await Promise.all(opening.map((store) => store.catch(() => undefined)))
      for (const store of opened) await store?.close?.()
      await (await treeOpening?.catch(() => undefined))?.close()
    },
  }
}

const protocolLine = (name: string): ProtocolLine | undefined => protocols.find((line) => line.name === name)

/** The system's clock may be wrong, and a tree has its own time: only one that is held stands for it. */
const heldOnly = (clock: Clock): Clock | undefined => (clock === systemClock ? undefined : clock)
