/** What `doctor` looks at, in order; each protocol looks after itself. */
import { call, inputs } from '../kernel/call.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { once } from '../kernel/once.ts'
import { AgentDirectory } from '../messaging/agents/directory.ts'
import { unlessFailed } from '../messaging/leaves/tolerant.ts'
import { type Finding, finding, type Tree } from '../tree/tree.ts'
import { clockDisagreement } from './clock-agreement.ts'
import type { Context } from './define.ts'
import { type AnyProtocol, allProtocols, protocols } from './protocols.ts'
import { defaultMessageFolders, isUsed, messageFolders, seenAnywhere, usedProtocols } from './stores.ts'
import { configurationFile, schema, variableOf, variablesOf } from './workspace/settings.ts'

export interface Check {
  readonly name: string
  /** When this one finds an error, the checks after it do not repair. */
  readonly decidesRepair?: boolean
  run(context: Context, options: { repair: boolean; assumeGone: boolean }): Promise<readonly Finding[]>
}

const configuration: Check = {
  name: 'configuration',
  decidesRepair: true,
  async run(context) {
    try {
      await context.configuration()
      return []
    } catch (error) {
      if (!isBadConfiguration(error)) throw error
      const { code, details, message, hint = `Correct ${configurationFile}.` } = error
      const path = typeof details.variable === 'string' ? details.variable : configurationFile
      return [finding('error', code, path, message, hint)]
    }
  },
}

/** Variables that Signalbox reads besides those of the settings. */
const otherVariables = ['SIGNALBOX_ROOT', 'SIGNALBOX_CONFIG', 'SIGNALBOX_RUNTIME', 'SIGNALBOX_DEBUG']

const environment: Check = {
  name: 'environment',
  async run({ environment, root }) {
    const known = [...(await variablesOf(schema)), ...otherVariables]
    const findings = Object.keys(environment)
      .filter((name) => name.startsWith('SIGNALBOX_') && !known.includes(name))
      .map((name) => {
        const meant = nearest(name, known)
        const hint = meant ? `Did you mean ${meant}?` : `Known: ${known.join(', ')}.`
        const message = `The environment variable ${name} means nothing to Signalbox.`
        return finding('warning', 'UNKNOWN_VARIABLE', name, message, hint)
      })
    const named = environment.SIGNALBOX_ROOT
    if (named && !named.startsWith('/')) {
      // Agents that start in different directories would each have a workspace of their own, and never meet.
      const message = `SIGNALBOX_ROOT is relative (${named}): it means another directory wherever a command starts.`
      const hint = `Set it to a full path: ${root().path}`
      findings.push(finding('warning', 'RELATIVE_ROOT', 'SIGNALBOX_ROOT', message, hint))
    }
    return findings
  },
}

const workspace: Check = {
  name: 'workspace',
  async run(context) {
    const { path, by } = context.root()
    if (by !== 'current' || (await isElsewhere(context))) return []
    const message = 'Neither this directory nor one above it is a workspace yet.'
    return [
      finding(
        'note',
        'NO_WORKSPACE',
        path,
        message,
        `Run ${call('init')} to make one, or name one with ${inputs({ root: null })}.`,
      ),
    ]
  },
}

const engine: Check = {
  name: 'engine',
  async run(context, { repair, assumeGone }) {
    // Only where messages are: a root is often a whole repository, with links of its own.
    const within = (await isReadable(context)) ? await messageFolders(context) : await defaultMessageFolders()
    const tree = await unlessBadConfiguration(() => context.tree({ recover: false }))
    if (tree) return tree.inspect({ repair, assumeGone, within })
    // The configuration check has told; look at the files all the same, with the defaults.
    const files = await context.openTree(context.root().path)
    try {
      return await files.inspect({ within })
    } finally {
      await files.close()
    }
  },
}

/** Only this machine can tell that its clock is the wrong one among many. */
const clock: Check = {
  name: 'clock',
  async run(context) {
    // Where there is no workspace there is nothing to agree with, and nothing is written to find out.
    if (context.root().by === 'current' && !(await isElsewhere(context))) return []
    if (!(await isReadable(context))) return []
    const tree = await context.tree()
    const found = await clockDisagreement(context, tree)
    return found ? [finding('warning', 'CLOCK_DISAGREES', tree.place, found.message, found.hint)] : []
  },
}

