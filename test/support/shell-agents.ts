/**
 * Agents that have nothing but a shell, one kind for each protocol: what they write by `printf` and `mv`, and what they read by
 * `cat`. The files of a session are documents of ours, so that agents at home there speak by `signalbox session say`.
 */
import { spawnSync } from 'node:child_process'
import { plainEnvironment } from '../scenarios/cli-program.ts'
import { expectDeclared } from './declared.ts'
import { runHere } from './in-process-cli.ts'
import { quickTempDir } from './temp.ts'

export const protocolNames = ['acmq', 'mr', 'circe', 'dream', 'session'] as const
export type ProtocolName = (typeof protocolNames)[number]

export interface Note {
  readonly from: string
  readonly to: string
  readonly text: string
  /** ISO 8601. */
  readonly deadline?: string
}

/** A message that an agent has taken: how it calls it, and all that `cat` showed of it. */
export interface TakenFile {
  readonly name: string
  readonly text: string
}

export interface ShellAgents {
  readonly home: string
  /** Whether an ask can say until when it must be answered. */
  readonly hasDeadlines: boolean
  ask(desk: Desk, note: Note): Promise<void>
  tell(desk: Desk, note: Note): Promise<void>
  /** Takes what waits for an agent; `undefined` when nothing does. */
  take(desk: Desk, agent: string): Promise<TakenFile | undefined>
  finish(desk: Desk, agent: string, asker: string, taken: TakenFile, result: string): Promise<void>
  fail(desk: Desk, agent: string, asker: string, taken: TakenFile, reason: string): Promise<void>
  /** Says how far it is, where agents can. */
  progress?(desk: Desk, agent: string, asker: string, taken: TakenFile, text: string): Promise<void>
  /** Everything that an agent finds in its own files and that others wrote to it. */
  read(desk: Desk, agent: string): Promise<string>
}

/** A workspace, a shell in it, and the command line, which runs in the process of the test. */
export class Desk {
  readonly root = quickTempDir()
  #count = 0

  next(): number {
    return ++this.#count
  }

