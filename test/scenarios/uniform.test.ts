/** Every command of every protocol says the same thing in the same way. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import type { Operation } from '../../src/operations/define.ts'
import { commandOutline, type Outline } from '../../src/surfaces/cli/command-outline.ts'
import { makeFiveProtocols } from '../support/five-protocols.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

function* commandsIn({ members }: Outline, words: readonly string[] = []): Generator<readonly [string, Operation]> {
  for (const member of members) {
    if ('members' in member) yield* commandsIn(member, [...words, member.name])
    else yield [[...words, member.name].join(' '), member]
  }
}

const all = [...commandsIn(await commandOutline())]

describe('exit status 1', () => {
  /** Whoever asked for something to be done with, and got nothing: shell loops end on it. Lists that are empty end with 0. */
  const nothing = {
    'was to be taken': [
      'acmq claim',
      'circe claim',
      'dream mailbox claim',
      'dream mailbox next',
      'dream prompt fetch',
      'dream task take',
      'mr receive',
      'session inbox',
      'session work',
      'take',
    ],
    'was waited for': ['inbox', 'send', 'wait', 'acmq wait', 'circe inbox', 'dream prompt ask', 'mr await'],
    'was searched': ['search', 'acmq bus', 'acmq search', 'dream governance query'],
    'nobody was there to get it': ['mr broadcast'],
    'is somebody else’s turn': ['doctor', 'lock', 'session say', 'session translate'],
  }

  verifies('X-uniform', 'only where something was to be taken, waited for or searched', () => {
    const found = all.flatMap(([name, { outcomes }]) => (Object.values(outcomes).includes('nothing') ? [name] : []))
    expect(found.sort()).toEqual(Object.values(nothing).flat().sort())
  })

  verifies('X-uniform', 'not of a list that is empty', () => {
    const root = tempDir()
    const status = (...words: string[]) => cliJson(words, { cwd: root }, quickCli).exit
    expect(status('circe', 'init', 'eng')).toBe(0)
    expect(status('session', 'start', 'one')).toBe(0)
    for (const words of [
      ...['acmq missions', 'circe inbox eng', 'circe tasks', 'circe log', 'dream mailbox list', 'dream task inbox Bob'],
      ...['dream tasks', 'dream tasks --dispatch', 'dream completed', 'dream supervisor show', 'mr status'],
      ...['session list', 'session locks --session one', 'session log --session one', 'human list'],
    ])
      expect({ words, exit: status(...words.split(' ')) }).toEqual({ words, exit: 0 })
    expect(status('circe', 'inbox', 'eng', '--wait', '0')).toBe(1)
  })
})

describe('who acts', () => {
  /** Commands in which somebody is named who need not be the one who acts. */
  const others = [
    ...['mr init', 'mr keys', 'mr recover', 'mr status', 'mr unacked', 'mr taken', 'mr evicted'],
    ...['mr rejected', 'dream completed', 'dream governance query', 'dream state', 'search'],
  ]

  verifies(
    'X-uniform',
    'is said once: a name in the command that --as contradicts is refused, in every command',
    () => {
      const naming = all.filter(([, { input }]) => 'agent' in input || 'from' in input)
      const acting = naming.filter(([, { input }]) =>
        Object.values(input).some((field) => field.type === 'text' && field.isActor),
      )
      const rest = naming.flatMap(([name]) => (acting.some(([other]) => other === name) ? [] : [name]))
      expect(rest.sort()).toEqual(others.sort())
      const recipients = all.flatMap(([name, { input }]) => (input.to && 'isActor' in input.to ? [name] : []))
      expect(recipients).toEqual([])
      const root = tempDir()
      for (const [name, { input }] of acting) {
        const words = Object.entries(input).flatMap(([field, { required, positional, type, ...more }]) => {
          const isActor = 'isActor' in more && more.isActor
          // Every word that it takes: of fewer, the first is no older way to name who acts.
          if (!required && !isActor && !positional) return []
          const value = isActor ? 'eng' : type === 'integer' ? '1' : 'choices' in more ? more.choices[0]! : '{}'
          return positional ? [value] : [`--${field}=${value}`]
        })
        const run = (as: string) => cliJson([...name.split(' '), ...words, '--as', as], { cwd: root }, quickCli)
        expect({ name, ...run('qa') }).toMatchObject({ name, exit: 2, output: { error: { code: 'CONTRADICTION' } } })
        expect({ name, code: run('ENG').output.error?.code }).not.toEqual({ name, code: 'CONTRADICTION' })
      }
    },
  )
})