/** On a cluster there is nothing but leaves and folders. */
const ownHome: Check = {
  name: 'home',
  async run(context) {
    if (!(await isReadable(context)) || (await isElsewhere(context))) return []
    const judged = (await allProtocols()).flatMap(({ notes = [] }) => notes)
    return (await import('./doctor-home.ts')).inspectHome(await context.tree(), judged)
  },
}

/** A mistake in the file of an agent keeps messages from that agent, and from nobody else. */
const agents: Check = {
  name: 'agents',
  async run(context) {
    if (!(await isReadable(context))) return []
    const directory = new AgentDirectory(await context.tree())
    const names = protocols.map(({ name }) => name)
    const findings: Finding[] = []
    for (const agent of await directory.listedNames()) {
      try {
        await directory.listing(agent, names)
      } catch (error) {
        if (!(error instanceof SignalboxError) || error.code !== 'BAD_AGENT_FILE') throw error
        const { code, details, message, hint = 'Correct it.' } = error
        const path = String(details.path)
        findings.push(finding('warning', code, path, message.replace(`${path}, `, ''), hint))
      }
    }
    for (const path of await directory.unreadListings()) {
      const message = 'Files of agents are called NAME.yaml: this one is not read.'
      findings.push(finding('warning', 'BAD_AGENT_FILE', path, message, 'Rename it, or move it away.'))
    }
    return findings
  },
}

/** What dead agents hold is freed by whoever supervises; here too. */
const deadAgents: Check = {
  name: 'dead agents',
  async run(context, { repair }) {
    if (!(await isReadable(context)) || !(await hasDead(await context.tree()))) return []
    const { freeTheDead, heldByTheDead } = await import('../bridge/free-the-dead.ts')
    const bus = await (await import('./bus.ts')).busOf(context)
    const held = repair ? await freeTheDead(bus) : await heldByTheDead(bus)
    return held.map(({ agent, why, what }) => {
      const message = `${agent} holds ${what}, and is gone: ${why}.`
      return finding('warning', 'HELD_BY_THE_DEAD', agent, message, `Free it: ${call('doctor', { fix: true })}`, repair)
    })
  },
}

async function hasDead(tree: Tree): Promise<boolean> {
  for await (const _ of new AgentDirectory(tree).dead()) return true
  return false
}

/** What was written for agents that read another protocol goes nowhere unless a bridge runs. */
const bridge: Check = {
  name: 'bridge',
  async run(context) {
    if (!(await isReadable(context)) || !(await mayLiveElsewhere(context))) return []
    const bus = await (await import('./bus.ts')).busOf(context)
    const { isBridgeRunning } = await import('../bridge/bridge-lease.ts')
    if (await isBridgeRunning(bus.tree)) return []
    const { waitingForBridge } = await import('../bridge/carrying.ts')
    const findings: Finding[] = []
    for await (const { agent, home, title, count } of waitingForBridge(bus)) {
      const waits = count === 1 ? 'A message waits' : `${count} messages wait`
      const message = `${waits} for ${agent} in ${title}, and ${agent} is at home in ${home}; no bridge runs.`
      findings.push(finding('warning', 'WAITS_FOR_BRIDGE', agent, message, `Carry it there: ${call('bridge')}`))
    }
    return findings
  },
}

/** Agents have files, or sessions have roles: either can say where an agent is at home. */
async function mayLiveElsewhere(context: Context): Promise<boolean> {
  const roles = context.outside.resolve(context.root().path, '.signalbox/session.yaml')
  if (context.outside.kindOf(roles) !== undefined) return true
  return (await new AgentDirectory(await context.tree()).listedNames()).length > 0
}