  /** Runs a script. Its words are `$1` and so on. */
  sh(script: string, ...words: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('sh', ['-euc', script, 'sh', ...words], {
      cwd: this.root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
    if (status !== 0) throw new Error(`${script}\n${words.join(' ')}\n${stderr}`)
    return stdout
  }

  /** A whole file or none, as any program can write one. */
  put(folder: string, name: string, text: string): void {
    this.sh('mkdir -p "$1"; printf "%s" "$3" > "$1/.$2.tmp" && mv "$1/.$2.tmp" "$1/$2"', folder, name, text)
  }

  async signalbox(...words: readonly string[]): Promise<string> {
    const { exit, out, err } = await runHere({ words, cwd: this.root, env: plainEnvironment(), input: '' })
    if (exit !== 0) throw new Error(`signalbox ${words.join(' ')}: ${exit}\n${out}${err}`)
    return out
  }

  async json(...words: readonly string[]) {
    const output = JSON.parse(await this.signalbox(...words, '--json'))
    expectDeclared(words, output)
    return output
  }

  /** One pass, which must have had nothing to complain about. */
  async bridge(): Promise<{ carried: { from: string; to: string }[]; settled: { from: string; outcome: string }[] }> {
    const { carried, settled, notices } = await this.json('bridge', '--once')
    if (notices.length > 0) throw new Error(notices.join('\n'))
    return { carried, settled }
  }
}

export async function openDesk(homes: Readonly<Record<string, string>>): Promise<Desk> {
  const desk = new Desk()
  await desk.signalbox('init')
  await desk.signalbox('acmq', 'create-mission', 'shop')
  await desk.signalbox('session', 'start', 's1')
  for (const [name, home] of Object.entries(homes)) await desk.signalbox('agents', 'add', name, '--home', home)
  return desk
}

const now = (): string => new Date().toISOString()
const toTheSecond = (): string => now().replace(/\.\d+Z$/, 'Z')

const acmq: ShellAgents = {
  home: 'acmq:shop',
  hasDeadlines: true,
  async ask(desk, { deadline, ...note }) {
    putMission(desk, note, deadline === undefined ? undefined : { deadline })
  },
  async tell(desk, note) {
    putMission(desk, note, { kind: 'tell', needsAnswer: false })
  },
  async take(desk, agent) {
    const found = desk.sh(
      `cd llm/missions/shop/queue
for f in pending/*.md; do
  grep -qi "^to: $1$" "$f" 2>/dev/null || continue
  name=\${f#pending/}
  mv "$f" processing/
  sed 's/^status: .*/status: processing/' "processing/$name" > .taken.tmp && mv .taken.tmp "processing/$name"
  printf '%s\\n' "$name"; cat "processing/$name"; exit
done`,
      agent,
    )
    return takenIn(found)
  },
  async finish(desk, _agent, _asker, { name }, result) {
    endMission(desk, name, 'completed', `**Result**\n\n${result}`)
  },
  async fail(desk, _agent, _asker, { name }, reason) {
    endMission(desk, name, 'failed', `**Failure Report**\n\n${reason}`)
  },
  async read(desk, agent) {
    return desk.sh(
      `cd llm/missions/shop/queue
for f in completed/*.md failed/*.md; do ! grep -q "^from: $1$" "$f" 2>/dev/null || cat "$f"; done
for f in pending/*.md; do ! grep -q "^to: $1$" "$f" 2>/dev/null || cat "$f"; done`,
      agent,
    )
  },
}

function putMission(desk: Desk, { from, to, text }: Note, envelope?: object): void {
  const id = `note-${desk.next()}`
  const header = [
    '---',
    `id: ${id}`,
    `from: ${from}`,
    `to: ${to}`,
    'status: pending',
    ...(envelope ? [`envelope: '${JSON.stringify(envelope)}'`] : []),
    '---',
  ]
  desk.put('llm/missions/shop/queue/pending', `${id}.md`, `${[...header, text].join('\n')}\n`)
}

function endMission(desk: Desk, name: string, queue: 'completed' | 'failed', words: string): void {
  desk.sh(
    `cd llm/missions/shop/queue
{ sed "s/^status: .*/status: $2/" "processing/$1"; printf '\\n---\\n\\n%s\\n' "$3"; } > .ended.tmp
mv .ended.tmp "processing/$1"
mv "processing/$1" "$2/"`,
    name,
    queue,
    words,
  )
}

const mr: ShellAgents = {
  home: 'mr',
  hasDeadlines: true,
  async ask(desk, { text, deadline, ...note }) {
    const payload = { task: text, ...(deadline === undefined ? {} : { context: { deadline } }) }
    putRouted(desk, { ...note, type: 'task-delegation', payload })
  },
  async tell(desk, { text, ...note }) {
    putRouted(desk, { ...note, type: 'status-update', payload: { status: 'in_progress', message: text } })
  },
  // As programs in the field do: what was read is deleted.
  take: async (desk, agent) => readAndRemove(desk, `state/agents/${agent}/inbox`),
  async finish(desk, from, to, taken, result) {
    const payload = { status: 'success', message: result }
    putRouted(desk, { from, to, type: 'result', payload, correlation_id: idIn(taken, 'msg_id') })
  },
  async fail(desk, from, to, taken, reason) {
    const payload = { status: 'failure', issues: [reason] }
    putRouted(desk, { from, to, type: 'result', payload, correlation_id: idIn(taken, 'msg_id') })
  },
  async progress(desk, from, to, taken, text) {
    const payload = { status: 'in_progress', progress: 0.5, message: text }
    putRouted(desk, { from, to, type: 'status-update', payload, correlation_id: idIn(taken, 'msg_id') })
  },
  read: async (desk, agent) => desk.sh('cat "$1"/inbox/*.json 2>/dev/null || :', `state/agents/${agent}`),
}

export function putRouted(desk: Desk, { to, ...fields }: Readonly<Record<string, unknown>> & { to: string }): string {
  const n = desk.next()
  const msg_id = `msg_${n.toString(16).padStart(8, '0')}`
  const message = { version: '1.0.0', msg_id, to, timestamp: now(), sequence: n, ...fields }
  desk.put(`state/agents/${to}/inbox`, `${msg_id}.json`, JSON.stringify(message))
  return msg_id
}

const circe: ShellAgents = {
  home: 'circe',
  hasDeadlines: true,
  async ask(desk, { deadline, ...note }) {
    const due = deadline === undefined ? {} : { due: deadline }
    putMarkdown(desk, { ...note, intent: 'question', status: 'new', ...due })
  },
  async tell(desk, note) {
    putMarkdown(desk, { ...note, intent: 'inform', status: 'new' })
  },
  async take(desk, agent) {
    const found = desk.sh(
      `cd AI_MANAGER
for f in NEW_MESSAGES/*.md "AGENTS/$1/INBOX"/*.md; do
  grep -qi "^to: $1$" "$f" 2>/dev/null || continue
  case $f in NEW_MESSAGES/*) mv "$f" "AGENTS/$1/INBOX/";; esac
  printf '%s\\n' "\${f##*/}"; cat "AGENTS/$1/INBOX/\${f##*/}"; exit
done`,
      agent,
    )
    return takenIn(found)
  },
  async finish(desk, from, to, { name }, text) {
    putMarkdown(desk, { from, to, text, intent: 'answer', status: 'completed', in_reply_to: name })
    desk.sh('cd AI_MANAGER && mv "AGENTS/$1/INBOX/$2" LOGS/', from, name)
  },
  async fail(desk, from, to, { name }, text) {
    putMarkdown(desk, { from, to, text, intent: 'answer', status: 'failed', in_reply_to: name })
    desk.sh('cd AI_MANAGER && mv "AGENTS/$1/INBOX/$2" LOGS/', from, name)
  },
  async progress(desk, from, to, { name }, text) {
    putMarkdown(desk, { from, to, text, intent: 'status_update', status: 'in_progress', in_reply_to: name })
  },
  async read(desk, agent) {
    return desk.sh(
      `cd AI_MANAGER 2>/dev/null || exit 0
for f in NEW_MESSAGES/*.md AGENTS/"$1"/INBOX/*.md; do ! grep -qi "^to: $1$" "$f" 2>/dev/null || cat "$f"; done`,
      agent,
    )
  },
}

export function putMarkdown(
  desk: Desk,
  { from, to, text, intent, status, ...headers }: Note & Readonly<Record<string, string>>,
): string {
  const task = headers.task_id === undefined ? '' : `_${headers.task_id}`
  const name = `20260101_1200${String(desk.next()).padStart(2, '0')}_${from}-${to}_${intent!.replaceAll('_', '-')}${task}.md`
  const said = { from, to, intent, status, created_at: toTheSecond(), ...headers }
  const lines = Object.entries(said).map(([key, value]) => `${key}: ${value}`)
  desk.put('AI_MANAGER/NEW_MESSAGES', name, `# MESSAGE\n${lines.join('\n')}\n\n## Summary\n${text}\n`)
  return name
}

const dream: ShellAgents = {
  home: 'dream',
  hasDeadlines: true,
  async ask(desk, { from, to, text, deadline }) {
    const task_id = `task-${desk.next()}`
    const params = { text, ...(deadline === undefined ? {} : { signalbox: { deadline } }) }
    const task = {
      task_id,
      action: 'DO',
      params,
      source_id: from,
      target_agent: to,
      status: 'PENDING',
      timestamp: now(),
    }
    desk.put(`runtime/${to}/inbox`, `task_${task_id}.json`, JSON.stringify(task))
  },
  /** By its own outbox. */
  async tell(desk, { from, to, text }) {
    const message_id = `m-${desk.next()}`
    const message = { message_id, sender_agent_id: from, target_agent: to, timestamp_dispatched: now() }
    const whole = { ...message, command: 'MESSAGE', params: { text } }
    desk.put(`runtime/${from}/outbox`, `msg_${message_id}.json`, JSON.stringify(whole))
  },
  take: async (desk, agent) => readAndRemove(desk, `runtime/${agent}/inbox`),
  async finish(desk, from, to, taken, text) {
    putEvent(desk, from, to, 'TASK_COMPLETED', { task_id: idIn(taken, 'task_id'), results: { text } })
  },
  async fail(desk, from, to, taken, message) {
    putEvent(desk, from, to, 'TASK_FAILED', { task_id: idIn(taken, 'task_id'), error_details: { message } })
  },
  read: async (desk, agent) => desk.sh('cat "$1"/inbox/*.json 2>/dev/null || :', `runtime/${agent}`),
}

export function putEvent(desk: Desk, from: string, to: string, type: string, data: Readonly<Record<string, unknown>>) {
  const event = {
    type,
    source_id: from,
    target_id: to,
    data: { correlation_id: data.task_id, ...data, timestamp: now() },
  }
  desk.put(`runtime/${from}/outbox`, `event_${desk.next()}.json`, JSON.stringify(event))
}

const session: ShellAgents = {
  home: 'session:s1',
  hasDeadlines: false,
  async ask(desk, { from, to, text }) {
    await say(desk, from, `#DELEGATE:${to}:${text}`)
  },
  async tell(desk, { from, to, text }) {
    await say(desk, from, `#DIRECT:${to}:${text}`)
  },
  async take(desk, agent) {
    const { messages } = JSON.parse(await inboxOf(desk, agent))
    const [found] = messages as { about: string; kind: string; text: string; from: string }[]
    if (!found) return undefined
    // By this it has begun. What was taken back is refused.
    const isMine = await say(desk, agent, `#PROGRESS:${found.about}:started`).catch(() => undefined)
    return isMine === undefined ? undefined : { name: found.about, text: `${found.from} ${found.kind} ${found.text}` }
  },
  async finish(desk, agent, _asker, { name }, result) {
    await say(desk, agent, `#DONE:${name}:${result}`)
  },
  async fail(desk, agent, _asker, { name }, reason) {
    await say(desk, agent, `#FAIL:${name}:${reason}`)
  },
  async progress(desk, agent, _asker, { name }, text) {
    await say(desk, agent, `#PROGRESS:${name}:${text}`)
  },
  read: (desk, agent) => inboxOf(desk, agent),
}

export const say = (desk: Desk, agent: string, line: string): Promise<string> =>
  desk.signalbox('session', 'say', '--session', 's1', '--as', agent, line)

/** Nothing there is no failure. */
async function inboxOf(desk: Desk, agent: string): Promise<string> {
  const words = ['session', 'inbox', '--session', 's1', '--as', agent, '--json']
  const { out } = await runHere({ words, cwd: desk.root, env: plainEnvironment(), input: '' })
  return out
}

export const shellAgents: Readonly<Record<ProtocolName, ShellAgents>> = { acmq, mr, circe, dream, session }

function takenIn(found: string): TakenFile | undefined {
  const end = found.indexOf('\n')
  return end < 0 ? undefined : { name: found.slice(0, end), text: found.slice(end + 1) }
}

const readAndRemove = (desk: Desk, folder: string): TakenFile | undefined =>
  takenIn(
    desk.sh(
      'for f in "$1"/*.json; do [ -e "$f" ] || exit 0; printf "%s\\n" "$f"; cat "$f"; rm "$f"; exit; done',
      folder,
    ),
  )

/** What a message calls itself: as `sed` would find it. */
function idIn({ text }: TakenFile, field: string): string {
  const id = new RegExp(`"${field}": *"([^"]*)"`).exec(text)?.[1]
  if (id === undefined) throw new Error(`No ${field} in ${text}`)
  return id
}
