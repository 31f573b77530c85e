/**
 * Whatever lies under `.signalbox/`: nothing outside the root changes, nobody waits, every error is one for people, and the
 * other messages flow.
 *
 * A failure prints `seed` and `path`. To see that very run again: SIGNALBOX_TEST_SEED=… SIGNALBOX_TEST_PATH=… npm test -- notes
 */
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { runtime } from '../support/child.ts'
import { withTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import {
  archiveLease,
  type Content,
  type Crafted,
  crafted,
  deadHolder,
  endlessBase,
  lockIn,
  noteOf,
  outside,
  pending,
  slotOf,
  unknownHolders,
} from './notes/crafted.ts'
import { live } from './notes/workspace.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const seed = Number(process.env.SIGNALBOX_TEST_SEED ?? 20261117)
const path = process.env.SIGNALBOX_TEST_PATH
/** Workspaces, with so many things in each: 2,000 things in all, and 100,000 in `npm run soak`. */
const inEach = 20
const workspaces = scale > 1 ? 1000 * scale : 100

const file = (text: string): Content => ({ kind: 'file', text })
const unknown = unknownHolders[0]!
const slot = slotOf(`${deadHolder}-0`)
const own = (name: string) => `.own-${deadHolder}-0-${name}`
const inEveryStripe = (name: string, content: Content): Crafted[] =>
  ['turn', 'lease', 'path', 'recovery'].flatMap((family) =>
    Array.from({ length: 64 }, (_, n) => ({ path: lockIn(`${family}-${n.toString(36)}`, name), content })),
  )

/** Each of these was seen to do harm. */
const examples: Readonly<Record<string, readonly Crafted[]>> = {
  'a note that says nothing': [{ path: slot, content: file('{}\n') }],
  'a note that says nothing, of who knows whom': [{ path: slotOf(`${unknown}-0`), content: file('{}\n') }],
  'a note that deletes a file outside': [
    {
      path: slot,
      content: file(noteOf(deadHolder, { draft: outside, operation: 'victim', from: 'a/x', file: 0, links: 1 })),
    },
    {
      path: slotOf(`${deadHolder}-1`),
      content: file(noteOf(deadHolder, { operation: `${deadHolder}-../../outside/victim` })),
    },
  ],
  'a note that moves a file outside': [
    { path: slot, content: file(noteOf(deadHolder, { from: '../outside/victim', to: '../outside/planted' })) },
    { path: slotOf(`${deadHolder}-1`), content: file(noteOf(deadHolder, { from: `${outside}/victim` })) },
  ],
  'a note that plants a file outside': [
    { path: `a/${own('x')}`, content: { kind: 'file', text: '#!/bin/sh\n', mode: 0o755 } },
    {
      path: slot,
      content: file(
        noteOf(deadHolder, { from: 'a/x', to: '../outside/planted', file: `@inode of a/${own('x')}@`, links: 1 }),
      ),
    },
  ],
  'a journal of moved files that leads outside': [
    {
      path: '.signalbox/state/aliases/alpha.json',
      content: file(
        '{"runs":[{"at":1,"state":"moving","clusters":["../../../.."],"moves":[{"from":"context/a.md","to":"context/../../../../way-out/planted","digest":""},{"from":"context/../../../../way-out/victim","to":"context/x.md","digest":""}]}]}',
      ),
    },
  ],
  'a journal that puts one file in the place of another': [
    {
      path: '.signalbox/state/aliases/alpha.json',
      content: file(
        '{"runs":[{"at":1,"state":"moving","clusters":["b.md"],"moves":[{"from":"context/a.md","to":"context/b.md","digest":""},{"from":"context/b.md","to":"context/b.md/c.md","digest":""}]}]}',
      ),
    },
  ],
  'notes that lead through a link': [
    { path: slot, content: file(noteOf(deadHolder, { from: 'way-out/victim', to: 'b/c' })) },
    { path: slotOf(`${deadHolder}-1`), content: file(noteOf(deadHolder, { from: 'a/x', to: 'way-out/planted' })) },
    { path: `a/${own('x')}`, content: file('private') },
  ],
  'a private file and a draft that are links': [
    { path: slot, content: file(noteOf(deadHolder, { from: 'a/x', draft: '.signalbox/engine/tmp' })) },
    { path: `a/${own('x')}`, content: { kind: 'link', to: `${outside}/victim` } },
    { path: `.signalbox/engine/tmp/${deadHolder}-0`, content: { kind: 'link', to: `${outside}/victim` } },
  ],
  'notes that are no files': [
    { path: slot, content: { kind: 'folder' } },
    { path: slotOf(`${deadHolder}-1`), content: { kind: 'pipe' } },
    { path: slotOf(`${deadHolder}-2`), content: { kind: 'link', to: `${outside}/victim` } },
    { path: slotOf(`${deadHolder}-3`), content: { kind: 'huge' } },
    { path: slotOf(`${deadHolder}-4`), content: { kind: 'link', to: `${outside}/not-there` } },
  ],
  'locks whose number is none': ['Infinity', '9007199254740991', '1e300', '007', '999999999999'].flatMap((number) =>
    inEveryStripe(`lock.${number}`, file(`H-${unknown} 99999999999999\n`)),
  ),
  'locks that end in the far future': inEveryStripe('lock.1', file(`H-${unknown} 99999999999999\n`)),
  'locks that are empty': inEveryStripe('lock.1', file('')),
  'locks that are half written': inEveryStripe('lock.1', file('H-')),
  'locks that are folders': inEveryStripe('lock.1', { kind: 'folder' }),
  'locks that are links': inEveryStripe('lock.1', { kind: 'link', to: `${outside}/victim` }),
  'folders of locks that are files': inEveryStripe('', file('x')).map(({ path: folder, content }) => ({
    path: folder.slice(0, -1),
    content,
  })),
  'an empty lease': [{ path: archiveLease, content: file('') }],
  'half a lease': [{ path: archiveLease, content: file('{"resource":"ac-mq arch') }],
  'a lease that is a folder': [{ path: archiveLease, content: { kind: 'folder' } }],
  'a lease with the highest number': [
    {
      path: archiveLease,
      content: file(
        '{"resource":"ac-mq archive llm/missions/alpha/archive","owner":"x","until":1,"fence":9007199254740991}\n',
      ),
    },
  ],
  'a cache that has no end': [
    { path: '.signalbox/cache/acmq/alpha/queue/pending/9-z.base', content: file(endlessBase()) },
  ],
  'totals that are nothing': [
    { path: '.signalbox/state/metrics/message-routing/totals.json', content: file('null\n') },
    { path: '.signalbox/state/approvals/x.json', content: file('null\n') },
  ],
  'private names that stand for no name': ['..', '.own-x.md', '.signalbox-tmp'].map((name) => ({
    path: `${pending}/${own(name)}`,
    content: file('x'),
  })),
  'private files that are folders': [{ path: `${pending}/${own('x.md')}`, content: { kind: 'folder' } }],
}

describe(`under .signalbox, on ${runtime}`, () => {
  for (const [title, things] of Object.entries(examples)) {
    verifies('X-notes', `${title}: nothing outside changes, all else flows, doctor tells`, async () => {
      const told = await withTempDir((base) => live(base, things))
      const isDerived = things.every((thing) => !thing.path.includes('engine') && !thing.path.includes('.own-'))
      if (!isDerived) expect(told.map(({ code }) => code)).not.toEqual([])
    })
  }

  verifies(
    'X-notes',
    `${inEach * workspaces} made-up notes, locks, leases, caches and states do no harm, seed ${seed}`,
    async () => {
      const things = fc.array(crafted, { minLength: inEach, maxLength: inEach })
      const property = fc.asyncProperty(
        things,
        async (all) => void (await withTempDir((base) => live(base, all.flat()))),
      )
      await fc.assert(property, { numRuns: workspaces, seed, ...(path ? { path } : {}), endOnFailure: true })
    },
    600_000 * scale,
  )
})
