import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/child.ts'
import { verifies } from '../support/verifies.ts'
import { draftsOf, type EnvelopeProtocol, expectedOf, isWhole, toldBy } from './envelope/drafts.ts'

const folder = join(repository, 'test/properties/envelope')
const files = readdirSync(folder)
  .filter((name) => name !== 'drafts.ts')
  .toSorted()
const protocols: EnvelopeProtocol[] = []
for (const file of files)
  protocols.push(((await import(join(folder, file))) as { protocol: EnvelopeProtocol }).protocol)

describe.each(protocols)('the envelope of $name', (protocol) => {
  verifies('X-envelope', 'lifting what was lowered gives the same, and the record whole', () => {
    fc.assert(
      fc.property(draftsOf(protocol), (draft) => {
        const envelope = protocol.roundTrip(draft)
        expect(toldBy(draft, envelope)).toEqual(expectedOf(draft))
        expect(isWhole(envelope)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

it('every protocol has one', () => {
  expect(files.map((name) => name.replace('.ts', ''))).toEqual(
    readdirSync(join(repository, 'src/protocols'), { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
      .toSorted(),
  )
})
