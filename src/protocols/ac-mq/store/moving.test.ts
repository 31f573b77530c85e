import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { missionAddress } from '../layout.ts'
import { nextState, transitionNames } from '../lifecycle.ts'
import { queueNames } from '../schema.ts'
import { defaultSettings } from '../settings.ts'
import { moveMessage, setAside } from './moving.ts'
import { MissionFiles } from './parts.ts'

const clock = heldClock(Date.now())
const name = '20250704T103000Z-boss-to-gemini-0a1b2c3d.md'

const filesWith = async (queue: (typeof queueNames)[number]) => {
  const place = { root: treePath('llm/missions'), address: missionAddress('alpha') }
  const files = new MissionFiles(openMemoryTree({ clock }), clock, defaultSettings, place)
  await files.tree.create(files.at(queue, name), 'x')
  return files
}

describe('a message', () => {
  for (const from of queueNames) {
    for (const transition of transitionNames) {
      const to = nextState(from, transition)
      if (to === undefined || to === 'archived') {
        it(`cannot ${transition} from ${from} to a queue`, async () => {
          const files = await filesWith(from)
          const move = moveMessage(files, { name, from, transition }, {})
          await expect(move).rejects.toThrow(`The lifecycle has no ${transition} from ${from} here.`)
          expect(await files.tree.look(files.at(from, name))).toBeDefined()
        })
      } else {
        it(`goes to ${to} when it can ${transition} from ${from}`, async () => {
          const files = await filesWith(from)
          const { moved } = await moveMessage(files, { name, from, transition }, { change: (before) => before })
          expect(moved.outcome).toBe('moved')
          expect(await files.tree.look(files.at(to, name))).toBeDefined()
        })
      }
    }
    it(`is set aside from ${from} only if it may`, async () => {
      const files = await filesWith(from)
      expect(nextState(from, 'setAside')).toBe('archived')
      const { moved, path } = await setAside(files, { name, from }, `1-${name}`, {})
      expect(moved.outcome).toBe('moved')
      expect(path).toBe(`llm/missions/alpha/archive/duplicates/1-${name}`)
    })
  }
})