describe('what a program should know besides', () => {
  /** Files and events as they are on disk have words of their own. */
  const asOnDisk = [
    'record',
    'body',
    'message',
    'payload',
    'tasks',
    'events',
    'completed',
    'state',
    'response',
    'details',
  ]

  function* keysIn(value: unknown, path = ''): Generator<string> {
    if (Array.isArray(value)) for (const item of value) yield* keysIn(item, path)
    else if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) {
        yield `${path}${key}`
        if (!asOnDisk.includes(key) || 'protocol' in Object(part)) yield* keysIn(part, `${path}${key}.`)
      }
  }

  verifies(
    'X-uniform',
    'is called `notices` in every answer of every protocol, and files that are none have a reason',
    () => {
      const root = tempDir()
      makeFiveProtocols(root)
      const put = (path: string, text: string) => {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
      put('llm/missions/alpha/queue/pending/odd.md', '---\nid: half')
      put('llm/missions/alpha/queue/pending/lean.md', '---\nid: lean-1\nfrom: ann\nto: bob\n---\nLean.\n')
      put('state/agents/bob/inbox/msg_aaaaaaaa.json', '{"half')
      put('AI_MANAGER/NEW_MESSAGES/20260105_103000_a-eng_inform.md', '# MESSAGE\nfrom: a\n\nNothing else.\n')
      put('runtime/Worker/inbox/task_half.json', '{"half')
      put('_agent_coordination/shared_mailboxes/mailbox_2.json', '{"messages":[{"message_id":"x"},7]}')
      put('bad.json', '{"version":"1.0","type":"command"}')
      const send = [
        'mr',
        'send',
        '--from',
        'ann',
        '--to',
        'bob',
        '--type',
        'heartbeat',
        '--payload',
        '{"health":"healthy"}',
      ]
      const answers = [
        ...['acmq status alpha', 'acmq list alpha', 'acmq list alpha --blocked', 'acmq show alpha lean-1'],
        ...['acmq claim alpha --as bob', 'acmq find-stalled alpha', 'acmq reconcile alpha', 'acmq missions'],
        ...[
          'mr status',
          'mr receive bob --peek',
          'mr receive bob',
          'mr taken bob',
          'mr rejected bob',
          'mr unacked bob',
        ],
        ...['mr validate bad.json', 'circe inbox eng', 'circe tasks', 'circe log', 'circe claim qa'],
        ...['dream mailbox list', 'dream mailbox claim --agent Bob', 'dream mailbox next --mailbox 2 --as Bob'],
        ...[
          'dream task inbox Worker',
          'dream task take Worker',
          'dream tasks',
          'dream completed',
          'dream route --once',
        ],
        ...['dream governance query', 'session list', 'session log', 'session locks', 'human list', 'doctor'],
      ].map((words) => [words, cliJson(words.split(' '), { cwd: root }, quickCli).output] as const)
      answers.push(['mr send', cliJson(send, { cwd: root }, quickCli).output])
      const told = answers.flatMap(([words, output]) => [...keysIn(output)].map((key) => ({ words, key })))
      const others = /(?:^|\.)(?:notes?|problems?|remarks?|warnings?|hints|messages?Problems)$/
      // Only Message Routing has files of its own that a user may not read.
      expect(told.filter(({ words, key }) => key === 'unreadable' && !words.startsWith('mr '))).toEqual([])
      // Of a file that cannot be read: why. `issues` of a judgement are the answer itself.
      expect(told.filter(({ key }) => others.test(key) && !/^findings|^messages\.problem$/.test(key))).toEqual([])
      expect(told.filter(({ key }) => key === 'notices').length).toBeGreaterThan(5)
      for (const [words, { rejected = [], unreadable = [] }] of answers)
        for (const file of [...rejected, ...unreadable])
          expect({ words, file }).toEqual({
            words,
            file: expect.objectContaining({ path: expect.any(String), reason: expect.any(String) }),
          })
    },
  )
})
