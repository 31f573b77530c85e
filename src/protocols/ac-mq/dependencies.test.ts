import { describe, expect, it } from 'vitest'
import { isMeant } from '../../kernel/short-id.ts'
import { findCycle, findCycles } from './cycles.ts'
import {
  addressBehind,
  explainWaiting,
  type FoundState,
  judge,
  judgeOne,
  type Lookup,
  parseDependency,
  readDependency,
  wayOf,
} from './dependencies.ts'
import { missionAddress } from './names.ts'

describe('what a dependency names', () => {
  it.each([
    ['msg:9f8e7d6c', { kind: 'message', id: '9f8e7d6c' }],
    ['msg: 9f8e7d6c ', { kind: 'message', id: '9f8e7d6c' }],
    ['path:./context/a.md', { kind: 'path', path: 'context/a.md' }],
    ['path:context//b/../a.md/', { kind: 'path', path: 'context/a.md' }],
    ['artifacts/db-schema-auth.sql', { kind: 'either', text: 'artifacts/db-schema-auth.sql' }],
    ['./9f8e7d6c', { kind: 'either', text: '9f8e7d6c' }],
    ['9f8e7d6c', { kind: 'either', text: '9f8e7d6c' }],
    ['path:msg:x', { kind: 'path', path: 'msg:x' }],
  ])('%s', (text, meant) => {
    expect(parseDependency(text)).toEqual(meant)
  })

  it.each([
    'path:../x',
    'path:/etc/passwd',
    'path:a/../../b',
    '../x',
    '/x',
    'path:',
    'path:.',
    '',
    'path:a\\b',
    'path:a\0b',
  ])('%j leaves the mission', (text) => {
    expect(readDependency(text).kind).toBe('outside')
    expect(() => parseDependency(text)).toThrow(
      expect.objectContaining({ kind: 'InvalidInput', code: 'BAD_DEPENDENCY' }),
    )
  })

  it.each(['msg:', 'msg:a//b', 'msg:/x', 'msg:./x', 'msg:..', 'msg:a/', 'msg:a/../b c'])('%j is no message', (text) => {
    expect(() => parseDependency(text)).toThrow(expect.objectContaining({ code: 'BAD_DEPENDENCY' }))
  })
})

describe('judging', () => {
  const states = new Map<string, FoundState>([
    ['aaaaaaaa-1', 'completed'],
    ['bbbbbbbb-1', 'processing'],
    ['cccccccc-1', 'failed'],
    ['dddddddd-1', 'archived-completed'],
    ['dddddddd-2', 'archived-failed'],
    ['eeeeeeee-1', 'archived'],
    ['self-id-1', 'pending'],
    ['short', 'pending'],
  ])
  const lookup: Lookup = {
    stateOf(asked) {
      const ids = [...states.keys()].filter((id) => isMeant(asked, id))
      return ids.length > 1 ? { ambiguous: ids } : states.get(ids[0] ?? '')
    },
    pathExists: (path) => path === 'context/a.md',
  }

  it.each([
    ['msg:aaaaaaaa-1', { is: 'met' }],
    ['msg:aaaaaaaa', { is: 'met' }],
    ['aaaaaaaa', { is: 'met' }],
    ['msg:aaaaaaa', { is: 'unknown', on: 'aaaaaaa' }],
    ['msg:bbbbbbbb', { is: 'waiting', on: 'bbbbbbbb', state: 'processing' }],
    ['msg:short', { is: 'waiting', on: 'short', state: 'pending' }],
    ['msg:cccccccc-1', { is: 'failed', on: 'cccccccc-1' }],
    ['msg:dddddddd-1', { is: 'met' }],
    ['msg:dddddddd-2', { is: 'failed', on: 'dddddddd-2' }],
    ['msg:dddddddd', { is: 'ambiguous', on: 'dddddddd', candidates: ['dddddddd-1', 'dddddddd-2'] }],
    ['eeeeeeee', { is: 'met' }],
    ['msg:zzzzzzzz', { is: 'unknown', on: 'zzzzzzzz' }],
    ['zzzzzzzz', { is: 'missing-path', path: 'zzzzzzzz' }],
    ['path:aaaaaaaa-1', { is: 'missing-path', path: 'aaaaaaaa-1' }],
    ['path:./context/a.md', { is: 'met' }],
    ['context/a.md', { is: 'met' }],
    ['context/b.md', { is: 'missing-path', path: 'context/b.md' }],
    ['path:../a.md', { is: 'outside', path: '../a.md' }],
    ['msg:self-id-1', { is: 'cycle', through: ['self-id-1', 'self-id-1'] }],
    ['self-id-', { is: 'cycle', through: ['self-id-1', 'self-id-1'] }],
  ])('%s', (text, state) => {
    expect(judgeOne(text, 'self-id-1', lookup)).toEqual(state as never)
  })

  it('tells what is unmet, the hopeless first', () => {
    const waiting = { id: 'x', dependencies: ['msg:bbbbbbbb', 'msg:aaaaaaaa', 'context/b.md', 'msg:cccccccc'] }
    expect(judge(waiting, lookup).map(({ is }) => is)).toEqual(['failed', 'waiting', 'missing-path'])
    expect(judge({ id: 'x', dependencies: ['msg:aaaaaaaa', 'context/a.md'] }, lookup)).toEqual([])
    expect(judge({ id: 'x', dependencies: [] }, lookup)).toEqual([])
  })

  it('explains in one line', () => {
    const explained = (...dependencies: string[]) => explainWaiting(judge({ id: 'self-id-1', dependencies }, lookup))
    expect(explained()).toBe('')
    expect(explained('msg:bbbbbbbb', 'msg:cccccccc')).toBe(
      'cccccccc, which it depends on, failed; waits for bbbbbbbb (processing)',
    )
    expect(explained('msg:zz', 'msg:dddddddd', 'msg:self-id-1')).toBe(
      'depends on zz, which is not known; dddddddd could be dddddddd-1 or dddddddd-2; it waits for itself: self-id-1 → self-id-1',
    )
    expect(explained('a.md', 'b.md', 'c.md', 'd.md', '../e')).toBe(
      '../e is not a place inside the mission; the file a.md is missing; the file b.md is missing; 2 more',
    )
    expect(explained('msg:\u001b[2J\n')).toBe('depends on \\x1b[2J, which is not known')
    const long = Array.from({ length: 10_000 }, (_, i) => `m${i}`)
    expect(explainWaiting([{ is: 'cycle', through: [...long, 'm0'] }])).toBe(
      'it waits for itself: m0 → m1 → m2 → m3 → m4 → m5 → … 9994 more … → m0',
    )
  })
})

