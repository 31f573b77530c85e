/** Reads the reports of both test runners into the same shape: how many passed and failed, and which were skipped. */

/**
 * @typedef {{ passed: number, failed: number, skipped: string[] }} Counts
 */

/** Counts a vitest JSON report. A file that could not be loaded holds no test and counts as one failure. */
export function countVitest(report, status) {
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every(isPassed),
  )
  return settle(status, {
    passed: tests.filter(isPassed).length,
    failed: tests.filter((test) => test.status === 'failed').length + unloaded.length,
    skipped: tests.filter((test) => !isPassed(test) && test.status !== 'failed').map((test) => test.fullName),
  })
}

const isPassed = (test) => test.status === 'passed'

/** Counts a JUnit report as Bun writes it; files that could not be loaded are missing from it. */
export function countJunit(xml, files, status) {
  const counts = { passed: 0, failed: 0, skipped: [] }
  const reported = new Set()
  for (const [, attributes, , inside = ''] of xml.matchAll(/<testcase\b([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name) => decode(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
    reported.add(attribute('file').replace(/^\.\//, ''))
    if (/<(failure|error)\b/.test(inside)) counts.failed++
    else if (/<skipped\b/.test(inside))
      counts.skipped.push([attribute('classname'), attribute('name')].filter(Boolean).join(' > '))
    else counts.passed++
  }
  if (status !== 0) counts.failed += files.filter((file) => !reported.has(file)).length
  return settle(status, counts)
}

/** A runner that ends badly without naming a test (an error after the last one, a crash) still failed once. */
const settle = (status, counts) => (status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts)

const entities = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const decode = (text) =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  )

/** The line that ends a run, for people and for programs that read only the last line. */
export function totalLine(all) {
  const sum = (pick) => all.reduce((total, counts) => total + pick(counts), 0)
  const skipped = sum((counts) => counts.skipped.length)
  const line = `${sum((counts) => counts.passed)} passed, ${sum((counts) => counts.failed)} failed`
  return skipped === 0 ? line : `${line}, ${skipped} skipped`
}
