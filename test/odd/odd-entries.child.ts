/**
 * Puts something odd (a folder, file, link, pipe or socket) where a file or folder belongs, one place and one kind after
 * the other, and runs commands there. It says on a line of its own what it is about to do, so that whoever started it
 * notices a command that hangs, and prints each broken promise:
 *
 *   no exit status but those of an answer or of an error that somebody can act on;
 *   a command that fails has moved no message, one that takes messages hands all of them out;
 *   nothing outside the root changes, and `doctor` tells of it;
 *   once the odd entry is gone, every message is in one place and all that wait are handed out.
 *
 *   odd-entries.child SCRATCH [WORD]     only places whose path contains the word
 */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import { basename, dirname, join } from 'node:path'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import * as outside from '../../src/engines/file-system/outside.ts'
import { runCommandLine } from '../../src/surfaces/cli/run.ts'
import { kindsOf, type OddKind, type Place, placesIn } from './places.ts'

const [, , scratch = '', word = ''] = process.argv
const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
const noTerminal = { isTerminal: false, columns: 80 }
const variables = { SIGNALBOX_MR_INBOX_LIMIT: '4', SIGNALBOX_MR_MESSAGES_PER_MINUTE: '100000' }

interface Told {
  readonly id: string
  readonly msg_id: string
}
/** What the commands print, as far as it is looked at. */
interface Output {
  readonly outcome: string
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string }
  readonly message: Told
  readonly messages: readonly Told[]
  readonly findings: readonly { readonly code: string }[]
}
interface Answer {
  readonly exit: number
  readonly output: Output
}

async function command(root: string, line: string | readonly string[]): Promise<Answer> {
  const words = typeof line === 'string' ? line.split(' ') : line
  let printed = ''
  const exit = await runCommandLine([...words, '--root', root, '--json'], {
    about: { version: '0.0.0-test', runtime: 'test' },
    terminal: {
      out: (text) => void (printed += text),
      err: () => {},
      streams: () => ({ out: noTerminal, err: noTerminal }),
    },
    environment: variables,
    clock: { now: () => Date.now() },
    outside: { ...outside, currentFolder: () => root },
    engines: {
      files: (options) => openFileTree(options),
      etcd: () => Promise.reject(new Error('not here')),
      etcdHealth: () => Promise.reject(new Error('not here')),
    },
    stopSignal: () => new AbortController().signal,
    benchmark: () => undefined,
  })
  return { exit, output: printed === '' ? {} : JSON.parse(printed) }
}

/** Each with at least one message in every state, and every file that is written sooner or later. */
async function makeTemplate(root: string): Promise<void> {
  fs.mkdirSync(root)
  const must = async (line: string | readonly string[]) => {
    const answer = await command(root, line)
    if (answer.exit !== 0) throw new Error(`${line}: ${JSON.stringify(answer)}`)
    return answer.output
  }
  await must('init')
  await must('acmq create-mission m --objective Things')
  fs.appendFileSync(join(root, 'llm/missions/m/_meta/manifest.md'), '\n## Milestones\n\n- [ ] First draft\n')
  const body = (id: string) => [
    'acmq',
    'send',
    'm',
    '--from',
    'boss',
    '--to',
    'worker',
    '--id',
    id,
    '--body',
    `Do ${id}`,
  ]
  for (const [id, end] of [
    ['a-packed', 'complete'],
    ['a-done', 'complete'],
    ['a-failed', 'fail'],
    ['a-held', ''],
  ] as const) {
    await must(body(id))
    await must(`acmq claim m --as worker --id ${id}`)
    if (end !== '')
      await must(['acmq', end, 'm', id, '--as', 'worker', ...(end === 'fail' ? ['--reason', 'Broken'] : [])])
    if (id === 'a-packed') await must('acmq archive m --older-than 0')
  }
  for (const id of ['a-wait-1', 'a-wait-2', 'a-wait-3']) await must(body(id))
  const large = `${'x'.repeat(100)}\n`.repeat(1000)
  await must(['acmq', 'send', 'm', '--from', 'boss', '--to', 'worker', '--id', 'a-large', '--body', large])
  fs.writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: ["delete everything"]\n')
  await must([...body('a-secret').slice(0, -1), 'Delete everything'])
  await must('human approve a-secret')

  for (const [name, text] of Object.entries({
    'plan.md': 'The slow orders query scans the orders table.\n',
    'index.md': 'An index on the orders table makes the slow orders query fast.\n',
    'times.md': 'The orders query of the orders table was slow.\n',
  }))
    fs.writeFileSync(join(root, 'llm/missions/m/context', name), text)

  await must('mr init coder')
  await must('mr init lead')
  const sent: string[] = []
  for (let n = 0; n < 8; n++) sent.push((await must(mrSend(`Task ${n}`))).message.id)
  // The first four had to make room; of the others two are taken and one acknowledged.
  const { messages } = await must('mr receive coder --limit 2')
  await must(`mr ack coder ${messages[0]!.msg_id}`)
  fs.writeFileSync(join(root, 'state/agents/coder/inbox/msg_00000bad.json'), '{"no": "message"}')
  fs.utimesSync(join(root, 'state/agents/coder/inbox/msg_00000bad.json'), 1, 1)
  await must('mr receive coder --limit 1')
  for (let n = 8; n < 10; n++) await must(mrSend(`Task ${n}`))
  await must('mr init clerk')
  for (let n = 0; n < 3; n++) await must(mrSend(`Paper ${n}`, 'clerk'))
  await must('mr receive clerk --limit 1')
  fs.writeFileSync(join(root, 'state/agents/clerk/inbox/msg_0000bad2.json'), '{"no": "message"}')
}

