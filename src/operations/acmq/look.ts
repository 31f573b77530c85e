/** The verbs that look at messages and change nothing: list, show, graph, find-stalled. */
import { inputs } from '../../kernel/call.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { Headline } from '../../kernel/envelope.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { choice, flag, integer, text, withoutUndefined } from '../../kernel/field.ts'
import { anyOf, oneOf } from '../../kernel/shape.ts'
import { type Mission, queueNames, type Unreadable } from '../../protocols/ac-mq/index.ts'
import { bounded, limit } from '../bounded.ts'
import { defineOperation } from '../define.ts'
import { messageId, mission, openMission, openTimedMissions } from './mission.ts'
import { listedMessage, messageWithBody, rejected, stalled } from './shapes.ts'

/** A message, and why it cannot be claimed yet if that is so. Of archived ones less is known without unpacking. */
interface ListedMessage extends Headline {
  readonly mission: string
  readonly name: string
  readonly priority?: number
  readonly attempt?: number
  readonly dependencies?: readonly string[]
  readonly notices?: readonly string[]
  readonly blocked?: string
}

const queues = [...queueNames, 'archive'] as const
type Queue = (typeof queues)[number]

export const list = defineOperation({
  name: 'list',
  summary: 'List the messages of a mission, in the order in which they will be or were worked on.',
  input: {
    mission,
    queue: choice('Only this queue; without it, all but the archive.', queues),
    to: text('Only messages for this agent.', { placeholder: 'AGENT' }),
    blocked: flag('Only what waits for something else, with the reason.'),
    limit,
  },
  outcomes: { listed: 'done' },
  output: { listed: { mission: 'text', messages: [listedMessage], rejected, leftOut: 'integer' } },
  effects: 'reads',
  examples: [
    { command: 'acmq list alpha --queue pending', does: 'see what waits' },
    { command: 'acmq list alpha --blocked', does: 'see why some of it cannot be claimed' },
    { command: 'acmq list alpha --queue archive --to gemini', does: 'what gemini did long ago' },
  ],

  async run(context, { mission, queue, to, blocked, limit }) {
    if (blocked && queue !== undefined && queue !== 'pending') {
      throw invalidInput('CONTRADICTION', `Nothing in ${queue} is blocked; only what is pending can be.`, {
        hint: `Leave out ${inputs({ queue })}, or leave out ${inputs({ blocked })}.`,
      })
    }
    const opened = await openMission(context, mission)
    const messages: ListedMessage[] = []
    const rejected: Unreadable[] = []
    for (const one of blocked ? (['pending'] as const) : queue === undefined ? queueNames : [queue]) {
      const listed = await listQueue(opened, one)
      messages.push(...listed.messages.filter(({ blocked: reason }) => !blocked || reason !== undefined))
      rejected.push(...listed.unreadable)
    }
    const wanted = to === undefined ? messages : messages.filter((message) => message.to === to)
    const listed = { outcome: 'listed', mission: opened.address, messages: wanted, rejected, leftOut: 0 } as const
    return bounded(listed, { messages: 'first', rejected: 'first' }, limit)
  },
})

async function listQueue(
  mission: Mission,
  queue: Queue,
): Promise<{ messages: readonly ListedMessage[]; unreadable: readonly Unreadable[] }> {
  if (queue !== 'archive')
    return queue === 'pending' ? (await mission.overview()).waiting() : (await mission.overview()).list(queue)
  return { messages: await (await mission.overview()).listArchived(), unreadable: [] }
}

export const show = defineOperation({
  name: 'show',
  summary: 'Show one message with its text, wherever it is, in the archive too.',
  input: { mission, id: messageId },
  outcomes: { shown: 'done' },
  output: { shown: { message: messageWithBody } },
  effects: 'reads',
  examples: [{ command: 'acmq show alpha 1f2e3d4c', does: 'read it without claiming it' }],

  async run(context, { mission, id }) {
    return {
      outcome: 'shown',
      message: await (await (await openMission(context, mission)).overview()).show(id),
    } as const
  },
})

const formats = ['mermaid', 'dot', 'json'] as const

export const graph = defineOperation({
  name: 'graph',
  summary: 'Draw which message waits for which, with their states.',
  input: {
    mission,
    format: choice('How to draw it.', formats, { default: 'mermaid' }),
    limit: integer('At most so many messages, unfinished ones first; how many were left out is told.', { least: 1 }),
  },
  outcomes: { drawn: 'done' },
  output: { drawn: { mission: 'text', format: oneOf(...formats), graph: anyOf('text', 'record') } },
  effects: 'reads',
  examples: [
    { command: 'acmq graph alpha', does: 'for Markdown that shows Mermaid' },
    { command: 'acmq graph alpha --format dot | dot -Tsvg > graph.svg', does: 'as a picture' },
  ],

  async run(context, { mission, format, limit }) {
    const opened = await openMission(context, mission)
    const drawn = await (await opened.documents()).graph(format, withoutUndefined({ limit }))
    const graph: unknown = format === 'json' ? JSON.parse(drawn) : drawn
    return { outcome: 'drawn', mission: opened.address, format, graph } as const
  },
})

export const findStalled = defineOperation({
  name: 'find-stalled',
  summary: 'List the messages whose claim has run out of time. Nothing is changed.',
  more: 'Those of the missions inside it are listed too.',
  input: { mission },
  lists: { stalled: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { stalled } },
  effects: 'reads',
  examples: [
    { command: 'acmq find-stalled alpha', does: 'see who has not been heard of' },
    { command: 'acmq supervise alpha --once', does: 'let them fail, and ask their senders to look into it' },
  ],

  async run(context, { mission }) {
    const missions = await openTimedMissions(context, mission)
    const stalled = []
    for (const one of missions) stalled.push(...(await (await one.supervision()).findStalled()))
    return { outcome: 'listed', stalled: stalled.map((one) => ({ ...one, since: isoTime(one.since) })) } as const
  },
})
