/** Lines of the Shared Agent Protocol and context files: print and parse are inverse, and nothing breaks the reader. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandSpec, Tail } from '../../src/protocols/shared-agent/commands/spec.ts'
import { commands } from '../../src/protocols/shared-agent/commands/table.ts'
import { type Context, parseContext, printContext } from '../../src/protocols/shared-agent/context-file.ts'
import { longestLine, parseLine, printLine } from '../../src/protocols/shared-agent/format.ts'
import { parseSession } from '../../src/protocols/shared-agent/record.ts'
import { Refusal } from '../../src/protocols/shared-agent/refusal.ts'
import type { Command } from '../../src/protocols/shared-agent/schema.ts'

const runs = 300 * Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)

/** Texts that lean on what the grammar gives a meaning to. */
const piece = fc.constantFrom(
  ...[':', '\\', '\\:', 'brief', 'standard', 'limit=5', 'limit=x', 'persistent', 'force', 'P1', '60', '-1', 'all'],
  ...['{{A}}', '{{A|b:c}}', '{{', '}}', '#STATE', 'save', ' ', 'a', 'é', '漢', '😀', '"', '$(x)', '`'],
)
const text = fc
  .array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 3 })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, ''))
  .filter((one) => one !== '')

const tailValue = (tail: Tail): fc.Arbitrary<string> =>
  tail.kind === 'seconds'
    ? fc.integer({ min: tail.least, max: 86_400 }).map(String)
    : fc.constantFrom(...(tail.kind === 'priority' ? ['P0', 'P1', 'P2', 'P3'] : tail.choices))

const modifier = fc.option(
  fc.oneof(
    fc.constantFrom('brief' as const, 'standard' as const, 'detailed' as const),
    fc.integer({ min: 1, max: 100 }).map((limit) => ({ limit })),
  ),
  { nil: undefined },
)

const commandOf = (spec: CommandSpec): fc.Arbitrary<Command> => {
  const parameters = Object.fromEntries(
    spec.parameters.map(({ name, optional }) => [name, optional ? fc.option(text, { nil: undefined }) : text]),
  )
  const tails = Object.fromEntries(
    (spec.tails ?? []).map((tail) => [tail.name, fc.option(tailValue(tail), { nil: undefined })]),
  )
  return fc.record({ given: fc.record({ ...parameters, ...tails }), modifier }).map((made) => ({
    kind: 'command' as const,
    spec,
    given: Object.fromEntries(
      Object.entries(made.given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ) as Record<string, string>,
    modifier: made.modifier,
  }))
}

/** A word that says another form of the command cannot be a first parameter. */
const isSayable = ({ spec, given }: Command): boolean => {
  const forms = commands.flatMap(({ name }) =>
    name.startsWith(`${spec.name}:`) ? [name.slice(spec.name.length + 1)] : [],
  )
  const first = given[spec.parameters[0]?.name ?? ''] ?? ''
  return !forms.some((form) => first === form || first.startsWith(`${form}:`))
}

const meaning = ({ spec, given, modifier: how = 'standard' }: Command) => ({ name: spec.name, given, how })

describe('a command', () => {
  it('[SA-2a] printed and read is the same, whatever its texts', () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...commands)
          .chain(commandOf)
          .filter(isSayable),
        (command) => {
          const line = printLine(command, commands)
          const again = parseLine(line, commands)
          expect(again.kind).toBe('command')
          expect(meaning(again as Command)).toEqual(meaning(command))
        },
      ),
      { numRuns: 5 * runs },
    )
  })

  it('[SA-2a][X-fuzz] any line is read or refused, and what is read can be printed and read again', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .tuple(fc.constantFrom(...commands.map(({ name }) => `#${name}`)), fc.array(text, { maxLength: 5 }))
        .map(([name, rest]) => [name, ...rest].join(':')),
    )
    fc.assert(
      fc.property(line, (written) => {
        try {
          const read = parseLine(written, commands)
          const again = parseLine(printLine(read, commands), commands)
          if (read.kind === 'command') expect(meaning(again as Command)).toEqual(meaning(read))
          else expect(again).toEqual(read)
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
          expect((error as Refusal).answer).toMatch(/^#ERROR:E00[124]:[A-Za-z0-9_.-]+$/)
        }
      }),
      { numRuns: 5 * runs },
    )
  })

  it('[X-fuzz] a long line of colons and backslashes takes no long time', () => {
    const started = performance.now()
    for (const sign of [':', '\\', '{{', '\\:', '{{A|']) {
      try {
        parseLine(`#STATE:save:k:${sign.repeat(longestLine)}`.slice(0, longestLine), commands)
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
      }
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

const value = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((one) => one.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').toWellFormed())
const oneLine = value.map((one) => one.replace(/[\u0000-\u001f]/g, '')).filter((one) => one !== '')
const pairs = (name: fc.Arbitrary<string>, of: fc.Arbitrary<string>) =>
  fc.uniqueArray(fc.tuple(name, of), { maxLength: 5, selector: ([key]) => key })
const key = fc.stringMatching(/^[A-Za-z0-9_]{1,8}$/)

describe('a context file', () => {
  it('[SA-16] printed and read is the same', async () => {
    const context: fc.Arbitrary<Context> = fc.record({
      version: fc.constant('1.1.0'),
      exported: fc.constant('2024-01-15T14:30:00Z'),
      session: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,10}$/),
      persistent: pairs(key, value),
      temporary: pairs(key, value),
      completed: fc.array(oneLine, { maxLength: 3 }),
      inProgress: pairs(oneLine, value),
      pending: fc.array(oneLine, { maxLength: 3 }),
      configuration: pairs(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/), value),
    })
    await fc.assert(
      fc.asyncProperty(context, async (made) => {
        expect(await parseContext(printContext(made))).toEqual(made)
      }),
      { numRuns: runs },
    )
  })

  it('[SA-16][X-fuzz] any text is read, or refused with its line', async () => {
    const line = fc.constantFrom(
      ...[
        'version: 1.1.0',
        'version: 2.0.0',
        'state:',
        '  persistent:',
        '    k: v',
        '    k: [1]',
        'tasks:',
        '  pending: [a, b]',
      ],
      ...[
        '  pending: a',
        '&a x',
        '*a',
        '!!js/function x',
        '--- ',
        '- x',
        'state: *a',
        '\t',
        'x: {a: {b: {c: d}}}',
        '"',
        '    k: w',
      ],
    )
    const written = fc.oneof(
      fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n')),
      fc.string({ unit: 'binary', maxLength: 80 }),
    )
    await fc.assert(
      fc.asyncProperty(written, async (one) => {
        try {
          await parseContext(one)
        } catch (error) {
          expect(error).toMatchObject({ line: expect.any(Number), message: expect.any(String) })
          expect((error as Error).constructor.name).toBe('PlainYamlProblem')
        }
      }),
      { numRuns: runs },
    )
  })
})

describe('a session’s document', () => {
  it('[X-fuzz] any bytes are read, or it is told what is wrong', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (one) => {
        expect(parseSession(Buffer.from(one), 'x')).toMatchObject({ wrong: expect.any(String) })
      }),
      { numRuns: runs },
    )
  })
})
