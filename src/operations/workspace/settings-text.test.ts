import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Entry, readSettingsText, readSimple, UnreadableSettings } from './settings-text.ts'
import { readYaml } from './settings-yaml.ts'

/** Entries as plain data: those of the simple reader decide late whether they are sections. */
const plain = (entries: readonly Entry[] | undefined): unknown =>
  entries &&
  JSON.parse(
    JSON.stringify(
      entries.map(({ key, line, value }) => ({
        key,
        line,
        value: value.kind === 'section' ? { kind: 'section', entries: plain(value.entries) } : value,
      })),
    ),
  )

const scalar = (key: string, line: number, value: unknown) => ({ key, line, value: { kind: 'scalar', scalar: value } })

describe('the simple reader', () => {
  const simple: readonly [string, unknown][] = [
    ['', []],
    ['# nothing but a comment – with a dash\n\n', []],
    ['engine: files\n', [scalar('engine', 1, 'files')]],
    ['a: 7d\nb: 1h30m\nc: 500ms\n', [scalar('a', 1, '7d'), scalar('b', 2, '1h30m'), scalar('c', 3, '500ms')]],
    [
      '# a\r\nengine: etcd://host:2379/team  # where\r\ncompat: true',
      [scalar('engine', 2, 'etcd://host:2379/team'), scalar('compat', 3, true)],
    ],
    [
      'a: 5\nb: -5\nc: "007"\nd: \'x y\'\ne: ""\nf:\n',
      [
        scalar('a', 1, 5),
        scalar('b', 2, -5),
        scalar('c', 3, '007'),
        scalar('d', 4, 'x y'),
        scalar('e', 5, ''),
        scalar('f', 6, null),
      ],
    ],
    [
      'acmq:\n  # inside\n  root: llm/missions\n  limit: 3\nagent: dev-1\n',
      [
        {
          key: 'acmq',
          line: 1,
          value: { kind: 'section', entries: [scalar('root', 3, 'llm/missions'), scalar('limit', 4, 3)] },
        },
        scalar('agent', 5, 'dev-1'),
      ],
    ],
  ]
  it.each(simple)('reads %j', (text, entries) => {
    expect(plain(readSimple(text))).toEqual(entries)
    expect(plain(readYaml(text))).toEqual(entries)
  })

  it.each([
    'a: [1, 2]',
    'a: {b: 1}',
    'a: |\n  text',
    'a: &x 1',
    'a: *x',
    '--- \na: 1',
    'a: 1\na: 2',
    'a: b: c',
    'a:b',
    'a: 1.5',
    'a: 0x10',
    'a: 007',
    'a: ~',
    'a: null',
    'a: True',
    'true: 1',
    'a: two words',
    "a: 'x # y'",
    'a: "\\n"',
    "a: 'it''s'",
    'a: ü',
    'a:\n  b:\n    c: 1',
    'a:\n  b: 1\n c: 2',
    'a: 1\n  b: 2',
    '  a: 1',
    '- a',
    '? a',
    'a: x:',
    '\ufeffa: 1',
    '\ta: 1',
    'a: 1\rb: 2',
    '"a": 1',
    '<<: 1',
  ])('leaves %j to the yaml package', (text) => {
    expect(readSimple(text)).toBeUndefined()
  })

  it('reads what `yaml` reads, and the same, whenever it reads at all', () => {
    const word = fc.constantFrom(
      'files',
      'etcd://h:1/t',
      'true',
      'false',
      'null',
      '5',
      '-5',
      '007',
      '1e3',
      '7d',
      '1h30m',
      '0x1d',
      "'q'",
      '"q"',
      '"#"',
      'a b',
      '',
      '~',
      'x#y',
      'x #y',
      '#',
      '[a]',
      '.5',
      '+1',
      'x:',
      'no',
    )
    const key = fc.constantFrom('engine', 'agent', 'acmq', 'a-b', 'true', 'n', 'null', 'A_1')
    const line = fc.oneof(
      fc
        .tuple(
          fc.constantFrom('', ' ', '  ', '    '),
          key,
          fc.constantFrom(': ', ':', ':  '),
          word,
          fc.constantFrom('', ' ', ' # c', '#c'),
        )
        .map((parts) => parts.join('')),
      fc.constantFrom('', '# c', '  # c', '---', '...', '- a', '%YAML 1.2'),
      fc.string({ maxLength: 12 }),
    )
    let compared = 0
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const text = lines.join(end)
        const entries = readSimple(text)
        if (entries === undefined) return
        compared++
        expect(plain(readYaml(text)), JSON.stringify(text)).toEqual(plain(entries))
      }),
      { numRuns: 4000 },
    )
    expect(compared).toBeGreaterThan(200)
  })
})

describe('the whole of YAML', () => {
  it('reads flow style, lists and quoted keys, with lines', async () => {
    expect(plain(await readSettingsText('# c\n"agent": a\nacmq: { root: x, roots: [a, 1, true] }\n'))).toEqual([
      scalar('agent', 2, 'a'),
      {
        key: 'acmq',
        line: 3,
        value: {
          kind: 'section',
          entries: [scalar('root', 3, 'x'), { key: 'roots', line: 3, value: { kind: 'list', items: ['a', 1, true] } }],
        },
      },
    ])
  })

  it('keeps names that are special to JavaScript as ordinary keys', async () => {
    expect(plain(await readSettingsText('"__proto__": 1\nconstructor: two words\n'))).toEqual([
      scalar('__proto__', 1, 1),
      scalar('constructor', 2, 'two words'),
    ])
  })

  const mistakes: readonly [string, number, RegExp][] = [
    ['a: 1\nb: [', 2, /flow|sequence/i],
    ['a: 1\na: 2', 2, /unique/i],
    ['- a\n- b', 1, /`key: value`/],
    ['just words', 1, /`key: value`/],
    ['a: 1\n---\nb: 2', 2, /second document/],
    ['a: 1\nb: !secret x', 2, /tag/i],
    ['a: &x 1\nb: *x', 2, /Aliases/],
    ['a:\n  b:\n    c: {d: 1}', 2, /deeper/],
    ['a:\n  - [1]', 2, /plain values/],
    ['1: a\n2: b c', 1, /plain word/],
    ['a: "\nb', 2, /quote|end/i],
  ]
  it.each(mistakes)('names the line of the mistake in %j', async (text, line, message) => {
    const error = await readSettingsText(text).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(UnreadableSettings)
    expect((error as UnreadableSettings).message).toMatch(message)
    expect((error as UnreadableSettings).line).toBe(line)
  })
})
