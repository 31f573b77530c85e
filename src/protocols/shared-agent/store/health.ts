/** `#HEALTH`: how full, how old and how well a session is. Shared Agent Protocol §15. */
import { groupBy } from '../../../kernel/group-by.ts'
import { trafficPath } from '../layout.ts'
import type { Session } from '../record.ts'
import { exportAutomatically } from './context.ts'
import type { SessionParts } from './parts.ts'
import { type Handlers, type Speech, sittingOf, told } from './speech.ts'

const mostRead = 4 * 1024 * 1024
/** How many commands errors and times are counted over. */
const lastOnes = 10
const [advised, exported] = [0.8, 0.9]

export const healthHandlers: Handlers = {
  HEALTH: sessionHealth,
  'HEALTH:session': sessionHealth,

  async 'HEALTH:context'(speech) {
    const { parts } = speech
    const { tokens } = await trafficOf(speech)
    const used = `${inThousands(tokens)}/${inThousands(parts.settings.window)} tokens`
    const share = tokens / parts.settings.window
    if (share <= advised) return told(used)
    if (share <= exported) return told(used, 'advice: export context, then start new session')
    const { path, answer } = await exportAutomatically(speech)
    return told(used, 'auto-exporting...', `#CONTEXT:export:${path}:critical`, answer.lines[0]!)
  },
}

async function sessionHealth(speech: Speech) {
  const { parts, session } = speech
  const { settings } = parts
  const traffic = await trafficOf(speech)
  const now = await parts.tree.now()
  const reasons = reasonsForNew(parts, session, traffic)
  const keys = session.state.length
  return told(
    `• Context: ${inThousands(traffic.tokens)}/${inThousands(settings.window)} tokens (${percent(traffic.tokens, settings.window)})`,
    `• State: ${keys}/${settings.mostKeys} keys (${percent(keys, settings.mostKeys)})`,
    `• Errors: ${count(traffic.errors.slice(-lastOnes))} in last ${lastOnes} commands`,
    `• Uptime: ${spanOf(now - session.startedAt)}`,
    `• Status: ${reasons.length === 0 ? 'healthy' : `start new session (${reasons.join(', ')})`}`,
  )
}

interface Traffic {
  readonly tokens: number
  /** For each command, oldest first, whether it was an error. */
  readonly errors: readonly boolean[]
  /** How long each took, in milliseconds, by command; without commands whose time does not depend on the session. */
  readonly times: readonly (readonly number[])[]
}

async function trafficOf(speech: Speech): Promise<Traffic> {
  const leaf = await speech.parts.tree.read(trafficPath(sittingOf(speech)), { atMost: mostRead })
  return trafficIn(leaf ? Buffer.from(leaf.bytes).toString('latin1') : '')
}

/** A line a command: tokens, `!` for an error, milliseconds and which it was. Other lines were not written by us. */
function trafficIn(text: string): Traffic {
  const lines = text.split('\n').flatMap((line) => {
    const [, tokens, mark, ms, name = ''] = /^(\d{1,9}) ([.!])(?: (\d{1,9})(?: (\S{1,80}))?)?$/.exec(line) ?? []
    return tokens === undefined ? [] : [{ tokens: Number(tokens), isError: mark === '!', ms, name }]
  })
  const timed = groupBy(
    lines.filter(({ ms }) => ms !== undefined),
    ({ name }) => name,
  )
  return {
    tokens: lines.reduce((sum, one) => sum + one.tokens, 0),
    errors: lines.map(({ isError }) => isError),
    times: [...timed.values()].map((all) => all.map(({ ms }) => Number(ms))),
  }
}

/** §15, "When to Start New Session". */
function reasonsForNew({ settings }: SessionParts, session: Session, { tokens, errors, times }: Traffic): string[] {
  const [before, last] = [count(errors.slice(-2 * lastOnes, -lastOnes)), count(errors.slice(-lastOnes))]
  // Each command is compared with itself: some take longer than others from the start.
  const isSlower = times.some((all) => {
    const [first, last] = [median(all.slice(0, lastOnes)), median(all.slice(-lastOnes))]
    return all.length >= 2 * lastOnes && last > Math.max(50, 3 * first)
  })
  return [
    ...(tokens > advised * settings.window ? ['context'] : []),
    ...(session.state.length >= settings.mostKeys ? ['state keys'] : []),
    ...(last >= 3 && last > before ? ['errors'] : []),
    ...(isSlower ? ['performance'] : []),
    ...(session.phaseAt !== undefined && session.phaseAt >= session.startedAt ? ['phase'] : []),
  ]
}

const count = (flags: readonly boolean[]): number => flags.filter(Boolean).length
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)}%`
const inThousands = (tokens: number): string => (tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`)

/** `2h 15m`: its two largest units. */
function spanOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const [days, hours, left] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60]
  if (days > 0) return `${days}d ${hours}h`
  return hours > 0 ? `${hours}h ${left}m` : `${left}m`
}
