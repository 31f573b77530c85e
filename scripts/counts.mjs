/**
 * Reads the reports of both test runners into the same shape: how many passed, which failed and why, which were
 * skipped, so that the end of a long output tells what failed.
 *
 * @typedef {{ passed: number, failed: number, failures: string[], skipped: string[] }} Counts
 */

/** Counts a vitest JSON report. A file that could not be loaded has no tests and counts as one failure. */
export function countVitest(report, status) {
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every(isPassed),
  )
  const failed = tests.filter((test) => test.status === 'failed')
  return settle(status, {
    passed: tests.filter(isPassed).length,
    failed: failed.length + unloaded.length,
    failures: [
      ...failed.map((test) => failure(test.fullName, test.failureMessages?.[0])),
      ...unloaded.map((file) => failure(file.name ?? 'a file', file.message || 'it could not be loaded')),
    ],
    skipped: tests.filter((test) => !isPassed(test) && test.status !== 'failed').map((test) => test.fullName),
  })
}

const isPassed = (test) => test.status === 'passed'

/** A test and why it failed, with enough of the text to see what was expected and what came. */
function failure(title, reason = '') {
  const lines = reason.split('\n').filter((line) => line.trim() !== '')
  return [title, ...lines.slice(0, 12).map((line) => `    ${line.slice(0, 300)}`)].join('\n')
}

/** Counts a JUnit report as Bun writes it; files that could not be loaded are missing from it. */
export function countJunit(xml, files, status) {
  const counts = { passed: 0, failed: 0, failures: [], skipped: [] }
  const reported = new Set()
  for (const [, attributes, , inside = ''] of xml.matchAll(/<testcase\b([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name) => decode(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
    reported.add(attribute('file').replace(/^\.\//, ''))
    const title = [attribute('classname'), attribute('name')].filter(Boolean).join(' > ')
    const failed = /<(?:failure|error)\b(?:[^>]*?\bmessage="([^"]*)")?/.exec(inside)
    if (failed !== null) counts.failures.push(failure(title, decode(failed[1] ?? '')))
    else if (/<skipped\b/.test(inside)) counts.skipped.push(title)
    else counts.passed++
  }
  const unloaded = status === 0 ? [] : files.filter((file) => !reported.has(file))
  counts.failures.push(...unloaded.map((file) => failure(file, 'it could not be loaded')))
  return settle(status, { ...counts, failed: counts.failures.length })
}

/** A runner that fails without naming a test (a crash, an error after the last test) counts as one failure. */
const settle = (status, counts) => (status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts)

const entities = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const decode = (text) =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  )

/**
 * Makes of the lines that `bun test` prints those to show: one for each file, when its first test ends, and what was printed
 * before a failure. What passing tests print is shown only to those who ask for it (`all`). Files run side by side, so a file
 * is named again where its failure follows lines of another.
 */
export function bunLines({ all = false } = {}) {
  const begun = new Set()
  /** By file, what was printed since its last test ended. */
  const held = new Map()
  let current = ''
  let shown = ''
  const show = (lines) => {
    const named = shown === current ? lines : [`${current}:`, ...lines]
    shown = current
    return named
  }
  return {
    of(line) {
      const file = /^(\S+\.test\.ts):$/.exec(line)?.[1]
      if (file !== undefined) {
        current = file
        if (begun.has(file)) return []
        begun.add(file)
        shown = file
        return [file]
      }
      if (line.trim() === '' || isCount.test(line)) return []
      const isEnd = /^\((?:pass|skip|todo|fail)\) /.test(line)
      const before = held.get(current) ?? []
      if (isEnd) held.delete(current)
      else held.set(current, [...before, line])
      if (line.startsWith('(fail) ')) return show(all ? [line] : [...before, line])
      return all && !isEnd ? show([line]) : []
    },
    /** What belongs to no test, such as why a file could not be loaded. */
    rest: () => (all ? [] : [...held.values()].flat()),
  }
}

/** The counts at the end, which our own summary repeats. */
const isCount =
  /^ *\d+ (?:pass|skip|todo|fail|filtered out|expect\(\) calls)$|^\d+ tests? (?:skipped|todo|failed):$|^bun test v|^Ran \d+ tests? across/

/** The line that ends a run, for people and for programs that read only the last line. */
export function totalLine(all) {
  const sum = (pick) => all.reduce((total, counts) => total + pick(counts), 0)
  const skipped = sum((counts) => counts.skipped.length)
  const line = `${sum((counts) => counts.passed)} passed, ${sum((counts) => counts.failed)} failed`
  return skipped === 0 ? line : `${line}, ${skipped} skipped`
}
