/**
 * What claims in notes promise, on one engine: of many claimers one wins, a claim that was handed on changes nothing for its
 * old holder, and a process killed or held before any change leaves a claim or none.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { heldClock, systemClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { ClaimNotes } from '../../src/messaging/claims/claim-notes.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { gate, mortal, stoppedAt, survives } from '../support/mortal-tree.ts'
import type { EnginePlace } from './every-engine.ts'

const folder = treePath('claims')
const lost = expect.objectContaining({ code: 'LOST_CLAIM', exit: 4 })
const minute = 60_000

export function describeClaims(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`claims in notes on ${title}`, () => {
    const opened: Tree[] = []
    afterEach(async () => {
      for (const tree of opened.splice(0)) await tree.close()
    })
    const openOn = async (place: EnginePlace, clock = systemClock) => {
      const tree = await place.open(clock)
      opened.push(tree)
      return tree
    }

    it('of many who claim one wins, and the next attempt is another claim', async () => {
      const tree = await openOn(await prepare())
      const claims = new ClaimNotes(tree, folder)
      const taken = await Promise.all(['a', 'b', 'c', 'd'].map((agent) => claims.take('m', agent, minute)))
      const won = taken.filter(({ outcome }) => outcome === 'claimed').map(({ claim }) => claim)
      expect(won).toHaveLength(1)
      const [{ holder: agent }] = won as [(typeof won)[0]]
      expect(await claims.of('m')).toMatchObject({ holder: agent, attempt: 1 })
      await claims.giveBack('m', { agent, attempt: 1 })
      expect(await claims.take('m', 'e', minute)).toMatchObject({ outcome: 'claimed', claim: { attempt: 2 } })
      await expect(claims.renew('m', { agent, attempt: 1 }, minute)).rejects.toEqual(lost)
      await expect(claims.giveBack('m', { agent, attempt: 1 })).rejects.toEqual(lost)
      await expect(claims.settle('m', { agent, attempt: 1 })).rejects.toEqual(lost)
      expect(await claims.settle('m', { agent: 'e', attempt: 2 })).toBe('settled')
      expect(await claims.settle('m', { agent: 'e', attempt: 2 })).toBe('gone')
    })

    it('a claim ends by the time of the tree, unless it is renewed', async () => {
      const clock = heldClock()
      const place = await prepare()
      // A cluster has a time of its own, which no test can hold.
      if (place.engine !== 'files') return
      const claims = new ClaimNotes(await openOn(place, clock), folder)
      await claims.take('m', 'a', minute)
      clock.advance(minute - 1)
      await claims.renew('m', { agent: 'a' }, minute)
      clock.advance(minute - 1)
      expect(await claims.take('m', 'b', minute)).toMatchObject({ outcome: 'held', claim: { holder: 'a' } })
      clock.advance(1)
      await expect(claims.renew('m', { agent: 'a' }, minute)).rejects.toEqual(lost)
      expect(await claims.take('m', 'b', minute)).toMatchObject({ outcome: 'claimed', claim: { attempt: 2 } })
    })

    it.each(['take', 'renew', 'giveBack', 'settle'] as const)(
      'killed in %s: the claim is the old one or the new one',
      async (verb) => {
        for (let lives = 0; ; lives++) {
          const place = await prepare()
          const tree = await openOn(place)
          const claims = new ClaimNotes(tree, folder)
          if (verb !== 'take') await claims.take('m', 'a', minute)
          const before = await claims.of('m')
          const dying = new ClaimNotes(mortal(tree, lives), folder)
          const isDone = await survives(
            verb === 'take' ? dying.take('m', 'a', minute) : dying[verb]('m', { agent: 'a' }, 2 * minute),
          )
          const after = await claims.of('m')
          if (!isDone) expect(after).toEqual(before)
          // Whatever is left, somebody can go on.
          if (after && after.until !== 0) await claims.settle('m', { agent: 'a' })
          expect(await claims.take('m', 'b', minute)).toMatchObject({ outcome: 'claimed' })
          if (isDone) return
        }
      },
    )

    it('held before it renews or settles: what was handed on meanwhile stays', async () => {
      for (const verb of ['renew', 'giveBack', 'settle'] as const) {
        const tree = await openOn(await prepare())
        const claims = new ClaimNotes(tree, folder)
        await claims.take('m', 'a', minute)
        const [reached, go] = [gate(), gate()]
        const held = new ClaimNotes(
          stoppedAt(tree, async () => {
            reached.open()
            await go.opened
          }),
          folder,
        )
        const late = held[verb]('m', { agent: 'a', attempt: 1 }, 2 * minute).catch((error: unknown) => error)
        await reached.opened
        await claims.giveBack('m', { agent: 'a', attempt: 1 })
        await claims.take('m', 'b', minute)
        go.open()
        expect(await late).toEqual(lost)
        expect(await claims.of('m')).toMatchObject({ holder: 'b', attempt: 2 })
      }
    })

    it('a note that anybody wrote is no claim', async () => {
      for (const text of [
        '',
        'null',
        '{"holder": 1}',
        '{"holder": "x", "attempt": 0}',
        '{"holder":"x","attempt":1e99}',
        '[]',
      ]) {
        const tree = await openOn(await prepare())
        await tree.create(treePath('claims/m.json'), text)
        const claims = new ClaimNotes(tree, folder)
        expect(await claims.of('m')).toBeUndefined()
        expect(await claims.take('m', 'a', minute)).toMatchObject({ outcome: 'claimed', claim: { attempt: 1 } })
      }
    })
  })
}
