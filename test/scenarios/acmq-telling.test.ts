/** What is written about a mission, read as a manager would read it: of a mission with failures, milestones and chatter. */
import { beforeAll, describe, expect, it } from 'vitest'
import { treePath } from '../../src/kernel/tree-path.ts'
import { type RealisticMission, realisticMission } from '../support/realistic-mission.ts'
import { verifies } from '../support/verifies.ts'

const folder = 'llm/missions/alpha'
const modes = ['top-down', 'holistic'] as const
let box: RealisticMission
let documents: Record<string, string>

async function documentsOf({ tree }: RealisticMission): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name } of await tree.list(treePath(`${folder}/findings`))) {
    const text = Buffer.from((await tree.read(treePath(`${folder}/findings/${name}`)))!.bytes).toString()
    if (name.startsWith('bus-')) found[/^# Message Bus: (.*)$/m.exec(text)![1]!] = text
  }
  return found
}

beforeAll(async () => {
  box = await realisticMission(60)
  await (await box.mission.memory()).bus()
  documents = await documentsOf(box)
})

const report = async (mode: (typeof modes)[number], more: object = {}) =>
  (await box.mission.memory()).report({ mode, ...more })
/** What stands below a heading. */
const section = (text: string, title: string) =>
  new RegExp(`^#+ (?:\\[)?${title}[^\\n]*\\n+([^]*?)(?=\\n#+ |$(?![^]))`, 'm').exec(text)?.[1] ?? ''
const summaryIn = (text: string) => section(text, 'Thematic Summary')

