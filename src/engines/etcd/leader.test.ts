import { describe, expect, it } from 'vitest'
import { findLeader } from './leader.ts'

const hosts = [1, 2, 3].map((port) => ({ host: 'h', port }))
type Said = { readonly leader: string; readonly term: number } | undefined
/** What the members say in each round; the last round is repeated. */
const search = (rounds: Said[][], mostRounds = 9) => {
  let round = -1
  return findLeader({
    hosts,
    ask: async ({ port }) => {
      if (port === 1) round++
      const said = rounds[Math.min(round, rounds.length - 1)]![port - 1]
      if (!said) throw new Error('no answer')
      return { header: { member_id: `${port}` }, leader: said.leader, raftTerm: `${said.term}` }
    },
    isWanted: () => round < mostRounds,
  })
}

describe('the search for the leader', () => {
  const dead: Said[] = [undefined, { leader: '1', term: 4 }, { leader: '1', term: 4 }]

  it.each<[string, Said[][], number | undefined]>([
    ['believes a member that says so of itself', [[undefined, { leader: '2', term: 5 }, { leader: '2', term: 5 }]], 2],
    [
      'goes on while members name one that does not answer',
      [dead, dead, [undefined, dead[1], { leader: '3', term: 5 }]],
      3,
    ],
    ['takes the newer of two', [[{ leader: '1', term: 4 }, { leader: '2', term: 5 }, undefined]], 2],
    ['ends without one when nobody needs to know any more', [dead], undefined],
  ])('%s', async (_, rounds, port) => {
    expect((await search(rounds, 2))?.port).toBe(port)
  })
})
