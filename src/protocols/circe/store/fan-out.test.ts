import { describe, expect, it } from 'vitest'
import { mortal, survives } from '../../../../test/support/mortal-tree.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type Circe, circe } from '../index.ts'

const readers = ['engineer', 'qa', 'scribe']

describe('a message to all', () => {
  const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
  it('[CI-4e] wherever its sender dies, everybody gets it once, also who has handled it by then', async () => {
    let whole = false
    for (let lives = 0; !whole; lives++) {
      const clock = heldClock()
      const tree = openMemoryTree({ clock })
      const open = (on: Tree): Promise<Circe> => circe.open({ tree: on, clock, settings: circe.defaults })
      const other = await open(tree)
      for (const agent of ['coordinator', ...readers]) await other.agents.init(agent)
      await other.overview.inbox('qa')
      const sender = await open(mortal(tree, lives))
      whole = await survives(
        sender.sending.send({ from: 'coordinator', to: 'all', intent: 'inform', summary: 'Lunch' }),
      )
      // One of those who have it by now deals with it before anybody finishes what was left.
      const [early] = await tree.list(at('AGENTS/engineer/INBOX'))
      if (early) await tree.move(at(`AGENTS/engineer/INBOX/${early.name}`), at(`AGENTS/engineer/WORKSPACE/handled.txt`))
      const names = (await tree.list(at('NEW_MESSAGES'))).map(({ name }) => name)
      const isThere = names.length > 0 || early !== undefined
      const got: Record<string, number> = {}
      for (let look = 0; look < 2; look++) {
        for (const agent of readers) {
          for (
            let claimed = await other.claiming.claim(agent);
            claimed.outcome === 'claimed';
            claimed = await other.claiming.claim(agent)
          ) {
            got[agent] = (got[agent] ?? 0) + 1
            await other.settling.done(agent, claimed.message.file)
          }
        }
      }
      const expected = isThere ? { ...(early ? {} : { engineer: 1 }), qa: 1, scribe: 1 } : {}
      expect(got, `killed before change ${lives + 1}`).toEqual(expected)
      const logged = (await tree.list(at('LOGS'))).filter(({ name }) => name.endsWith('.md'))
      expect(logged.length).toBe(isThere ? 1 : 0)
      const told = Buffer.from((await tree.read(at('LOGS/events.log')))?.bytes ?? []).toString()
      const lines = [told.match(/\tmessage\t/g)?.length, told.match(/\tdelivered\t/g)?.length]
      expect(lines, `killed before change ${lives + 1}`).toEqual(isThere ? [1, 1] : [undefined, undefined])
      expect(await tree.list(at('NEW_MESSAGES'))).toEqual([])
      expect(await tree.list(at('AGENTS/coordinator/INBOX'))).toEqual([])
      const left = await tree.list(treePath('.signalbox/state/delivery/circe/unfinished'))
      expect(left).toEqual([])
    }
  })

  const message =
    '# MESSAGE\nfrom: coordinator\nto: all\nintent: inform\nstatus: new\ncreated_at: 2026-01-01T00:00:00Z\n\n'
  const name = '20260101_000000_coordinator-all_inform.md'

  for (const taken of ['INBOX', 'WORKSPACE']) {
    it(`[CI-4e] [CI-9] one that an agent with a shell moved to its ${taken} before anybody looked reaches the others`, async () => {
      const clock = heldClock()
      const tree = openMemoryTree({ clock })
      const other: Circe = await circe.open({ tree, clock, settings: circe.defaults })
      for (const agent of ['coordinator', ...readers]) await other.agents.init(agent)
      await tree.create(at(`NEW_MESSAGES/${name}`), message)
      await tree.move(at(`NEW_MESSAGES/${name}`), at(`AGENTS/engineer/${taken}/${name}`))
      expect(await other.claiming.claim('qa')).toMatchObject({ outcome: 'claimed', message: { file: name } })
      expect(await other.claiming.claim('scribe')).toMatchObject({ outcome: 'claimed', message: { file: name } })
      expect(await other.claiming.claim('coordinator')).toMatchObject({ outcome: 'nothing' })
      // Whoever took it keeps it, and nobody gets a second one once it is handled.
      expect((await tree.list(at(`AGENTS/engineer/${taken}`))).map((one) => one.name)).toEqual([name])
      await other.settling.done('engineer', name)
      await other.settling.done('qa', name)
      for (const agent of ['coordinator', 'engineer', 'qa'])
        expect((await other.overview.inbox(agent)).messages, agent).toEqual([])
      expect((await tree.list(at('LOGS'))).map((one) => one.name)).toEqual([name, 'events.log'])
    })
  }

  it('[CI-4e] is brought once, wherever whoever brings it from an inbox dies', async () => {
    let whole = false
    for (let lives = 0; !whole; lives++) {
      const clock = heldClock()
      const tree = openMemoryTree({ clock })
      const open = (on: Tree): Promise<Circe> => circe.open({ tree: on, clock, settings: circe.defaults })
      const other = await open(tree)
      for (const agent of ['coordinator', ...readers]) await other.agents.init(agent)
      await other.overview.inbox('qa')
      await tree.create(at(`AGENTS/engineer/INBOX/${name}`), message)
      whole = await survives((await open(mortal(tree, lives))).overview.inbox('qa'))
      for (const agent of readers) {
        expect((await other.claiming.claim(agent)).outcome, `${agent}, killed before change ${lives + 1}`).toBe(
          'claimed',
        )
        await other.settling.done(agent, name)
      }
      for (const agent of readers) expect((await other.claiming.claim(agent)).outcome).toBe('nothing')
      const log = Buffer.from((await tree.read(at('LOGS/events.log')))!.bytes).toString()
      expect(log.match(/\tdelivered\t/g)).toHaveLength(1)
    }
  })
})
