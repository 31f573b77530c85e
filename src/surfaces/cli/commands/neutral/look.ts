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
    ...ladder.map(({ stage, at, by, until, through, reader }): Row => {
      const facts = [
        at,
        by === undefined ? undefined : `by ${by}`,
        until && `until ${until}`,
        through && `through ${through}`,
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
  ({ agents }, screen) => (agents.length === 0 ? 'Nobody has been seen yet.\n' : agentGrid(agents, screen)),
  { aside: noticeLines },
)

const agentGrid = (agents: readonly Agent[], screen: Screen): string =>
  grid(
    agents,
    [
      { text: ({ name }) => name, colour: () => 'bold' },
      { text: ({ home }) => home },
      { text: ({ presence }) => presence },
      { text: ({ lastSeen }) => (lastSeen === undefined ? 'never seen' : `seen ${agoOf(lastSeen)} ago`) },
      {
        text: ({ inHand }) =>
          inHand.length === 0
            ? ''
            : `has ${inHand.slice(0, 2).map(shortHandle).join(', ')}${inHand.length > 2 ? ' …' : ''}`,
      },
      { text: ({ client, about }) => [client, about].filter((fact) => fact !== undefined).join(': ') },
    ],
    screen,
  )

const agoOf = (at: string): string => ageOf((Date.now() - Date.parse(at)) / 1000)

export const agentsShowFace = commandFace(
  agentsShow,
  ({ agent }, screen) => {
    const { name, home, client, about, presence, lastSeen, inHand, wake } = agent
    const rows: Row[] = [
      ['name', name],
      ['home', home],
      ...(client === undefined ? [] : [['client', client] as const]),
      ...(about === undefined ? [] : [['about', about] as const]),
      ['presence', presence],
      ['last seen', lastSeen ?? 'never'],
      ['in hand', inHand.length === 0 ? 'nothing' : inHand.map(shortHandle).join(', ')],
      ['can be woken', wake],
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

/** Twelve lines at most. */
export const nowFace = commandFace(
  now,
  (output, screen) => {
    if (output.outcome === 'none') return beginning
    const { agent, waiting, stuck, agents, people } = output
    const lines: string[] = []
    if (agent === undefined) lines.push('Say who you are to see what waits for you: signalbox now --as NAME\n')
    else if (waiting.length === 0) lines.push(`Nothing waits for ${printableLine(agent)}.\n`)
    else {
      lines.push(
        `${waiting.length} ${waiting.length === 1 ? 'waits' : 'wait'} for ${printableLine(agent)}: ${screen.next(`signalbox take --as ${shellWord(agent)}`)}\n`,
      )
      lines.push(...waiting.slice(0, 3).map((message) => `  ${messageLine(message, screen)}`))
    }
    for (const message of stuck.slice(0, 2))
      lines.push(
        `Stuck since ${message.claim?.until ?? message.createdAt}: ${handleOf(message)}, ${printableLine(message.claim?.by ?? message.to)} has it: ${screen.next(`signalbox why ${handleOf(message)}`)}\n`,
      )
    if (stuck.length > 2) lines.push(`… and ${stuck.length - 2} more stuck: ${screen.next('signalbox doctor')}\n`)
    const there = agents.filter(({ presence }) => presence !== 'gone' && presence !== 'unseen')
    const named = there.slice(0, 5).map(({ name, presence }) => `${printableLine(name)} (${presence})`)
    lines.push(
      there.length === 0
        ? 'Nobody is there.\n'
        : `There: ${named.join(', ')}${there.length > 5 ? ` and ${there.length - 5} more` : ''}: signalbox agents\n`,
    )
    if (people.length > 0)
      lines.push(
        `For a person: ${printableLine(people[0]!.summary.slice(0, 100))}: ${screen.next('signalbox human list')}\n`,
      )
    return lines.join('')
  },
  { aside: (output, screen) => ('notices' in output ? noticeLines({ notices: output.notices }, screen) : '') },
)

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
