/** Answers that grow with the workspace can be bounded, and say what they left out: in every command of every protocol. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bounded } from '../../src/operations/bounded.ts'
import type { Operation } from '../../src/operations/define.ts'
import { commandOutline, type Outline } from '../../src/surfaces/cli/command-outline.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

/** Commands whose answer has a size of its own, by what it is about. A new command is in here, or can be bounded. */
const ofTheirOwnSize: Readonly<Record<string, readonly string[]>> = {
  'one message, task or event': [
    'acmq send, show, renew, complete, fail, retry',
    'mr send, ack, await, recover, validate',
    'circe send, claim, start, ack, done, release, check, status, answer',
    'dream mailbox claim, heartbeat, send, next, done, release, compact',
    'dream task send, take, done',
    'dream plan',
    'dream prompt fetch, ask',
    'dream governance add',
    'session translate',
    'human approve, deny, answer',
    'signalbox send, take, done, fail, release, renew, wait, show, why, lock, unlock',
    'agents add, show, remove',
  ],
  'what was named or given': [
    'acmq create-mission, wait',
    'mr init',
    'circe init',
    'dream mailbox init',
    'dream prompt render, stage',
    'dream reflect, report, state',
    'session start, end',
  ],
  'figures, or a number of steps': [
    'acmq archive, snapshot',
    'mr metrics',
    'dream supervisor show',
    'signalbox now, init, mirror, demo, bench, schema, completion, version',
  ],
  // The protocol has its own ways: `:brief`, and budgets of tokens.
  'a line of a conversation': ['session say, chat, serve-stdio'],
}

/** Commands that list something, or tell all that they did. No other one takes a limit. */
const listing: readonly (readonly string[])[] = [
  ['acmq bus', 'acmq find-stalled', 'acmq graph', 'acmq list', 'acmq milestone', 'acmq missions', 'acmq organize'],
  // What a claim finds blocked, or an agent has in hand.
  ['acmq claim', 'acmq reconcile', 'acmq search', 'acmq status', 'acmq supervise'],
  ['mr broadcast', 'mr evicted', 'mr keys', 'mr receive', 'mr rejected', 'mr status', 'mr taken', 'mr unacked'],
  ['circe inbox', 'circe log', 'circe tasks'],
  ['dream completed', 'dream governance query', 'dream mailbox list', 'dream route', 'dream task inbox', 'dream tasks'],
  ['session inbox', 'session list', 'session locks', 'session log', 'session work'],
  ['agents list', 'signalbox inbox', 'signalbox locks', 'signalbox search', 'signalbox thread'],
  ['human list', 'signalbox bridge', 'signalbox doctor', 'signalbox export', 'signalbox import'],
]

function* commandsIn({ members }: Outline, words: readonly string[] = []): Generator<readonly [string, Operation]> {
  for (const member of members) {
    if ('members' in member) yield* commandsIn(member, [...words, member.name])
    else yield [`${words.join(' ') || 'signalbox'} ${member.name}`, member]
  }
}

describe('every command', () => {
  verifies('X-tokens', 'takes a limit or a budget, unless its answer has a size of its own', async () => {
    const known = Object.values(ofTheirOwnSize).flatMap((lines) =>
      lines.flatMap((line) => {
        const [, group, names] = /^(.*?) ([\w-]+(?:, [\w-]+)*)$/.exec(line)!
        return names!.split(', ').map((name) => `${group} ${name}`)
      }),
    )
    const commands = [...commandsIn(await commandOutline())]
    const unbounded = commands.flatMap(([name, { input }]) => ('limit' in input || 'budget' in input ? [] : [name]))
    expect(unbounded.sort()).toEqual(known.sort())
    const bounded = commands.flatMap(([name, { input }]) => ('limit' in input ? [name] : []))
    expect(bounded.sort()).toEqual(listing.flat().sort())
  })
})

