/**
 * Tests that prove a requirement. The ids of `test/requirements.ts` stand in the title, where people, reports
 * and `coverage.test.ts` find them.
 *
 *   verifies('AC-4.2b', 'one of many claimers wins', async () => { … })
 *   verifies.unless(haveStrace().reason, 'X-crash', 'no step goes uncounted', () => { … })
 */
import { it } from 'vitest'

type Body = () => unknown

/** A test whose title begins with the requirements it proves. */
export function verifies(ids: string | readonly string[], title: string, body: Body, timeoutMs?: number): void {
  it(titleOf(ids, title), async () => void (await body()), timeoutMs)
}

/** The same, skipped when there is a reason; the reason then stands in the title. */
verifies.unless = (
  reason: string | undefined,
  ids: string | readonly string[],
  title: string,
  body: Body,
  timeoutMs?: number,
): void => {
  if (reason === undefined) verifies(ids, title, body, timeoutMs)
  else it.skip(`${titleOf(ids, title)} (skipped: ${reason})`, () => {})
}

const titleOf = (ids: string | readonly string[], title: string): string =>
  `${(typeof ids === 'string' ? [ids] : ids).map((id) => `[${id}]`).join('')} ${title}`
