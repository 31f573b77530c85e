/** The commands that show what is known of messages and agents, in all protocols. */
import { printableLine } from '../../../../kernel/printable.ts'
import { agentsAdd, agentsList, agentsRemove, agentsShow } from '../../../../operations/neutral/agents.ts'
import { lock, locks, unlock } from '../../../../operations/neutral/locks.ts'
import { show, thread, why } from '../../../../operations/neutral/look.ts'
import { now } from '../../../../operations/neutral/now.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { ageOf, handleOf, messageLine, noticeLines, shortHandle } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import { shellWord } from '../../spelling.ts'
import type { Screen } from '../../terminal.ts'

export const showFace = commandFace(show, ({ message, ladder }, screen) => {
  const rows: Row[] = [
    ['handle', message.handle],
    ['from', message.from],
    ['to', message.to],
    ['kind', message.kind],
    ['state', `${message.state} (${message.protocol})`],
    ['summary', message.summary],
    ...ladder.map(({ stage, at, by, until, through, reader, in: copy }): Row => {
      const facts = [
        at,
        by === undefined ? undefined : `by ${by}`,
        until && `until ${until}`,
        through && `through ${through}`,
        copy && `as ${shortHandle(copy)}`,
      ]
      return [
        reader === undefined ? stage : `${stage} (${reader})`,
        facts.filter((fact) => fact !== undefined).join(' '),
      ]
    }),
  ]
  return `${fieldList(rows, screen)}${quotation(message.text, message.from, screen, message.path)}`
})

export const threadFace = commandFace(thread, ({ messages, owed }, screen) => {
  const lines = messages.map((message) => messageLine(message, screen)).join('')
  const debts = owed.map(
    ({ by, to, handle }) => `${printableLine(by)} owes ${printableLine(to)} an answer to ${shortHandle(handle)}.\n`,
  )
  return `${lines}${debts.join('')}`
})

export const whyFace = commandFace(why, ({ why, next }, screen) =>
  next === undefined
    ? `${printableLine(shortHandle(why))}\n`
    : `${printableLine(shortHandle(why))} ${screen.paint('dim', 'next:')} ${screen.next(printableLine(shortHandle(next)))}\n`,
)

type Agent = Awaited<ReturnType<typeof agentsList.invoke>>['agents'][number]

export const agentsListFace = commandFace(
  agentsList,
  ({ agents }, screen) =>
    agents.length === 0
      ? 'Nobody has been seen yet.\n'
      : `${agentGrid(agents, screen)}None can be woken from here yet: each looks for itself, as by ${screen.next('signalbox take --wait 600')}\n`,
  { aside: noticeLines },
)

const agentGrid = (agents: readonly Agent[], screen: Screen): string =>
  grid(
    agents,
    [
      { text: ({ name }) => name, colour: () => 'bold' },
      { text: ({ home }) => home },
      { text: ({ presence, doing }) => (doing === undefined ? presence : `${presence}: ${doing}`) },
      { text: ({ lastSeen }) => (lastSeen === undefined ? 'never seen' : `seen ${agoOf(lastSeen)} ago`) },
      { text: ({ inHand }) => someOf('has', inHand.map(shortHandle)) },
      { text: ({ locks }) => someOf('locks', locks) },
      { text: ({ client, about }) => [client, about].filter((fact) => fact !== undefined).join(': ') },
    ],
    screen,
  )

const someOf = (word: string, all: readonly string[]): string =>
  all.length === 0 ? '' : `${word} ${all.slice(0, 2).join(', ')}${all.length > 2 ? ` and ${all.length - 2} more` : ''}`

const agoOf = (at: string): string => ageOf((Date.now() - Date.parse(at)) / 1000)

export const agentsShowFace = commandFace(
  agentsShow,
  ({ agent }, screen) => {
    const { name, home, client, about, presence, since, doing, session, lastSeen, inHand, locks } = agent
    const rows: Row[] = [
      ['name', name],
      ['home', home],
      ...(client === undefined ? [] : [['client', client] as const]),
      ...(about === undefined ? [] : [['about', about] as const]),
      ['presence', since === undefined ? presence : `${presence} since ${since}`],
      ...(doing === undefined ? [] : [['doing', doing] as const]),
      ...(session === undefined ? [] : [['session', session] as const]),
      ['last seen', lastSeen ?? 'never'],
      ['in hand', inHand.length === 0 ? 'nothing' : inHand.map(shortHandle).join(', ')],
      ['locks', locks.length === 0 ? 'nothing' : locks.join(', ')],
      ['can be woken', 'no: nothing can be yet; it looks for itself, as by signalbox take --wait 600'],
    ]
    return fieldList(rows, screen)
  },
  { aside: noticeLines },
)

export const agentsAddFace = commandFace(agentsAdd, ({ outcome, name, home, path }) => {
  const did = { added: 'Added', changed: 'Changed', unchanged: 'Known already:' }[outcome]
  return `${did} ${printableLine(name)}${home === undefined ? '' : `, at home in ${printableLine(home)}`}: ${path}\n`
})

export const agentsRemoveFace = commandFace(agentsRemove, ({ outcome, path }) =>
  outcome === 'removed' ? `Removed ${path}\n` : `There is no ${path}\n`,
)

