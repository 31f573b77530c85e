/** What waits for one agent, among very many messages of all protocols for others, against among few. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openWorkspace } from '../../src/index.ts'
import { printMessage } from '../../src/protocols/ac-mq/format.ts'
import { fileNameOf as acmqFileName } from '../../src/protocols/ac-mq/layout.ts'
import { fileNameOf as circeFileName } from '../../src/protocols/circe/names.ts'
import { recordOf } from '../acmq/message.ts'
import { queueFolder } from '../acmq/queue.ts'
import { compare, interleave } from '../measure.ts'
import type { Goal, Section } from '../section.ts'
import { processorTime, processorTimeEach } from '../steps/contender.ts'
import { protocols, sender, text } from './verbs.ts'

const [manyCount, fewCount] = [100_000, 1000]
export const neutralDepthGoal: Goal = { atMost: 3 }
/** In each protocol, for the agent that looks. */
const ownEach = 2
/** The most that an inbox of Message Routing holds, and as many tasks as a session may have had when it ends. */
const inOnePlace = 100
const reader = 'reader'

export const neutralDepth: Section = {
  title: `Neutral: the inbox of an agent among ${manyCount / 1000},000 messages of five protocols against ${fewCount / 1000},000`,

  async run(places, { isQuick }) {
    const place = places.memory
    const many = await filled(place.folder('neutral-many'), manyCount)
    const few = await filled(place.folder('neutral-few'), fewCount)
    const calls = isQuick ? 5 : 20
    const look = (workspace: typeof many) => async () => {
      const since = processorTime()
      for (let n = 0; n < calls; n++) {
        const { length } = await workspace.inbox(reader)
        if (length !== ownEach * 5) throw new Error(`${length} messages wait instead of ${ownEach * 5}`)
      }
      return processorTimeEach(since, calls)
    }
    const samples = await interleave(isQuick ? 5 : 15, { ours: look(many), theirs: look(few) }, 3)
    await Promise.all([many.close(), few.close()])
    return {
      figures: [
        compare({
          name: `inbox, ${manyCount}`,
          against: `${fewCount} messages`,
          ...samples,
          unit: 'µs',
          ratio: 'cost',
          goal: neutralDepthGoal,
        }),
      ],
      notes: [
        `On ${place.fileSystem}; processor time, in a process that stays; ${ownEach} of each protocol wait for the agent, the rest for others.`,
      ],
    }
  },
}

/** As many of each protocol, written as their programs write them. */
async function filled(root: string, count: number) {
  const each = count / Object.keys(protocols).length
  const others = Math.ceil(each / inOnePlace)
  const workspace = await openWorkspace({ root, environment: {} })
  await workspace.acmq.create('main')
  await workspace.sessions.start('first')
  const { send } = await workspace.sessions.neutral()
  for (let n = 0; n < inOnePlace; n++) await send!({ from: sender, to: 'other', text, place: 'first' })
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (let n = 0; n < each; n++) {
    const to = `other-${n % others}`
    const at = new Date(Date.UTC(2026, 0, 1) + n * 1000)
    const record = { ...recordOf('main', n), to }
    writeFileSync(join(queueFolder(root, 'main', 'pending'), acmqFileName(record)), printMessage(record, text))
    const msg_id = `msg_${n.toString(16).padStart(8, '0')}`
    const header = { version: '1.0.0', msg_id, from: sender, to, timestamp: at.toISOString(), sequence: n + 1 }
    const routed = { ...header, type: 'task-delegation', payload: { task: text } }
    write(`state/agents/${to}/inbox/${msg_id}.json`, JSON.stringify(routed))
    const second = at.toISOString().replace('.000', '')
    const head = `# MESSAGE\nfrom: ${sender}\nto: ${to}\nintent: question\nstatus: new\ncreated_at: ${second}\n`
    const name = circeFileName({ time: at.getTime(), from: sender, to, intent: 'question' })
    write(`AI_MANAGER/NEW_MESSAGES/${name}`, `${head}\n## Summary\n${text}\n`)
    const task = { task_id: `task-${n}`, action: 'MESSAGE', params: { text }, source_id: sender, target_agent: to }
    write(
      `runtime/${to}/inbox/task-${n}.json`,
      JSON.stringify({ ...task, status: 'PENDING', priority: 3, depends_on: [], timestamp: at.toISOString() }),
    )
  }
  const sessions = '.signalbox/state/sessions'
  const document = readFileSync(join(root, sessions, 'first/session.json'), 'utf8')
  for (let n = 1; n < others; n++)
    write(`${sessions}/s${n}/session.json`, document.replaceAll('"first"', JSON.stringify(`s${n}`)))
  for (const { home } of Object.values(protocols)) {
    write(`.signalbox/agents/${reader}.yaml`, `home: ${home === 'session:bench' ? 'session:first' : home}\n`)
    const opened = await openWorkspace({ root, environment: {} })
    for (let n = 0; n < ownEach; n++) await opened.send({ from: sender, to: reader, text })
    await opened.close()
  }
  return workspace
}
