/** Every command of every protocol says the same thing in the same way. */
import { describe, expect } from 'vitest'
import type { Operation } from '../../src/operations/define.ts'
import { commandOutline, type Outline } from '../../src/surfaces/cli/command-outline.ts'
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
    ],
    'was waited for': ['acmq wait', 'circe inbox', 'dream prompt ask', 'mr await'],
    'was searched': ['acmq bus', 'acmq search', 'dream governance query'],
    'nobody was there to get it': ['mr broadcast'],
    'is somebody else’s turn': ['doctor', 'session say', 'session translate'],
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
    ...['mr rejected', 'dream completed', 'dream governance query', 'dream state'],
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
          if (!required && !isActor) return []
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