const mrSend = (task: string, to = 'coder') => [
  'mr',
  'send',
  '--from',
  'lead',
  '--to',
  to,
  '--type',
  'task-delegation',
  '--requires-ack',
  '--payload',
  JSON.stringify({ task }),
]

const messageIn = (root: string, folder: string): string =>
  fs
    .readdirSync(join(root, 'state/agents/coder', folder))
    .find((name) => /^msg_.*json$/.test(name) && !name.includes('bad'))!
    .slice(0, -5)

/** What is run at each place, in this order. */
const commandsFor = (template: string): Readonly<Record<string, string | readonly string[]>> => ({
  doctor: 'doctor',
  status: 'acmq status m',
  list: 'acmq list m',
  'find-stalled': 'acmq find-stalled m',
  hydrate: 'acmq hydrate m',
  missions: 'acmq missions',
  send: 'acmq send m --from boss --to worker --id b-new --body More',
  'send large': [
    'acmq',
    'send',
    'm',
    '--from',
    'boss',
    '--to',
    'worker',
    '--id',
    'b-big',
    '--body',
    `${'y'.repeat(100)}\n`.repeat(1000),
  ],
  claim: 'acmq claim m --as worker',
  'claim by id': 'acmq claim m --as worker --id a-wait-3',
  renew: 'acmq renew m a-held --as worker',
  complete: 'acmq complete m a-held --as worker --result Done',
  'complete plainly': 'acmq complete m a-wait-1 --as worker',
  fail: 'acmq fail m a-wait-3 --as worker --reason Odd',
  retry: 'acmq retry m a-failed',
  supervise: 'acmq supervise m --once',
  reconcile: 'acmq reconcile m --as worker',
  archive: 'acmq archive m --older-than 0',
  'list archive': 'acmq list m --queue archive',
  milestone: ['acmq', 'milestone', 'm', 'First draft'],
  'human list': 'human list',
  approve: 'human approve a-secret',
  'mr init': 'mr init coder',
  'mr status': 'mr status',
  'mr metrics': 'mr metrics',
  'mr unacked': 'mr unacked coder',
  'mr taken': 'mr taken coder',
  'mr evicted': 'mr evicted coder',
  'mr rejected': 'mr rejected coder',
  'mr peek': 'mr receive coder --peek',
  'mr send': mrSend('Another'),
  'mr receive one': 'mr receive coder --limit 1',
  'mr receive': 'mr receive coder',
  'mr ack': `mr ack coder ${messageIn(template, 'taken')}`,
  'mr recover': `mr recover coder ${messageIn(template, 'evicted')}`,
  'mr broadcast': ['mr', 'broadcast', '--from', 'lead', '--type', 'command', '--payload', '{"action": "pause"}'],
  'mr receive lead': 'mr receive lead',
  'mr receive clerk': 'mr receive clerk',
  'memory: pin': ['acmq', 'organize', 'm', '--pin', 'context/times.md', '--dry-run'],
  'memory: organize': 'acmq organize m',
  'memory: search': 'acmq search m wait --words',
  'memory: bus': 'acmq bus m --query wait',
  'memory: snapshot': 'acmq snapshot m',
  'memory: report': 'acmq report m --mode bottom-up --out findings/report.md',
  'memory: undo': 'acmq organize m --undo',
  'doctor --fix': 'doctor --fix',
})

/** Exit statuses that are an answer, or an error that somebody can do something about. */
const understood = [0, 1, 3, 4, 5, 6, 8]