describe('cycles', () => {
  const graph = (edges: Record<string, readonly string[]>) => (id: string) => edges[id] ?? []

  it.each([
    [{ a: ['b'], b: ['c'] }, undefined],
    [{ a: ['a'] }, ['a', 'a']],
    [{ a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    [{ a: ['b', 'c'], b: ['d'], c: ['d'], d: ['e'], e: ['c', 'a'] }, ['a', 'b', 'd', 'e', 'a']],
    [{ a: ['b'], b: ['c'], c: ['b'] }, undefined],
    [{ a: ['b', 'c'], b: ['d'], c: ['d'] }, undefined],
  ])('through a in %j', (edges, cycle) => {
    expect(findCycle('a', graph(edges as Record<string, string[]>))).toEqual(cycle)
  })

  it('are all found, each beginning with its first id', () => {
    const edges = { a: ['b'], c: ['b'], b: ['c', 'x'], d: ['d'], f: ['e'], e: ['f', 'g'], g: ['e'], h: ['a', 'd'] }
    const found = findCycles(Object.keys(edges), graph(edges))
    expect(found.map(({ members }) => members)).toEqual([['b', 'c'], ['d'], ['e', 'f', 'g']])
    expect(found.map(({ through }) => through.join(' '))).toEqual(['b c b', 'd d', 'e f e'])
  })

  it('of a hundred thousand are found without a stack', () => {
    const size = 100_000
    const ring = (id: string) => [`m${(Number(id.slice(1)) + 1) % size}`]
    expect(findCycle('m0', ring)).toHaveLength(size + 1)
    const chain = (id: string) => (id === `m${size - 1}` ? [] : ring(id))
    expect(findCycle('m0', chain)).toBeUndefined()
  })
})

describe('a message of another mission', () => {
  it.each([
    ['a', 'b/id', 'a/b'],
    ['a', 'b/c/id', 'a/b/c'],
    ['a/b', '../id', 'a'],
    ['a/b', '../c/id', 'a/c'],
    ['a/b', '../../z/id', 'z'],
    ['a/b', '../b/id', 'a/b'],
    ['a', '../id', undefined],
    ['a', '../../id', undefined],
    ['a', 'sub-missions/id', undefined],
  ])('from %s by %s is in %s', (from, text, address) => {
    const way = wayOf(text)!
    expect([way.id, addressBehind(missionAddress(from), way)]).toEqual(['id', address])
  })
  it.each(['id', '', '/id', 'a//id', './id', 'a/', '..'])('%j is no way', (text) => expect(wayOf(text)).toBeUndefined())
})
