/** The promises of sessions, checked after two processes have met. Shares no code with the store. */
import { again, agentOf } from './session-actor.ts'
import type { Ending, Said } from './story.ts'

interface Line {
  readonly n: number
  readonly by: string
  readonly did: string
  readonly about?: string
  readonly text?: string
  readonly to?: readonly string[]
}

const folder = '.signalbox/state/sessions/s'

export async function checkSessions({ answers, files }: Ending): Promise<string[]> {
  const broken: string[] = []
  for (const { who, verb, defect } of answers)
    if (defect !== undefined) broken.push(`${who} ended ${verb} with a defect: ${defect}`)
  const hidden = files.filter(({ path }) => path.includes('/.own-')).map(({ path }) => path)
  if (hidden.length > 0) broken.push(`a private name is left though nobody is at work: ${hidden.join(', ')}`)

  const textAt = (path: string) => files.find((one) => one.path === path)?.text
  const document = textAt(`${folder}/session.json`)
  if (document === undefined) return [...broken, 'the session is gone']
  const session = JSON.parse(document)
  const pages = files.filter(({ path }) => path.startsWith(`${folder}/log/`)).sort((a, b) => (a.path < b.path ? -1 : 1))
  const paged = pages.flatMap(({ text }) => JSON.parse(text) as Line[])
  const firstKept = session.log[0]?.n ?? session.changes + 1
  const log: Line[] = [...paged.filter(({ n }) => n < firstKept), ...session.log]
  const isWhole = log.length === session.changes && log.every(({ n }, i) => n === i + 1)
  if (!isWhole) broken.push(`the log has the numbers ${log.map(({ n }) => n).join(' ')} of ${session.changes}`)

  const said = (line: string, outcome?: string) =>
    answers.filter(
      (one) => one.verb === 'say' && one.line === line && (outcome === undefined || one.outcome === outcome),
    )
  for (const agent of Object.values(agentOf)) {
    const saves = said(`#STATE:save:${agent}:1:persistent`, `saved:${agent}`).length
    const isKept = session.state.some((one: { key: string }) => one.key === agent)
    if (saves > 0 && !isKept) broken.push(`what ${agent} saved is lost`)
    const sent = said(`#BROADCAST:news:from ${agent}`).filter(({ outcome }) => outcome.startsWith('sent:')).length
    const lines = log.filter(({ did, by }) => did === 'BROADCAST' && by === agent).length
    if (lines < sent) broken.push(`a broadcast of ${agent} is not in the log`)
  }
  broken.push(...readTwice(answers, log, session), ...takenTwice(answers), ...heldTwice(answers))
  broken.push(...carriedTwice(session.tasks, log, files))
  return broken
}

interface Routed {
  readonly msg_id: string
  readonly correlation_id?: string
  readonly payload: { readonly task?: string }
}

interface Carried {
  readonly id: string
  readonly agent: string
  readonly task: string
  readonly state: string
}

interface Note {
  readonly original: string
  readonly copy?: string
  readonly state: string
}

/** Each time that a task is carried gives one message, each result is written down once, and the answer is then read. */
function carriedTwice(tasks: readonly Carried[], log: readonly Line[], files: Ending['files']): string[] {
  const broken: string[] = []
  const routed = files.filter(({ path }) => /^state\/agents\/[^/]+\/(inbox|taken)\/[^/]+\.json$/.test(path))
  const messages = routed.map(({ path, text }) => ({ path, ...(JSON.parse(text) as Routed) }))
  const noted = files.filter(({ path }) => path.startsWith('.signalbox/state/bridge/notes/'))
  const notes = noted.map(({ text }) => JSON.parse(text) as Note)
  for (const { id, agent, task, state } of tasks) {
    if (agent !== 'Carried') continue
    const same = tasks.filter((other) => other.task === task).map((other) => `session:s:${other.id}`)
    const carried = notes.filter(({ original }) => same.includes(original))
    const sent = messages.filter(({ payload }) => payload.task === task).length
    if (sent > carried.length) broken.push(`${id} was sent ${sent} times and carried ${carried.length} times`)
    for (const { copy } of carried)
      if (copy !== undefined && !messages.some(({ msg_id }) => copy === `mr:${msg_id}`))
        broken.push(`the message of ${id} is not there`)
    const results = log.filter(({ did, about }) => did === 'DONE' && about === id).length
    if (results > 1) broken.push(`${id} has ${results} results`)
    const isAnswer = ({ path, correlation_id }: (typeof messages)[number]) =>
      path.includes('/inbox/') && carried.some(({ copy }) => copy === `mr:${correlation_id}`)
    const isOver = carried.length === 1 && carried[0]!.state === 'over'
    if (state === 'completed' && isOver && messages.some(isAnswer)) broken.push(`the answer to ${id} is not read`)
    const isStuck = state === 'in_progress' && !carried.some((one) => one.state === 'away')
    if (isStuck) broken.push(`${id} is on its way, and no bridge knows of it`)
  }
  return broken
}

interface Marks {
  readonly read: readonly (readonly [string, number])[]
  readonly mailboxes?: readonly {
    readonly agent: string
    readonly upTo: number
    readonly taken: readonly { readonly n: number; readonly state: string }[]
  }[]
}

/** Each message is handed out once, or marked as given again; what was handed out to nobody still waits. */
function readTwice(answers: readonly Said[], log: readonly Line[], { read, mailboxes = [] }: Marks): string[] {
  const handed = answers.flatMap(({ texts }) => (texts ?? []) as string[])
  const box = mailboxes.find(({ agent }) => agent === 'Reader')
  const mark = Math.max(read.find(([agent]) => agent === 'Reader')?.[1] ?? 0, box?.upTo ?? 0)
  const isWaiting = ({ n }: Line) => n > mark && !box?.taken.some((one) => one.n === n && one.state === 'read')
  const mail = log.filter(({ to }) => to?.includes('Reader'))
  const broken: string[] = []
  for (const text of new Set([
    ...handed.map((one) => one.replace(again, '')),
    ...mail.map((line) => line.text ?? ''),
  ])) {
    const sent = mail.filter((line) => (line.text ?? '') === text)
    const got = handed.filter((one) => one === text).length
    const repeated = handed.filter((one) => one === `${text}${again}`).length
    const waiting = sent.filter(isWaiting).length
    const told = `${text} was sent ${sent.length} times, handed out ${got} times and ${repeated} times again; ${waiting} wait`
    if (got + waiting > sent.length || got + repeated + waiting < sent.length) broken.push(told)
  }
  return broken
}

function takenTwice(answers: readonly Said[]): string[] {
  const taken = answers.flatMap(({ verb, outcome, id, attempt }) =>
    verb === 'take' && outcome === 'taken' ? [`${id} ${attempt}`] : [],
  )
  return taken.filter((one, i) => taken.indexOf(one) !== i).map((one) => `${one} was taken twice`)
}

/** Two who both got the lock, with nothing between that releases it. */
function heldTwice(answers: readonly Said[]): string[] {
  const isHeld = ({ verb, line, outcome }: Said) =>
    verb === 'say' &&
    ((line === '#LOCK:r:600' && outcome === 'locked') || (line === '#WAIT:lock=r:0' && outcome === 'ready'))
  const isFreed = ({ verb, line, outcome }: Said) =>
    (verb === 'say' && String(line).startsWith('#UNLOCK:r') && outcome === 'unlocked') || verb === 'end'
  const owners = new Set(answers.filter(isHeld).map(({ agent }) => agent))
  return owners.size > 1 && !answers.some(isFreed) ? [`${[...owners].join(' and ')} both hold the lock`] : []
}