/** Every message, with the places in which it lies. Looks at no link. */
function whereabouts(root: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const note = (id: string, place: string) => found.set(id, [...(found.get(id) ?? []), place])
  const walk = (folder: string) => {
    for (const entry of fs.readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && path !== '.signalbox') walk(path)
      if (!entry.isFile()) continue
      if (/^llm\/.*\.md$/.test(path)) {
        const id = /^---\n(?:.*\n)*?id: (\S+)\n/.exec(fs.readFileSync(join(root, path), 'utf8'))?.[1]
        if (id) note(id.replaceAll('"', ''), dirname(path))
      } else if (/archive\/.*\.jsonl$/.test(path)) {
        for (const [, id] of fs.readFileSync(join(root, path), 'utf8').matchAll(/"id":"([^"]+)"/g)) note(id!, 'packed')
      } else if (/^state\/agents\/[^.]*\/msg_[^/]*\.json$/.test(path)) note(basename(path), dirname(path))
    }
  }
  walk('')
  return found
}

const shown = (places: Map<string, string[]>) =>
  JSON.stringify([...places].map(([id, where]) => `${id} ${where.sort().join(' and ')}`).sort())

/** All that can be seen of a directory, times included. */
function picture(folder: string): string {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs } = fs.lstatSync(join(folder, name))
      const bytes = fs.lstatSync(join(folder, name)).isFile() ? fs.readFileSync(join(folder, name), 'latin1') : ''
      return `${name} ${mode} ${size} ${mtimeMs} ${bytes}`
    })
    .join('\n')
}

interface Odd {
  readonly fifo: string
  readonly socket: string
  readonly outsideFile: string
  readonly outsideFolder: string
}

function plant(path: string, kind: OddKind, odd: Odd): void {
  fs.mkdirSync(dirname(path), { recursive: true })
  if (kind === 'folder') fs.mkdirSync(path)
  if (kind === 'file') fs.writeFileSync(path, 'in the way\n')
  if (kind === 'link to a file') fs.symlinkSync(odd.outsideFile, path)
  if (kind === 'link to a folder') fs.symlinkSync(odd.outsideFolder, path)
  if (kind === 'dangling link') fs.symlinkSync(join(odd.outsideFolder, 'nothing'), path)
  if (kind === 'pipe') fs.linkSync(odd.fifo, path)
  if (kind === 'socket') fs.linkSync(odd.socket, path)
}

/** Whether a command has to do with a place: its own protocol's, or one that all share. */
function concerns(line: string | readonly string[], { path }: Place): boolean {
  const group = typeof line === 'string' ? line.split(' ')[0]! : line[0]!
  const owner = Object.keys(homes).find((one) => path.startsWith(homes[one]!))
  return homes[group] === undefined || owner === undefined || owner === group
}
const homes: Readonly<Record<string, string>> = { acmq: 'llm/', mr: 'state/agents/' }

