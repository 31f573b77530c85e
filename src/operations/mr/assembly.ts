/**
 * Message Routing as a workspace is set to have it: the store, what measures it and what guards it. What few commands
 * need is loaded when it is needed.
 */
import type { Clock } from '../../kernel/clock.ts'
import { type TreePath, treePath } from '../../kernel/tree-path.ts'
import type { Hooks } from '../../protocols/message-routing/hooks.ts'
import type { Alert, Thresholds } from '../../protocols/message-routing/metrics/alerts.ts'
import { MetricsJournal } from '../../protocols/message-routing/metrics/journal.ts'
import { Recorder } from '../../protocols/message-routing/metrics/recorder.ts'
import type { KeyRing } from '../../protocols/message-routing/security/keys.ts'
import { Routing } from '../../protocols/message-routing/store/routing.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Configuration } from '../workspace/configuration.ts'
import { isGuarded, mrSettings, securitySettings, thresholdsOf } from './settings.ts'

export interface AssemblyParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly configuration: Configuration
  /** Opens a tree of files somewhere else, for keys. */
  readonly openTree: (folder: string) => Promise<Tree>
  /** The directory of the user's own in which they are. */
  readonly keysFolder: () => Promise<string>
}

export interface Assembly {
  readonly parts: AssemblyParts
  /** The folder of all agents. */
  readonly root: TreePath
  readonly routing: Routing
  readonly journal: MetricsJournal
  readonly thresholds: Thresholds
  keys(): Promise<KeyRing>
  /** Reading and answering with `compat` needs this first. */
  prepareCompat(): Promise<void>
  /** The alerts that were raised since somebody last asked. */
  takeAlerts(): readonly Alert[]
  /** Writes down what was measured. */
  flush(): Promise<void>
  close(): Promise<void>
}

const mostAlerts = 100

export function assemble(parts: AssemblyParts): Assembly {
  const { tree, clock, configuration } = parts
  const settings = mrSettings(configuration)
  const thresholds = thresholdsOf(configuration)
  const journal = new MetricsJournal(tree)
  let alerts: Alert[] = []
  const onAlert = (alert: Alert) => {
    // Programs that never ask for them must not pile them up.
    if (alerts.length >= mostAlerts) alerts.shift()
    alerts.push(alert)
  }
  const recorder = new Recorder({ journal, clock, thresholds, onAlert })

  const ring = once(async () => (await import('./key-ring.ts')).openKeyRing(parts))
  const keys = async () => (await ring.get()).keys
  const hooks: Hooks = {
    observe: (metric, value, agent) => recorder.observe(metric, value, agent),
    ...guardHooks(parts, keys),
  }
  const root = treePath(settings.root)
  return {
    parts,
    root,
    routing: new Routing({ tree, clock, settings, root, hooks }),
    journal,
    thresholds,
    keys,
    async prepareCompat() {
      const { convert, idOfStem, lowerAnswer } = await import('../../protocols/message-routing/compat.ts')
      hooks.convert ??= convert
      hooks.answers ??= { idOf: idOfStem, lower: lowerAnswer }
    },
    takeAlerts() {
      const taken = alerts
      alerts = []
      return taken
    },
    flush: () => recorder.close(),
    async close() {
      await recorder.close()
      await (await ring.made())?.close()
    },
  }
}

function guardHooks({ tree, configuration }: AssemblyParts, keys: () => Promise<KeyRing>): Hooks {
  const security = securitySettings(configuration)
  const { get } = once(async () => (await import('./guards.ts')).openGuards(tree, keys, security))
  if (!isGuarded(security)) {
    return {
      // Only what says that it is encrypted: it is opened whatever the settings are.
      open: async (incoming) =>
        'encrypted' in incoming.message.payload
          ? (await get()).open(incoming)
          : { outcome: 'opened', message: incoming.message },
    }
  }
  return {
    admit: async (from, to, now) => (await get()).admit(from, to, now),
    seal: async (outgoing) => (await get()).seal(outgoing),
    open: async (incoming) => (await get()).open(incoming),
    recover: async (agent, message) => (await get()).recover(agent, message),
    ...(security.signing === 'off'
      ? {}
      : {
          verify: async (agent, message) => (await get()).verify(agent, message),
          vouch: async (message) => (await get()).vouch(message),
        }),
  }
}

/** Made at the first call; `made` is what there is by then. */
function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | undefined
  return { get: () => (made ??= make()), made: () => made }
}
