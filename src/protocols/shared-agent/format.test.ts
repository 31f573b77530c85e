import { describe, expect, it } from 'vitest'
import { commands } from './commands/table.ts'
import { parseLine, printLine } from './format.ts'
import { Refusal } from './refusal.ts'
import { segmentsOf, withValues } from './segments.ts'

const read = (line: string) => {
  const parsed = parseLine(line, commands)
  if (parsed.kind !== 'command') return parsed
  const { spec, given, modifier } = parsed
  return { name: spec.name, ...given, ...(modifier === undefined ? {} : { modifier }) }
}
const refusalOf = (line: string) => {
  try {
    parseLine(line, commands)
  } catch (error) {
    if (error instanceof Refusal) return `${error.answer} @${error.at}`
    throw error
  }
  return undefined
}

describe('a line', () => {
  it.each([
    ['#VERSION', { name: 'VERSION' }],
    ['#NEXT:', { name: 'NEXT' }],
    ['#STATE:save:k:v', { name: 'STATE:save', key: 'k', value: 'v' }],
    // Modifiers count only after the required parameters.
    ['#STATE:save:k:brief', { name: 'STATE:save', key: 'k', value: 'brief' }],
    ['#STATE:save:k:v:brief', { name: 'STATE:save', key: 'k', value: 'v', modifier: 'brief' }],
    ['#STATE:save:k:v:persistent', { name: 'STATE:save', key: 'k', value: 'v', persistent: 'persistent' }],
    ['#STATE:save:k:persistent', { name: 'STATE:save', key: 'k', value: 'persistent' }],
    [
      '#STATE:save:log_1:#DELEGATE:DevAgent:auth:P1',
      { name: 'STATE:save', key: 'log_1', value: '#DELEGATE:DevAgent:auth:P1' },
    ],
    ['#STATE:save:k:a\\:persistent', { name: 'STATE:save', key: 'k', value: 'a:persistent' }],
    ['#DIRECT:A\\:B:x', { name: 'DIRECT', agent: 'A:B', msg: 'x' }],
    ['#DIRECT:A\\\\:x', { name: 'DIRECT', agent: 'A\\', msg: 'x' }],
    ['#DIRECT:A:c\\d', { name: 'DIRECT', agent: 'A', msg: 'c\\d' }],
    ['#LOCK:src/auth.js:600', { name: 'LOCK', resource: 'src/auth.js', timeout: '600' }],
    ['#LOCK:db:users:600:P0', { name: 'LOCK', resource: 'db:users', timeout: '600', 'P0-P3': 'P0' }],
    ['#LOCK:db:users', { name: 'LOCK', resource: 'db:users' }],
    ['#LOCK:600', { name: 'LOCK', resource: '600' }],
    ['#WAIT:lock=src/a.js:30:P1', { name: 'WAIT', condition: 'lock=src/a.js', timeout: '30', 'P0-P3': 'P1' }],
    ['#LOCK:src/auth.js:P0', { name: 'LOCK', resource: 'src/auth.js', 'P0-P3': 'P0' }],
    ['#LOCK:r:P0:600', { name: 'LOCK', resource: 'r', timeout: '600', 'P0-P3': 'P0' }],
    ['#LOCK:http://host:8080/x', { name: 'LOCK', resource: 'http://host:8080/x' }],
    ['#LOCK:src/a.js\\:login:60', { name: 'LOCK', resource: 'src/a.js:login', timeout: '60' }],
    ['#WAIT:a\\:b', { name: 'WAIT', condition: 'a:b' }],
    ['#WAIT:lock=db:users', { name: 'WAIT', condition: 'lock=db:users' }],
    // White space at the end is nothing.
    ['#VERSION ', { name: 'VERSION' }],
    ['#NEXT: ', { name: 'NEXT' }],
    ['#STATE:list \t', { name: 'STATE:list' }],
    ['#STATE:save:k:v \u00a0\r\n', { name: 'STATE:save', key: 'k', value: 'v' }],
    ['#LOCK:src/a.js:600 ', { name: 'LOCK', resource: 'src/a.js', timeout: '600' }],
    [
      '#REPORT:DevAgent:security:detailed  ',
      { name: 'REPORT', 'agent|all': 'DevAgent', topic: 'security', modifier: 'detailed' },
    ],
    ['a sentence ', { kind: 'plain', text: 'a sentence ' }],
    ['#ASK:topic:limit=25', { name: 'ASK', topic: 'topic', modifier: { limit: 25 } }],
    ['#ASK:brief', { name: 'ASK', topic: 'brief' }],
    ['#ROLLBACK:status', { name: 'ROLLBACK:status' }],
    ['#ROLLBACK:cp_001:force', { name: 'ROLLBACK', id: 'cp_001', force: 'force' }],
    ['#ROLLBACK:dry-run:cp_001', { name: 'ROLLBACK:dry-run', id: 'cp_001' }],
    ['#HELP', { name: 'HELP' }],
    ['#HELP:#STATE:save', { name: 'HELP', category: '#STATE:save' }],
    ['#HELP:coordination:detailed', { name: 'HELP', category: 'coordination', modifier: 'detailed' }],
    ['#CONTEXT:export:./a.ctx:critical', { name: 'CONTEXT:export', filepath: './a.ctx', filter: 'critical' }],
    ['#CONTEXT:export:./a.ctx', { name: 'CONTEXT:export', filepath: './a.ctx' }],
    ['#STATE:save:k:{{A|x:brief}}', { name: 'STATE:save', key: 'k', value: '{{A|x:brief}}' }],
    ['{{NAME}}: "a value"', { kind: 'declaration', name: 'NAME', value: 'a value' }],
    ['{{NAME}}: bare', { kind: 'declaration', name: 'NAME', value: 'bare' }],
    // Everything else is plain language, a command inside a sentence too.
    ['please #HELP', { kind: 'plain', text: 'please #HELP' }],
    ['#help', { kind: 'plain', text: '#help' }],
    ['# HELP', { kind: 'plain', text: '# HELP' }],
    ['#HELPme', { kind: 'plain', text: '#HELPme' }],
    ['', { kind: 'plain', text: '' }],
  ])('[SA-2a] %s', (line, expected) => expect(read(line)).toEqual(expected))

  it.each([
    ['#FOO', '#ERROR:E001:unknown_command_FOO @1'],
    ['#STATE', '#ERROR:E002:expected_save_load_list_clear @undefined'],
    ['#STATE:drop', '#ERROR:E002:expected_save_load_list_clear @7'],
    ['#STATE:save', '#ERROR:E002:missing_key @11'],
    ['#STATE:save:k', '#ERROR:E002:missing_value @13'],
    ['#STATE:save:k:', '#ERROR:E002:missing_value @14'],
    ['#STATE:save::v', '#ERROR:E002:missing_key @12'],
    ['#STATE:list:x', '#ERROR:E002:too_many_parameters @12'],
    ['#VERSION:x', '#ERROR:E002:expected_check_features @9'],
    ['#ASK:t:limit=200', '#ERROR:E004:max_limit_100 @7'],
    ['#ASK:t:limit=1000000000', '#ERROR:E004:max_limit_100 @7'],
    ['#ASK:t:limit=0', '#ERROR:E002:bad_limit @7'],
    ['#ASK:t:limit=1e9', '#ERROR:E004:max_limit_100 @7'],
    ['#ASK:t:limit=1e1', '#ERROR:E002:bad_limit @7'],
    ['#ASK:t:limit=-1', '#ERROR:E002:bad_limit @7'],
    ['#ASK:t:limit=', '#ERROR:E002:bad_limit @7'],
    ['#LOCK:x:-1', '#ERROR:E002:bad_timeout @8'],
    ['#LOCK:x:0', '#ERROR:E002:min_timeout_1 @8'],
    ['#LOCK:x:1.5', '#ERROR:E002:bad_timeout @8'],
    ['#LOCK:x:86401', '#ERROR:E002:max_timeout_86400 @8'],
    ['#LOCK:x:5:P4', '#ERROR:E002:expected_P0_P1_P2_P3 @10'],
    // A mistyped time or priority is no part of a name.
    ['#LOCK:src/a.js:30s', '#ERROR:E002:bad_timeout @15'],
    ['#LOCK:src/a.js:abc', '#ERROR:E002:bad_timeout @15'],
    ['#LOCK:src/a.js:', '#ERROR:E002:bad_timeout @15'],
    ['#LOCK:r:10min', '#ERROR:E002:bad_timeout @8'],
    ['#LOCK:r: :P1', '#ERROR:E002:bad_timeout @8'],
    ['#LOCK:r:600:p1', '#ERROR:E002:expected_P0_P1_P2_P3 @12'],
    ['#DELEGATE:Dev:build:p1', '#ERROR:E002:expected_P0_P1_P2_P3 @20'],
    ['#WAIT:x:abc', '#ERROR:E002:bad_timeout @8'],
    ['#WAIT:x:', '#ERROR:E002:bad_timeout @8'],
    ['#WAIT:lock=src/a.js:soon', '#ERROR:E002:bad_timeout @20'],
    ['#STATE:save:k: ', '#ERROR:E002:missing_value @14'],
    ['#HELP\0', '#ERROR:E002:control_character @5'],
    ['#STATE:save:k:a\nb', '#ERROR:E002:control_character @15'],
    [`#STATE:save:k:${'x'.repeat(20_000)}`, '#ERROR:E004:max_line_16384 @16384'],
    ['x'.repeat(1_000_000), '#ERROR:E004:max_line_16384 @16384'],
    ['{{lower}}: "x"', '#ERROR:E002:bad_variable_name @2'],
  ])('[SA-2a][SA-7] refuses %.60s', (line, expected) => expect(refusalOf(line)).toBe(expected))

  it('is printed as somebody would type it, where that can be read back', () => {
    const printed = (line: string) => printLine(parseLine(line, commands), commands)
    for (const line of [
      '#STATE:save:log_1:#DELEGATE:DevAgent:auth:P1',
      '#LOCK:db:users:600:P0',
      '#SUMMARY:detailed:standard',
    ])
      expect(printed(line)).toBe(line)
    expect(printed('#STATE:save:k:a\\:persistent')).toBe('#STATE:save:k:a\\:persistent')
    expect(printed('#LOCK:src/a.js\\:login')).toBe('#LOCK:src/a.js\\:login')
    expect(printed('#STATE:save:k:v :brief')).toBe('#STATE:save:k:v :brief')
    expect(printed('{{A}}: b')).toBe('{{A}}: "b"')
  })
})