describe('a list', () => {
  let root: string
  const json = (...words: string[]) => {
    const { exit, output } = cliJson(words, { cwd: root }, quickCli)
    expect({ words, exit }).toEqual({ words, exit: 0 })
    return output
  }
  const text = (...words: string[]) => quickCli(words, { cwd: root }).out

  verifies('X-tokens', 'is bounded on request in each protocol, and tells how much it left out', () => {
    root = tempDir()
    for (const name of ['alpha', 'beta', 'gamma']) json('acmq', 'create-mission', name)
    expect(json('acmq', 'missions', '--limit', '1')).toMatchObject({ missions: [{ mission: 'alpha' }], leftOut: 2 })
    expect(text('acmq', 'missions', '--limit', '2')).toMatch(/\n… and 1 more \(--limit\)\n$/)
    expect(json('acmq', 'missions').leftOut).toBeUndefined()
    for (const n of [1, 2])
      json('acmq', 'send', 'alpha', '--from', 'a', '--to', 'b', '--id', `waiting${n}`, '--body', '?')
    json(
      'acmq',
      'send',
      'alpha',
      '--from',
      'a',
      '--to',
      'c',
      '--id',
      'waiting3',
      '--body',
      '?',
      '--depends',
      'waiting1',
    )
    expect(text('acmq', 'graph', 'alpha', '--limit', '1')).toMatch(
      /^flowchart TD\n {2}%% 2 more messages: raise the limit\n/,
    )
    expect(json('acmq', 'graph', 'alpha', '--limit', '1', '--format', 'json').graph).toMatchObject({
      nodes: [{ id: 'waiting1' }],
      edges: [],
      leftOut: 2,
    })
    json('mr', 'init', 'lead')
    json('mr', 'init', 'coder')
    expect(json('mr', 'status', '--limit', '1')).toMatchObject({ agents: [{ agent: 'coder' }], leftOut: 1 })
    for (const task of ['A-1', 'A-2', 'A-3'])
      json('circe', 'send', '--from', 'a', '--to', 'b', '--intent', 'inform', '--task', task, '--summary', 'Do it')
    expect(json('circe', 'inbox', 'b', '--limit', '2')).toMatchObject({ messages: [{}, {}], leftOut: 1 })
    for (const what of ['first', 'second', 'third'])
      json('dream', 'governance', 'add', 'DECISION_MADE', '--agent', 'a', '--details', JSON.stringify({ what }))
    // Of a log the last ones count.
    expect(json('dream', 'governance', 'query', '--limit', '1')).toMatchObject({
      events: [{ details: { what: 'third' } }],
      leftOut: 2,
    })
  })

  verifies('X-tokens', 'is fifty long as text, and whole for a program', () => {
    root = tempDir()
    json('circe', 'init', 'eng')
    for (let n = 10; n < 63; n++)
      writeFileSync(
        `${root}/AI_MANAGER/NEW_MESSAGES/20261118_1000${n}_lead-eng_inform.md`,
        `# MESSAGE\nfrom: lead\nto: eng\nintent: inform\nstatus: new\ncreated_at: 2026-11-18T10:${n - 10}:00Z\n\n## Summary\nNews ${n}\n`.replace(
          /T10:(\d):/,
          'T10:0$1:',
        ),
      )
    const lines = text('circe', 'inbox', 'eng').trimEnd().split('\n')
    expect({ count: lines.length, last: lines.at(-1) }).toEqual({ count: 52, last: '… and 3 more (--limit)' })
    expect(json('circe', 'inbox', 'eng').messages).toHaveLength(53)
    expect(text('circe', 'inbox', 'eng', '--limit', '100')).toContain('News 62')
    expect(text('circe', 'inbox', '--help')).toContain('default 50, with --json all')
  })

  verifies('X-tokens', 'of messages that are taken leaves the others where they are', () => {
    root = tempDir()
    json('session', 'say', '--as', 'Tester', '#SUBSCRIBE:results')
    for (const what of ['one', 'two', 'three']) json('session', 'say', '--as', 'Coder', `#BROADCAST:results:${what}`)
    const take = (...words: string[]) => json('session', 'inbox', '--as', 'Tester', ...words)
    expect(take('--peek', '--limit', '1')).toMatchObject({ messages: [{ text: 'one' }], leftOut: 2 })
    expect(take('--limit', '2')).toMatchObject({ messages: [{ text: 'one' }, { text: 'two' }], leftOut: 1 })
    expect(take('--limit', '2')).toMatchObject({ messages: [{ text: 'three' }], leftOut: 0 })
  })
})

describe('a text over 20 KB', () => {
  verifies('X-tokens', 'is cut where an agent reads it, with the path, and whole for a program', () => {
    const root = tempDir()
    const run = (...words: string[]) => quickCli(words, { cwd: root })
    const body = 'é'.repeat(20_000)
    writeFileSync(`${root}/long.md`, body)
    run('acmq', 'create-mission', 'alpha')
    run(
      'acmq',
      'send',
      'alpha',
      '--from',
      'a',
      '--to',
      'b',
      '--id',
      'long-one',
      '--summary',
      'Long',
      '--file',
      `${root}/long.md`,
    )
    const { out } = run('acmq', 'claim', 'alpha', '--as', 'b')
    const path = /^file: +(.*)$/m.exec(out)![1]
    expect(out.split('é')).toHaveLength(20 * 512 + 1)
    expect(out).toMatch(new RegExp(`^… cut after 20 of 40 KB; the whole text is in ${path}, and --json gives it$`, 'm'))
    expect(cliJson(['acmq', 'show', 'alpha', 'long-one'], { cwd: root }, quickCli).output.message.body).toContain(body)
  })
})

it.each([
  ['the first', { list: 'first' }, 2, { list: [1, 2], leftOut: 1 }],
  ['the last', { list: 'last' }, 2, { list: [2, 3], leftOut: 1 }],
  ['all that there are', { list: 'first' }, 3, { list: [1, 2, 3], leftOut: 0 }],
  ['what is not in this answer', { other: 'first' }, 1, { list: [1, 2, 3], leftOut: 0 }],
  ['no bound', { list: 'first' }, undefined, { list: [1, 2, 3] }],
] as const)('[X-tokens] keeps %s', (_, lists, most, expected) => {
  expect(bounded({ list: [1, 2, 3] }, lists, most)).toEqual(expected)
})
