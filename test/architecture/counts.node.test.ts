import { expect, it } from 'vitest'
import { repository } from '../support/child.ts'
import { judgeCoverage, readCitations, requirements } from './coverage.ts'

// The scripts are plain JavaScript, so that they run before anything is installed; they have no types to import.
const { bunLines, countJunit, countVitest, totalLine } = await import(
  new URL('../../scripts/counts.mjs', import.meta.url).href
)

const junit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" assertions="2" failures="1" skipped="2">
  <testsuite name="a.test.ts" file="a.test.ts" tests="4" failures="1" skipped="2">
    <testcase name="passes &lt;1&gt;" classname="d" time="0.1" file="a.test.ts" line="6" assertions="1" />
    <testcase name="is &quot;skipped&quot; &amp; why" classname="d" time="0" file="a.test.ts" line="7">
      <skipped />
    </testcase>
    <testcase name="later" classname="" time="0" file="a.test.ts" line="8">
      <skipped message="TODO" />
    </testcase>
    <testcase name="fails" classname="" time="0" file="a.test.ts" line="9">
      <failure type="AssertionError" message="1 is not &#10; 2">at a.test.ts:9</failure>
    </testcase>
  </testsuite>
</testsuites>`

it('counts what Bun reports', () => {
  expect(countJunit(junit, ['a.test.ts'], 1)).toEqual({
    passed: 1,
    failed: 1,
    failures: ['fails\n    1 is not \n     2'],
    skipped: ['d > is "skipped" & why', 'later'],
  })
})

it('counts a file that Bun could not load, and none when there was no report at all', () => {
  expect(countJunit(junit, ['a.test.ts', 'b.test.ts'], 1).failed).toBe(2)
  expect(countJunit('', ['a.test.ts'], 0)).toEqual({ passed: 0, failed: 0, failures: [], skipped: [] })
  expect(countJunit('', ['a.test.ts'], 1)).toEqual({
    passed: 0,
    failed: 1,
    failures: ['a.test.ts\n    it could not be loaded'],
    skipped: [],
  })
})

const report = (...files: [status: string, ...tests: string[]][]) => ({
  testResults: files.map(([status, ...tests]) => ({
    status,
    assertionResults: tests.map((test) => ({ status: test, fullName: `a ${test} test` })),
  })),
})

it('counts what vitest reports', () => {
  expect(countVitest(report(['passed', 'passed', 'skipped', 'todo'], ['failed', 'failed', 'passed']), 1)).toEqual({
    passed: 2,
    failed: 1,
    failures: ['a failed test'],
    skipped: ['a skipped test', 'a todo test'],
  })
})

it('counts a file that vitest could not load, or that failed beside its tests', () => {
  expect(countVitest(report(['passed', 'passed'], ['failed']), 1)).toMatchObject({ passed: 1, failed: 1 })
  expect(countVitest(report(['failed', 'passed']), 1)).toMatchObject({ passed: 1, failed: 1 })
})

it('counts a runner that ended badly as a failure', () => {
  expect(countVitest(report(['passed', 'passed']), 1)).toMatchObject({ passed: 1, failed: 1 })
})

it('says it in one line', () => {
  expect(totalLine([{ passed: 2, failed: 0, skipped: [] }])).toBe('2 passed, 0 failed')
  expect(
    totalLine([
      { passed: 2, failed: 1, skipped: ['a'] },
      { passed: 3, failed: 0, skipped: ['a', 'b'] },
    ]),
  ).toBe('5 passed, 1 failed, 3 skipped')
})

it('shows a line a file of what Bun prints, and every line about a failure', () => {
  const printed = `bun test v1.4.4 (38afee6c8) 3x PARALLEL

test/a.test.ts:
(pass) a > one [0.37ms]

test/b.test.ts:
what a test prints
(pass) two [12.65ms]
(skip) three (skipped: no git)

test/a.test.ts:
58 | const here = 1
error: expect(received).toBe(expected)
(fail) a > four [0.26ms]

test/b.test.ts:
(todo) five
a table after the last test

1 tests skipped:
(skip) three (skipped: no git)

 2 pass
 1 skip
 1 fail
 4 expect() calls
Ran 4 tests across 2 files. [5.34s]`
  const quiet = bunLines()
  expect(printed.split('\n').flatMap(quiet.of)).toEqual([
    'test/a.test.ts',
    'test/b.test.ts',
    'test/a.test.ts:',
    '58 | const here = 1',
    'error: expect(received).toBe(expected)',
    '(fail) a > four [0.26ms]',
  ])
  expect(printed.split('\n').flatMap(bunLines({ all: true }).of)).toEqual([
    'test/a.test.ts',
    'test/b.test.ts',
    'what a test prints',
    'test/a.test.ts:',
    '58 | const here = 1',
    'error: expect(received).toBe(expected)',
    '(fail) a > four [0.26ms]',
    'test/b.test.ts:',
    'a table after the last test',
  ])
})

it('shows why Bun could not load a file, which is printed under no test', () => {
  const lines = bunLines()
  const printed = ['', 'test/a.test.ts:', '# Unhandled error between tests', "error: Cannot find module './b.ts'", '']
  expect(printed.flatMap(lines.of)).toEqual(['test/a.test.ts'])
  expect(lines.rest()).toEqual(['# Unhandled error between tests', "error: Cannot find module './b.ts'"])
})

const { shared, testFiles } = await import(new URL('../../scripts/test.mjs', import.meta.url).href)
const files: string[] = testFiles()

it('with --all every test file runs on one runtime at least, and without Bun on Node', () => {
  const { onNode, onBun } = shared(files)
  expect(files.filter((file) => !onNode.includes(file) && !onBun.includes(file))).toEqual([])
  expect(shared(files, { hasBun: false }).onNode).toEqual(files)
  // As it would be with a name that says Node in a folder that is left to Bun.
  const lost = 'test/crash/x.node.test.ts'
  expect([...shared([lost]).onNode, ...shared([lost]).onBun]).toEqual([])
})

it('without --all a test file runs once, and every requirement is proven', () => {
  for (const hasBun of [true, false]) {
    const { onNode, onBun }: Record<string, string[]> = shared(files, { isShort: true, hasBun })
    const run = hasBun ? [...onNode!, ...onBun!] : onNode!
    expect(run.filter((file, at) => run.indexOf(file) !== at)).toEqual([])
    expect(files.filter((file) => !run.includes(file))).toEqual([
      'test/cluster/chaos.node.test.ts',
      'test/held/etcd.test.ts',
      'test/memory/resident.node.test.ts',
      'test/odd/odd-entries.long.node.test.ts',
    ])
    // Suites that run on every engine are no test files themselves.
    const proofs = readCitations(repository).filter(({ file }) => run.includes(file) || !file.endsWith('.test.ts'))
    expect(judgeCoverage(requirements, proofs)).toEqual([])
  }
})