describe('segments', () => {
  it.each([
    ['a:b', ['a', 'b']],
    ['', ['']],
    [':', ['', '']],
    ['a\\:b', ['a:b']],
    ['a\\\\:b', ['a\\', 'b']],
    ['a\\\\\\:b', ['a\\:b']],
    ['a\\b\\', ['a\\b\\']],
    ['{{A|b:c}}:d', ['{{A|b:c}}', 'd']],
    ['{{a|b:c}}', ['{{a|b', 'c}}']],
  ])('%s', (line, expected) => expect(segmentsOf(line, 0).map(({ text }) => text)).toEqual(expected))
})

describe('variables', () => {
  const known: Record<string, string> = { A: 'x', B: '{{A}}:brief', C: '$&' }
  const put = (text: string) => withValues(text, (name) => (Object.hasOwn(known, name) ? known[name] : undefined))
  it.each([
    ['{{A}} and {{A}}', 'x and x'],
    ['{{B}}', '{{A}}:brief'],
    ['{{C}}', '$&'],
    ['{{D|else}}', 'else'],
    ['{{D|}}', ''],
    ['{{a}} {A}', '{{a}} {A}'],
  ])('[SA-4] %s', (text, expected) => expect(put(text)).toBe(expected))

  it('[SA-4] names the one that nobody declared', () => {
    expect(() => put('{{D}}')).toThrow(expect.objectContaining({ description: 'undefined_D' }))
    expect(() => put('{{__proto__}} {{CONSTRUCTOR}}')).toThrow(
      expect.objectContaining({ description: 'undefined_CONSTRUCTOR' }),
    )
  })
})