/** Twelve lines at most, notes included, each with the command that comes next. */
export const nowFace = commandFace(
  now,
  (output, screen) => {
    if (output.outcome === 'none') return beginning
    const { waiting, stuck, people } = output
    return [
      ...waitingLines(output, screen),
      ...stuck.slice(0, 2).map((message) => stuckLine(message, screen)),
      ...(stuck.length > 2 ? [`… and ${manyOf(stuck, 2)} more stuck: ${screen.next('signalbox doctor')}\n`] : []),
      whoIsThere(output, screen),
      ...(people.length > 0 ? [peopleLine(people, screen)] : []),
      ...(waiting.length + stuck.length + people.length === 0 && output.agents.length === 0
        ? [`Send something: ${screen.next('signalbox send --to AGENT --body TEXT')}\n`]
        : []),
    ].join('')
  },
  {
    aside: (output, screen) => {
      if (!('notices' in output)) return ''
      const [first, ...others] = output.notices
      const more = others.length === 0 ? [] : [`${others.length} more are out of order: signalbox doctor`]
      return first === undefined ? '' : noticeLines({ notices: [first, ...more] }, screen)
    },
  },
)

type Now = Extract<Awaited<ReturnType<typeof now.invoke>>, { readonly outcome: 'shown' }>

/** Lists in the answer are this long at most. */
const mostCounted = 100
/** How many there are, but for those that were shown. */
const manyOf = ({ length }: readonly unknown[], shown = 0): string =>
  `${length - shown}${length >= mostCounted ? ' or more' : ''}`

function waitingLines({ agent, waiting }: Now, screen: Screen): string[] {
  if (agent === undefined)
    return [`Say who you are to see what waits for you: ${screen.next('signalbox now --as NAME')}\n`]
  const as = `--as ${shellWord(agent)}`
  if (waiting.length === 0)
    return [`Nothing waits for ${printableLine(agent)}. To wait: ${screen.next(`signalbox take ${as} --wait 600`)}\n`]
  const many = `${manyOf(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for ${printableLine(agent)}`
  return [
    `${many}: ${screen.next(`signalbox take ${as}`)}\n`,
    ...waiting.slice(0, 3).map((message) => `  ${messageLine(message, screen)}`),
    ...(waiting.length > 3 ? [`  … and ${manyOf(waiting, 3)} more: ${screen.next(`signalbox inbox ${as}`)}\n`] : []),
  ]
}

const stuckLine = (message: Now['stuck'][number], screen: Screen): string => {
  const holder = printableLine(message.claim?.by ?? message.to)
  return `Stuck since ${message.since}: ${handleOf(message)}, ${holder} has it: ${screen.next(`signalbox why ${handleOf(message)}`)}\n`
}

/** An agent that has been silent for longer is not named here. */
const thereMs = 24 * 3600_000

function whoIsThere({ agents, at }: Now, screen: Screen): string {
  const order = ['stuck', 'busy', 'online', 'idle']
  const there = agents
    .filter(({ presence, lastSeen }) => {
      const isRecent = lastSeen !== undefined && Date.parse(at) - Date.parse(lastSeen) <= thereMs
      return order.includes(presence) && (isRecent || presence !== 'idle')
    })
    .sort((a, b) => order.indexOf(a.presence) - order.indexOf(b.presence))
  if (there.length === 0) return `Nobody is there: ${screen.next('signalbox agents')}\n`
  const named = there.slice(0, 4).map(({ name, presence, doing, inHand }) => {
    const what = doing ?? (inHand[0] === undefined ? undefined : shortHandle(inHand[0]))
    return `${printableLine(name)} (${presence}${what === undefined ? '' : `: ${printableLine(what.slice(0, 60))}`})`
  })
  const more = there.length > 4 ? ` and ${there.length - 4} more` : ''
  return `There: ${named.join(', ')}${more}: ${screen.next('signalbox agents')}\n`
}

function peopleLine(people: Now['people'], screen: Screen): string {
  const [first] = people
  const more = people.length > 1 ? ` (and ${manyOf(people, 1)} more)` : ''
  return `For a person: ${printableLine(first!.summary.slice(0, 100))}${more}: ${screen.next('signalbox human list')}\n`
}

const beginning = `Signalbox is a message bus for coding agents: plain files are the only truth. There is no workspace here yet.
  signalbox init                                       make one
  signalbox send --to gemini --body "Design the schema"
  signalbox take --as gemini                           as the other agent
  signalbox demo                                       a tour
  signalbox --help                                     every command
`

type Lock = Awaited<ReturnType<typeof locks.invoke>>['locks'][number]

const lockLine = ({ glob, owner, until, reason, session }: Lock): string => {
  const why = reason === undefined ? '' : `: ${printableLine(reason)}`
  const where = session === undefined ? '' : ` in session ${printableLine(session)}`
  return `${printableLine(glob)} ${printableLine(owner)}${where} until ${until}${why}\n`
}

export const lockFace = commandFace(
  lock,
  ({ outcome, lock }) => `${outcome === 'busy' ? 'Busy:' : 'Locked'} ${lockLine(lock)}`,
)

export const unlockFace = commandFace(unlock, ({ outcome, glob }) =>
  outcome === 'unlocked' ? `Unlocked ${printableLine(glob)}\n` : `${printableLine(glob)} is not locked.\n`,
)

export const locksFace = commandFace(locks, ({ locks }) =>
  locks.length === 0 ? 'Nothing is locked.\n' : locks.map(lockLine).join(''),
)