/** A model that is set up only in part is never asked; this says why. */
const model: Check = {
  name: 'model',
  async run(context) {
    const set = await unlessBadConfiguration(async () =>
      (await context.configuration({ makeRoot: true })).section('models'),
    )
    if (!set) return []
    const { url, model, keyFile } = set
    const findings: Finding[] = []
    if ((url === undefined) !== (model === undefined)) {
      const [there, missing] = [url === undefined ? 'model' : 'url', url === undefined ? 'url' : 'model'].map((key) =>
        variableOf(key, 'models'),
      ) as [string, string]
      const message = `${there} is set and ${missing} is not, so no model is asked.`
      findings.push(finding('warning', 'MODEL_NOT_WHOLE', missing, message, `Set ${missing} too, or unset ${there}.`))
    }
    if (keyFile !== undefined && context.outside.kindOf(keyFile) !== 'file')
      findings.push(finding('warning', 'NO_MODEL_KEY', keyFile, 'There is no such file.', 'Write the key into it.'))
    else if (keyFile !== undefined && !context.outside.isPrivate(keyFile)) {
      const message = 'Others may read this file, so the key in it is not used.'
      findings.push(finding('warning', 'KEY_NOT_PRIVATE', keyFile, message, `Make it your own: chmod 600 '${keyFile}'`))
    }
    return findings
  },
}

/** Messages that cannot be read, claims that are half done, inboxes over their limit: what each protocol finds itself. */
const ofProtocol = (protocol: AnyProtocol): Check => ({
  name: protocol.title,
  async run(context, { repair }) {
    if (!(await isReadable(context)) || !(await isUsed(context, protocol))) return []
    return (await (await context.store(protocol)).neutral()).inspect({ repair, isSeen: whetherSeen(context) })
  },
})

/** Questions, and files that no person has decided on, for those who read `doctor` and not `human list`. */
const people: Check = {
  name: 'people',
  async run(context) {
    if (!(await isReadable(context))) return []
    const { waitingFiles } = await import('./human-quarantine.ts')
    const findings: Finding[] = []
    for await (const { protocol, neutral } of usedProtocols(context)) {
      const tree = await context.tree()
      let count = 0
      const countAll = async () => {
        for await (const _ of neutral.questions?.() ?? []) count++
        for await (const _ of waitingFiles(tree, protocol.name, neutral, () => {})) count++
      }
      // Files that cannot be read are reported by the protocol itself.
      await unlessFailed(countAll())
      if (count === 0) continue
      const message = `${count === 1 ? 'One thing waits' : `${count} things wait`} for a person.`
      const hint = `See what, and how to answer: ${call('human list')}`
      findings.push(finding('warning', 'WAITS_FOR_PERSON', protocol.title, message, hint))
    }
    return findings
  },
}

/** Whether an agent has been seen in any protocol. The protocols are asked once, at the first question. */
function whetherSeen(context: Context): (agent: string) => Promise<boolean> {
  const collect = async (): Promise<ReadonlySet<string>> => {
    const seen = new Set<string>()
    for await (const agent of seenAnywhere(context)) seen.add(agent.toLowerCase())
    return seen
  }
  // Where something cannot be read, which is a finding of its own, every agent counts as seen.
  const seen = once(() => unlessFailed(collect()))
  return async (agent) => (await seen())?.has(agent.toLowerCase()) ?? true
}

export const allChecks = async (): Promise<readonly Check[]> => [
  configuration,
  environment,
  workspace,
  engine,
  ownHome,
  agents,
  clock,
  model,
  ...(await Promise.all(protocols.map(({ load }) => load()))).map(ofProtocol),
  deadAgents,
  bridge,
  // Behind those that may set something aside.
  people,
]

/** What `ask` answers; `undefined` when the settings cannot be read, which the first check has told. */
export async function unlessBadConfiguration<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (isBadConfiguration(error)) return undefined
    throw error
  }
}

const isBadConfiguration = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && error.code === 'BAD_CONFIGURATION'

const configured = (context: Context) => unlessBadConfiguration(() => context.configuration())

const isReadable = async (context: Context): Promise<boolean> => (await configured(context)) !== undefined

/** A cluster can be worked with from anywhere, without a workspace here. */
const isElsewhere = async (context: Context): Promise<boolean> =>
  ((await configured(context))?.engine ?? 'files') !== 'files'