async function tryPlace(
  template: string,
  place: Place,
  kind: OddKind,
  odd: Odd,
  work: string,
  everyCommand: boolean,
): Promise<string[]> {
  const problems: string[] = []
  const [root, aside] = [join(work, 'root'), join(work, 'aside')]
  fs.rmSync(work, { recursive: true, force: true })
  fs.mkdirSync(work)
  fs.cpSync(template, root, { recursive: true, preserveTimestamps: true })
  const path = join(root, place.path)
  const wasThere = fs.existsSync(path)
  if (wasThere) fs.renameSync(path, aside)
  plant(path, kind, odd)
  const before = picture(odd.outsideFolder)
  const sent = new Set(whereabouts(template).keys())
  const handedOut: string[] = []
  const commands = commandsFor(template)
  let then = shown(whereabouts(root))
  for (const [name, line] of Object.entries(commands)) {
    if (!everyCommand && (!concerns(line, place) || name.startsWith('memory'))) continue
    console.log(`at ${place.path} (${kind}): ${name}`)
    const { exit, output } = await command(root, line)
    const problem = (text: string) => problems.push(`${place.path} (${kind}), ${name}: ${text}`)
    const { error } = output
    if (!understood.includes(exit)) problem(`exit ${exit} ${JSON.stringify(output).slice(0, 300)}`)
    if (error && (!error.hint || !error.message)) problem(`no hint: ${JSON.stringify(error)}`)
    const now = shown(whereabouts(root))
    if (error && now !== then)
      problem(`failed with ${error.code} (${error.message}), but moved something:\n    ${then}\n    ${now}`)
    then = now
    if (name.startsWith('claim') && exit === 0) handedOut.push(output.message.id)
    if (/^mr receive/.test(name) && exit === 0) handedOut.push(...output.messages.map((one) => `${one.msg_id}.json`))
    if (/send/.test(name) && exit === 0)
      sent.add(name.startsWith('mr') ? `${output.message.id}.json` : output.message.id)
    if (/^mr (ack|broadcast)/.test(name) && exit === 0)
      for (const one of output.messages ?? [output.message]) sent.add(`${one.id}.json`)
    if (name === 'doctor' && exit < 2 && !JSON.stringify(output.findings).includes(place.path))
      problem(`doctor is green: ${JSON.stringify(output)}`)
  }
  if (picture(odd.outsideFolder) !== before)
    problems.push(`${place.path} (${kind}): something outside the root changed`)
  fs.rmSync(path, { recursive: true, force: true })
  if (wasThere) fs.renameSync(aside, path)
  console.log(`at ${place.path} (${kind}): all over`)
  const end = whereabouts(root)
  for (const id of sent) {
    const places = end.get(id) ?? []
    if (places.length !== 1)
      problems.push(`${place.path} (${kind}): ${id} ends in ${places.join(' and ') || 'no place'}`)
  }
  for (let n = 0; n < 20; n++) {
    const { exit, output } = await command(root, 'acmq claim m --as worker')
    if (exit > 1) problems.push(`${place.path} (${kind}): afterwards, claim: ${JSON.stringify(output)}`)
    if (exit !== 0) break
    handedOut.push(output.message.id)
  }
  for (const agent of ['coder', 'lead', 'clerk']) {
    const { exit, output } = await command(root, `mr receive ${agent}`)
    if (exit > 1) problems.push(`${place.path} (${kind}): afterwards, receive: ${JSON.stringify(output)}`)
    handedOut.push(...(output.messages ?? []).map((one) => `${one.msg_id}.json`))
  }
  const left = whereabouts(root)
  const counts = new Map<string, number>()
  for (const id of handedOut) counts.set(id, (counts.get(id) ?? 0) + 1)
  const recovered = `${messageIn(template, 'evicted')}.json`
  for (const [id, count] of counts)
    if (count > 1 && !['a-failed', recovered].includes(id))
      problems.push(`${place.path} (${kind}): ${id} was handed out ${count} times`)
  const takenBefore = new Set(
    [...whereabouts(template)].filter(([, [where]]) => /taken|processing/.test(where!)).map(([id]) => id),
  )
  for (const [id, [where = '']] of left) {
    if (/pending$|inbox$/.test(where)) problems.push(`${place.path} (${kind}): ${id} is left in ${where}`)
    if (/taken$|processing$/.test(where) && !counts.has(id) && !takenBefore.has(id))
      problems.push(`${place.path} (${kind}): ${id} is in ${where}, but nobody got it`)
  }
  return problems
}

const outsideFolder = join(scratch, 'outside')
fs.mkdirSync(join(outsideFolder, 'inner'), { recursive: true })
const outsideFile = join(outsideFolder, 'file')
fs.writeFileSync(outsideFile, 'somebody else’s\n')
const fifo = join(scratch, 'fifo')
spawnSync('mkfifo', [fifo])
const socket = join(scratch, 'socket')
const server = net.createServer().listen(socket)
await new Promise((resolve) => server.once('listening', resolve))
const odd: Odd = { fifo, socket, outsideFile, outsideFolder }
const template = join(scratch, 'template')
console.log('making the template')
await makeTemplate(template)
const { exit, output } = await command(template, 'doctor')
// It has one file that is no message, which a person has to see to.
const isKnown = (code: string) => code === 'UNREADABLE_MESSAGE' || code === 'WAITS_FOR_PERSON'
if (exit !== 1 || !output.findings.every(({ code }) => isKnown(code)))
  console.log(`! the template itself: ${JSON.stringify(output)}`)
let tried = 0
for (const [n, place] of placesIn(template).entries()) {
  if (!place.path.includes(word)) continue
  const kinds = kindsOf(place)
  // Commands of another protocol are run with one kind at each place, in turn; with all of them in the long run.
  const forOthers = kinds[n % kinds.length]
  for (const kind of kinds) {
    const everyCommand = isLong || kind === forOthers
    for (const problem of await tryPlace(template, place, kind, odd, join(scratch, 'work'), everyCommand))
      console.log(`! ${problem.replaceAll('\n', ' ')}`)
    tried++
  }
}
console.log(`tried ${tried}`)
process.exit(0)
