/**
 * Whatever messages and context files say: organizing and undoing are inverse, the order in which things came to be changes
 * nothing, every message is in a report once, and nothing escapes its quotation.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { boxOn } from '../support/acmq.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const mission = 'llm/missions/alpha'
const start = Date.parse('2026-11-17T15:00:00Z')
const openBox = async () => {
  const clock = heldClock(start)
  return boxOn(openMemoryTree({ clock }), { clock, settings: { busDocumentBytes: 16 * 1024 } })
}

const subjects = [
  'slow orders query on the orders table with an index',
  'login page with a password form and a session cookie',
  'holiday calendar of the office and its public days',
]
const nasty = fc.constantFrom(
  '```',
  '~~~~~',
  '## Full Message Log',
  '| a |',
  '<b>',
  '---',
  '**File:** `x`',
  '\u200b',
  '# H\r',
)
/** A few words of a subject, and sometimes what could break a document. */
const text = fc
  .tuple(
    fc.constantFrom(...subjects).chain((subject) => fc.shuffledSubarray(subject.split(' '), { minLength: 4 })),
    fc.array(nasty, { maxLength: 2 }),
  )
  .map(([words, lines]) => `${words.join(' ')}.\n${lines.join('\n')}\n`)

async function contextOf(tree: Tree, folder = `${mission}/context`): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, kind } of await tree.list(treePath(folder))) {
    const path = `${folder}/${name}`
    if (kind === 'folder') Object.assign(found, await contextOf(tree, path))
    else found[path] = Buffer.from((await tree.read(treePath(path)))!.bytes).toString('latin1')
  }
  return found
}

describe('organize', () => {
  const name = fc
    .tuple(
      fc.constantFrom('plan', 'über', '計画', 'a b', 'x'),
      fc.nat(99),
      fc.constantFrom('.md', '.txt', '.csv', '.ts', ''),
    )
    .map(([word, n, ending]) => `${word}-${n}${ending}`)
  const files = fc.uniqueArray(fc.tuple(name, text), { minLength: 3, maxLength: 14, selector: ([one]) => one })

  it(
    '[AC-15.2b] and undo are inverse, and doing it twice changes nothing',
    async () => {
      let moved = 0
      await fc.assert(
        fc.asyncProperty(files, files, async (first, later) => {
          const { tree, mission: on } = await openBox()
          const put = async (all: readonly (readonly [string, string])[]) => {
            for (const [path, said] of all) await tree.create(treePath(`${mission}/context/${path}`), said)
          }
          await put(first)
          const before = await contextOf(tree)
          const { moves } = await (await on.memory()).organize()
          moved += moves.length
          const after = await contextOf(tree)
          expect(await (await on.memory()).organize()).toMatchObject({ outcome: 'unchanged' })
          expect(await contextOf(tree)).toEqual(after)
          await put(later.map(([path, said]) => [`later-${path}`, said]))
          const between = await contextOf(tree)
          const again = await (await on.memory()).organize()
          if (again.moves.length > 0) await (await on.memory()).undoOrganize()
          // Besides READMEs, which speak of the files that are there.
          const withoutReadmes = (all: Record<string, string>) =>
            Object.entries(all).filter(([path]) => !path.endsWith('/README.md'))
          expect(withoutReadmes(await contextOf(tree))).toEqual(withoutReadmes(between))
          for (const [path] of later) await tree.remove(treePath(`${mission}/context/later-${path}`))
          expect((await (await on.memory()).undoOrganize()).outcome).toBe(moves.length > 0 ? 'undone' : 'unchanged')
          expect(await contextOf(tree)).toEqual(before)
        }),
        { numRuns: 20 * scale },
      )
      expect(moved).toBeGreaterThan(40)
    },
    60_000 * scale,
  )
})

describe('documents', () => {
  const messages = fc.array(text, { minLength: 2, maxLength: 14 })
  const idOf = (n: number) => `m${1_000_000 + n}`
  const put = (tree: Tree, n: number, body: string) => {
    const at = new Date(start + n * 1000).toISOString()
    const name = `${at.replace(/\D/g, '').slice(0, 14)}-${idOf(n)}-from-a-to-b.md`
    const header = `id: ${idOf(n)}\nmission_id: alpha\ntimestamp: "${at}"\nfrom: a\nto: b\nstatus: completed\ndependencies: ${n % 5 === 1 ? `["msg:${idOf(n - 1)}"]` : '[]'}\nsummary: Number ${n}`
    return tree.create(treePath(`${mission}/queue/completed/${name}`), `---\n${header}\n---\n${body}`)
  }

  /** Lines outside of quotations. A quotation that does not end swallows the rest. */
  function outside(document: string): string[] {
    const lines: string[] = []
    let fence: string | undefined
    for (const line of document.split('\n')) {
      const opening = /^(`{3,}|~{3,})/.exec(line)?.[1]
      if (fence === undefined && opening) fence = opening
      else if (fence !== undefined && line === fence) fence = undefined
      else if (fence === undefined) lines.push(line)
    }
    expect(fence).toBeUndefined()
    return lines
  }

  it(
    '[AC-13.2a][AC-16.1] the order in which messages came changes nothing, and each is in a report once',
    async () => {
      let made = 0
      await fc.assert(
        fc.asyncProperty(
          messages.chain((bodies) =>
            fc.tuple(fc.constant(bodies), fc.shuffledSubarray([...bodies.keys()], { minLength: bodies.length })),
          ),
          async ([bodies, order]) => {
            const told: unknown[] = []
            for (const places of [[...bodies.keys()], order]) {
              const { tree, mission: on } = await openBox()
              for (const n of places) await put(tree, n, bodies[n]!)
              const { documents } = await (await on.memory()).bus()
              made += documents.length
              const texts: string[] = []
              for (const { name } of await tree.list(treePath(`${mission}/findings`)))
                texts.push(Buffer.from((await tree.read(treePath(`${mission}/findings/${name}`)))!.bytes).toString())
              const reports: string[] = []
              for (const mode of ['bottom-up', 'top-down', 'holistic'] as const)
                reports.push((await (await on.memory()).report({ mode })).document)
              await (await on.memory()).snapshot(['completed'])
              const [snapshot] = await tree.list(treePath(`${mission}/artifacts/queue-snapshots`))
              const taken = await tree.read(treePath(`${mission}/artifacts/queue-snapshots/${snapshot!.name}`))
              told.push([texts.sort(), reports, Buffer.from(taken!.bytes).toString()])
              const log = outside(reports[0]!)
              const files = log.flatMap((line) => /^\*\*File:\*\* `\d{14}-(m\d+)-/.exec(line)?.[1] ?? [])
              expect(files).toEqual(bodies.map((_, n) => idOf(n)))
              for (const one of [...texts, ...reports]) {
                const lines = outside(one)
                expect(lines.join('\n')).not.toMatch(/<b>|\u200b/)
                expect(lines.filter((line) => line === '## Full Message Log').length).toBeLessThanOrEqual(1)
              }
              outside(Buffer.from(taken!.bytes).toString())
            }
            expect(told[1]).toEqual(told[0])
          },
        ),
        { numRuns: 15 * scale },
      )
      expect(made).toBeGreaterThan(8)
    },
    60_000 * scale,
  )
})
