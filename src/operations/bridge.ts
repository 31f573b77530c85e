import type { Carrier, Pass } from '../bridge/carrying.ts'
import { flag } from '../kernel/field.ts'
import { busOf } from './bus.ts'
import { type Context, defineOperation } from './define.ts'
import { lastOf, Rounds, Watches } from './rounds.ts'
import { carried, notices, settled } from './shapes.ts'

/** Nothing tells that a claim has run out, or that a folder was missed, so look now and then. In milliseconds. */
const longestRest = 30_000

const passed = {
  carried,
  settled,
  notices,
  'passes?': 'integer',
} as const

export interface Carried extends Omit<Pass, 'nextAt'> {
  readonly outcome: 'carried' | 'nothing'
  /** How often it looked, if it stayed. */
  readonly passes?: number
}

export const bridge = defineOperation({
  name: 'bridge',
  summary: 'Carry messages to agents that read another protocol, and bring back what comes of them.',
  more:
    'A message that was written in one protocol for an agent at home in another (`agents list`) is taken there, and a copy is ' +
    'sent in the format and to the place that the agent reads. What comes of the copy ends the original in its own way. Several ' +
    'bridges at once carry each message once. Without --once it stays, woken by what happens, until it is stopped.',
  input: { once: flag('One pass, then end.') },
  lists: { carried: 'last', settled: 'last' },
  outcomes: { carried: 'done', nothing: 'done' },
  output: { carried: passed, nothing: passed },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'bridge', does: 'stay, and carry as things happen' },
    { command: 'bridge --once', does: 'one pass, for cron or an agent' },
  ],

  async run(context) {
    const own = context.forOthers()
    try {
      return told(await (await carrier()).pass(await busOf(own)))
    } finally {
      await own.close()
    }
  },

  stream: (context, { once }) => (once ? undefined : carryOn(context)),
})

const carrier = async (): Promise<typeof Carrier> => (await import('../bridge/carrying.ts')).Carrier

const told = ({ nextAt: _, ...pass }: Pass): Carried => ({
  outcome: pass.carried.length + pass.settled.length > 0 ? 'carried' : 'nothing',
  ...pass,
})

/** Gives each pass that has done something. */
async function* carryOn(context: Context): AsyncGenerator<Carried, Carried> {
  const own = context.forOthers()
  const { Carrier, carryingFolders } = await import('../bridge/carrying.ts')
  const { holdBridge } = await import('../bridge/bridge-lease.ts')
  const rounds = new Rounds(context)
  const tree = await own.tree()
  const watches = new Watches(tree, () => rounds.ring())
  const lease = await holdBridge(tree)
  let all: Carried = { outcome: 'nothing', carried: [], settled: [], notices: [] }
  let passes = 0
  let known: ReadonlySet<string> = new Set()
  context.report.tell({ as: 'text', text: 'Carrying messages between protocols. Stop with Ctrl-C.' })
  try {
    yield* rounds.repeat(async () => {
      const bus = await busOf(own)
      await rounds.attempt(async () => watches.keep(await carryingFolders(bus)))
      const pass = await rounds.attempt(() => Carrier.pass(bus))
      await rounds.attempt(() => lease.renew())
      const happened: Carried[] = []
      if (pass) {
        passes++
        const news = told({ ...pass, notices: pass.notices.filter((one) => !known.has(one)) })
        known = new Set(pass.notices)
        if (news.outcome === 'carried' || news.notices.length > 0) happened.push(news)
        all = joined(all, news)
      }
      const dueIn = pass?.nextAt === undefined ? longestRest : pass.nextAt - (await tree.now())
      return { least: 0, most: Math.max(0, Math.min(longestRest, dueIn)), happened }
    })
  } finally {
    watches.keep([])
    await lease.release()
    await own.close()
  }
  return { ...all, passes }
}

const joined = (all: Carried, pass: Carried): Carried => ({
  outcome: pass.outcome === 'carried' ? 'carried' : all.outcome,
  carried: lastOf(all.carried, pass.carried),
  settled: lastOf(all.settled, pass.settled),
  notices: [...new Set(lastOf(all.notices, pass.notices))],
})
