/** What `doctor` looks at, in order; each protocol looks after itself. */
import { SignalboxError } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import type { Finding } from '../tree/tree.ts'
import { clockDisagreement } from './clock-agreement.ts'
import type { Context } from './define.ts'
import { type AnyProtocol, protocols } from './protocols.ts'
import { defaultMessageFolders, isUsed, messageFolders } from './stores.ts'
import { configurationFile, schema, variablesOf } from './workspace/settings.ts'

export interface Check {
  readonly name: string
  /** When this one finds an error, the checks after it do not repair. */
  readonly decidesRepair?: boolean
  run(
    context: Context,
    options: { readonly repair: boolean; readonly assumeGone: boolean },
  ): Promise<readonly Finding[]>
}

const configuration: Check = {
  name: 'configuration',
  decidesRepair: true,
  async run(context) {
    try {
      await context.configuration()
      return []
    } catch (error) {
      const bad = asBadConfiguration(error)
      if (!bad) throw error
      return [
        {
          code: bad.code,
          severity: 'error',
          path: typeof bad.details.variable === 'string' ? bad.details.variable : configurationFile,
          message: bad.message,
          hint: bad.hint ?? `Correct ${configurationFile}.`,
          repaired: false,
        },
      ]
    }
  },
}

/** Variables that Signalbox reads besides those of the settings. */
const otherVariables = ['SIGNALBOX_ROOT', 'SIGNALBOX_CONFIG', 'SIGNALBOX_RUNTIME', 'SIGNALBOX_DEBUG']

const environment: Check = {
  name: 'environment',
  async run({ environment, root }) {
    const known = [...variablesOf(schema), ...otherVariables]
    const findings = Object.keys(environment)
      .filter((name) => name.startsWith('SIGNALBOX_') && !known.includes(name))
      .map((name) => {
        const meant = nearest(name, known)
        const hint = meant ? `Did you mean ${meant}?` : `Known: ${known.join(', ')}.`
        return warning('UNKNOWN_VARIABLE', name, `The environment variable ${name} means nothing to Signalbox.`, hint)
      })
    const named = environment.SIGNALBOX_ROOT
    if (named && !named.startsWith('/')) {
      // Agents that start in different directories would each have a workspace of their own, and never meet.
      const message = `SIGNALBOX_ROOT is relative (${named}): it means another directory wherever a command starts.`
      findings.push(warning('RELATIVE_ROOT', 'SIGNALBOX_ROOT', message, `Set it to a full path: ${root().path}`))
    }
    return findings
  },
}

const warning = (code: string, path: string, message: string, hint: string): Finding => ({
  code,
  severity: 'warning',
  path,
  message,
  hint,
  repaired: false,
})

const workspace: Check = {
  name: 'workspace',
  async run(context) {
    const { path, by } = context.root()
    if (by !== 'current' || (await isElsewhere(context))) return []
    return [
      {
        code: 'NO_WORKSPACE',
        severity: 'note',
        path,
        message: 'Neither this directory nor one above it is a workspace yet.',
        hint: 'Run `signalbox init` to make one, or name one with --root.',
        repaired: false,
      },
    ]
  },
}

/** A cluster can be worked with from anywhere, without a workspace here. */
async function isElsewhere(context: Context): Promise<boolean> {
  try {
    return (await context.configuration()).engine !== 'files'
  } catch (error) {
    if (asBadConfiguration(error)) return false
    throw error
  }
}

const engine: Check = {
  name: 'engine',
  async run(context, { repair, assumeGone }) {
    // Only where messages are: a root is often a whole repository, full of links that are none of our business.
    const isReadable = await canBeConfigured(context)
    const within = isReadable ? await messageFolders(context) : defaultMessageFolders()
    try {
      const options = { repair, assumeGone, within }
      return await (await context.tree({ recover: false })).inspect(options)
    } catch (error) {
      // The configuration check has told; look at the files all the same, with the defaults.
      if (!asBadConfiguration(error)) throw error
      const tree = await context.openTree(context.root().path)
      try {
        const options = { within }
        return await tree.inspect(options)
      } finally {
        await tree.close()
      }
    }
  },
}

/** A clock that is wrong among many: nobody but this machine can tell. */
const clock: Check = {
  name: 'clock',
  async run(context) {
    // Where there is no workspace there is nothing to agree with, and nothing is written to find out.
    if (context.root().by === 'current' && !(await isElsewhere(context))) return []
    if (!(await canBeConfigured(context))) return []
    const tree = await context.tree()
    const found = await clockDisagreement(context, tree)
    return found ? [warning('CLOCK_DISAGREES', tree.place, found.message, found.hint)] : []
  },
}

/** On a cluster there is nothing but leaves and folders. */
const ownHome: Check = {
  name: 'home',
  async run(context) {
    if (!(await canBeConfigured(context)) || (await isElsewhere(context))) return []
    return (await import('./doctor-home.ts')).inspectHome(await context.tree())
  },
}

/** Messages that cannot be read, claims that are half done, inboxes over their limit: what each protocol finds itself. */
const ofProtocol = (protocol: AnyProtocol): Check => ({
  name: protocol.title,
  async run(context, { repair }) {
    if (!(await canBeConfigured(context)) || !(await isUsed(context, protocol))) return []
    return (await (await context.store(protocol)).neutral()).inspect({ repair })
  },
})

/** False when the settings cannot be read, which the first check has told. */
async function canBeConfigured(context: Context): Promise<boolean> {
  try {
    await context.configuration()
    return true
  } catch (error) {
    if (asBadConfiguration(error)) return false
    throw error
  }
}

export const checks: readonly Check[] = [
  configuration,
  environment,
  workspace,
  engine,
  ownHome,
  clock,
  ...protocols.map(({ protocol }) => ofProtocol(protocol)),
]

const asBadConfiguration = (error: unknown): SignalboxError | undefined =>
  error instanceof SignalboxError && error.code === 'BAD_CONFIGURATION' ? error : undefined