describe('a report', () => {
  verifies('AC-16.2', 'begins with results, then what stands in the way; chatter is one line', async () => {
    const { document } = await report('top-down')
    const heads = [...document.matchAll(/^## (.*)$/gm)].map(([, head]) => head)
    expect(heads.slice(0, 5)).toEqual(['Progress', 'Other Results', 'What Failed', 'Blocked For Good', 'What Is Open'])
    const results = section(document, 'Other Results').trim().split('\n')
    expect(results[0]).toContain('p95 is 410 milliseconds at 200 payments a second.')
    expect(results.at(-1)).toMatch(/^- “Done, number 4000\.” \(Refund 4000, `refu0000`, and \d+ more like it\)$/)
    expect(document.match(/Refund 4\d{3}/g)).toHaveLength(1)
    expect(section(document, 'What Is Open')).toMatch(
      /- Ticket 4003 \(waits for gemini, `tick0003`, and \d+ more like it\)/,
    )
  })

  verifies('AC-16.2', 'keeps the name of a task whose result has many lines', async () => {
    for (const mode of modes) {
      const { document } = await report(mode)
      const line = document.split('\n').find((one) => one.includes('our pool keeps them for 60.'))
      expect(line).toContain('Find the cause of the failed payments')
      expect(line).toContain(
        '4.8 percent of all calls hit a closed connection; the driver reports them as declined cards',
      )
    }
  })

  verifies('AC-16.2', 'says what is blocked for good, and by what, and never that it waits for somebody', async () => {
    for (const mode of modes) {
      const { document } = await report(mode)
      expect(document).toMatch(/ \d+ wait and 2 are blocked for good\./)
      expect(section(document, 'Blocked For Good')).toBe(
        [
          'None of these can start until what it depends on is tried again or sent anew.\n',
          '- Test the kept basket on phones (for qa, `basket07`): `basket06`, which it depends on, failed',
          '- Announce that baskets are kept (for whoever comes first, `basket08`): it depends on `basket07`, which is blocked itself\n',
        ].join('\n'),
      )
      expect(section(document, 'What Is Open')).not.toMatch(/basket0|for all/)
      expect(document).toContain('Switch off the old gateway (waits for `cert0012`, then for codex, `switch11`)')
    }
  })

  verifies('AC-16.3', 'names nobody called all among those who worked', async () => {
    const { document } = await report('holistic')
    expect(section(document, 'How')).toMatch(/^claude, codex, gemini, planner and qa worked on it, from 2026-11-02 to /)
    expect(document).not.toMatch(/\| all \|/)
  })

  verifies('AC-16.3', 'says nothing twice', async () => {
    for (const mode of modes) {
      const { document } = await report(mode)
      const quotes = [...document.matchAll(/“([^”]*)”/g)].map(([, text]) => text!)
      expect(quotes.length).toBeGreaterThan(10)
      expect(quotes.filter((text, at) => quotes.indexOf(text) !== at)).toEqual([])
      const lines = document.split('\n').filter((line) => line.startsWith('- '))
      expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([])
    }
  })

  for (const count of [20, 60, 200])
    verifies('AC-16.3b', `of ${count} messages uses the budget it is given, and drops no milestone`, async () => {
      const mission = count === 60 ? box.mission : (await realisticMission(count)).mission
      for (const mode of modes) {
        const whole = await (await mission.memory()).report({ mode, budgetTokens: 100_000 })
        expect(whole.isShortened).toBe(false)
        for (const budgetTokens of [500, 800, 1200, 2000, 4000]) {
          const { document, tokens, isShortened } = await (await mission.memory()).report({ mode, budgetTokens })
          expect(tokens).toBeLessThanOrEqual(budgetTokens)
          expect(isShortened).toBe(whole.tokens > budgetTokens)
          if (isShortened)
            expect([mode, budgetTokens, tokens / budgetTokens >= 0.85]).toEqual([mode, budgetTokens, true])
          for (const title of ['Cause of the failed payments is known', 'Old gateway is switched off'])
            expect(document).toContain(title)
        }
      }
    })

  verifies('AC-16.3b', 'that is kept has no link that breaks, whatever becomes of the messages', async () => {
    const { tree, mission, clock } = await realisticMission(20)
    await (await mission.memory()).bus()
    const texts: string[] = []
    for (const mode of [...modes, 'bottom-up'] as const)
      texts.push((await (await mission.memory()).report({ mode, out: `findings/${mode}.md` })).document)
    for (const agent of ['gemini', 'codex', 'qa', 'planner'])
      for (
        let found = await mission.claims.next({ agent });
        found.outcome === 'claimed';
        found = await mission.claims.next({ agent })
      )
        await mission.settling.complete(found.message.id, { agent }, { text: 'Done.' })
    clock.advance(60_000)
    await (await mission.upkeep()).archive({ olderThanMs: 0 })
    const links = texts.flatMap((text) => [...text.matchAll(/\]\(<([^>]+)>\)/g)].map(([, target]) => target!))
    expect(links.length).toBeGreaterThan(8)
    for (const link of links) {
      const path = new URL(link, `file:///${folder}/findings/x.md`).pathname.slice(1)
      expect([link, (await tree.look(treePath(path)))?.kind]).toEqual([link, 'leaf'])
    }
    const ids = new Set(
      texts.flatMap((text) => [...text.matchAll(/\(?`([a-z]{3,6}[0-9]{2,4})`/g)].map(([, id]) => id!)),
    )
    expect(ids.size).toBeGreaterThan(15)
    for (const id of ids) expect((await (await mission.overview()).show(id)).id).toBe(id)
  })
})

describe('a bus document', () => {
  verifies('AC-13.1', 'has results first, and no list of words or count of one message as a sentence', () => {
    for (const text of Object.values(documents)) {
      const summary = summaryIn(text)
      expect(summary).not.toMatch(/Key terms|One message of|: 1 completed\./)
      const heads = [...summary.matchAll(/^\*\*(.*)\*\*$/gm)].map(([, head]) => head!)
      const order = ['Results', 'Failed', 'Blocked for good', 'Open questions', 'What else was said', 'What was said']
      expect(heads).toEqual(order.filter((head) => heads.includes(head)))
      const items = summary.split('\n').filter((line) => line.startsWith('- '))
      expect(new Set(items).size).toBe(items.length)
    }
  })

  verifies('AC-13.2c', 'of a milestone has the fix that depends on its diagnosis', () => {
    expect(documents['Cause of the failed payments is known']).toContain('**Why:** it depends on cause001')
    expect(documents['Payments are retried safely']).toContain('| Test that nobody is charged twice | completed |')
  })

  verifies('AC-13.1', 'has only questions that nobody has answered, and says what is blocked for good', async () => {
    const { mission, tree } = await realisticMission(20)
    const made = async (query: string) => {
      const { documents: found } = await (await mission.memory()).bus({ query })
      return summaryIn(Buffer.from((await tree.read(treePath(found[0]!.path)))!.bytes).toString())
    }
    const certificates = await made('certificate')
    expect(certificates).toContain('**Open questions**\n\n- “Should it go out before the freeze?” (`cert0012`)')
    expect(certificates).not.toContain('?” (`cert0009`)')
    expect(await made('basket kept phones')).toContain(
      '- Test the kept basket on phones (`basket07`): `basket06`, which it depends on, failed',
    )
  })

  it('[AC-13.1] is renewed when what it tells of is blocked by something outside of it', async () => {
    const { mission } = await realisticMission(15)
    const query = 'announce baskets release notes'
    expect((await (await mission.memory()).bus({ query })).documents[0]!.messages).toContain('basket08')
    expect((await (await mission.memory()).bus({ query })).outcome).toBe('unchanged')
    await mission.settling.retry('basket06')
    expect((await (await mission.memory()).bus({ query })).documents).toMatchObject([{ outcome: 'renewed' }])
  })
})
