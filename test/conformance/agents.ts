/**
 * What the directory of agents promises, on one engine: an agent that acted is seen by every process, one spelling of a name
 * counts, and whoever is killed or held while noting it harms nobody.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { childOf, treePath } from '../../src/kernel/tree-path.ts'
import { AgentDirectory, agentsFolder, presenceFolder } from '../../src/messaging/agents/directory.ts'
import { unseen, unseenNotice } from '../../src/messaging/agents/recipient.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { mortal, survives } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

async function* files(...names: string[]) {
  yield* names
}

/** A copy of a folder may lag a little behind what another process did. */
async function until(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

export function describeAgents(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`the directory of agents on ${title}`, () => {
    const opened: Tree[] = []
    afterEach(async () => {
      for (const tree of opened.splice(0)) await tree.close()
    })
    const openOn = async (place: EnginePlace) => {
      const tree = await place.open(systemClock)
      opened.push(tree)
      return tree
    }
    const namesIn = async (directory: AgentDirectory) => {
      const names: string[] = []
      for await (const { name } of directory.all()) names.push(name)
      return names.sort()
    }

    verifies('X-directory', 'who acted is seen by other processes, with the time', async () => {
      const place = await prepare()
      const tree = await openOn(place)
      const other = new AgentDirectory(await openOn(place))
      const directory = new AgentDirectory(tree)
      expect(await other.seen('coder-1')).toBeUndefined()
      await Promise.all([directory.acted('coder-1'), other.acted('coder-1'), directory.acted('Ann')])
      await until(async () => (await namesIn(other)).length === 2)
      expect(await namesIn(other)).toEqual(['Ann', 'coder-1'])
      const { lastSeenAt } = (await other.seen('coder-1'))!
      expect(Math.abs((await tree.now()) - lastSeenAt!)).toBeLessThan(60_000)
    })

    verifies('X-directory', 'one spelling of a name counts, except where all spellings are one', async () => {
      const tree = await openOn(await prepare())
      await new AgentDirectory(tree).acted('refactoragent', { anyCase: true })
      await new AgentDirectory(tree).acted('RefactorAgent')
      await new AgentDirectory(tree).acted('REFACTORAGENT', { anyCase: true })
      expect(await namesIn(new AgentDirectory(tree))).toEqual(['RefactorAgent'])
      await expect(new AgentDirectory(tree).acted('Refactoragent')).rejects.toMatchObject({
        code: 'SAME_BUT_FOR_CASE',
        exit: 4,
        details: { other: 'RefactorAgent' },
      })
      await expect(unseen(new AgentDirectory(tree), 'refactorAgent', files)).rejects.toMatchObject({
        code: 'SAME_BUT_FOR_CASE',
      })
    })

    it('a recipient whom nobody has seen is told, with the one that may be meant; one who has been costs a look', async () => {
      const tree = await openOn(await prepare())
      const directory = new AgentDirectory(tree)
      await directory.acted('gemini')
      expect(await unseen(directory, 'gemini', () => expect.unreachable())).toBeUndefined()
      expect(await unseen(directory, 'all', () => expect.unreachable())).toBeUndefined()
      expect(unseenNotice((await unseen(directory, 'gemni', files))!)).toContain('Did you mean gemini?')
      expect(await unseen(directory, 'codex', () => files('claude', 'codex'))).toBeUndefined()
      // Found in files once, it is found without them.
      await until(async () => (await new AgentDirectory(tree).seen('codex')) !== undefined)
      expect(await new AgentDirectory(tree).seen('codex')).toEqual({ name: 'codex' })
      expect(await unseen(directory, 'codex', () => expect.unreachable())).toBeUndefined()
    })

    verifies('X-directory', 'people list agents, with their names in other alphabets', async () => {
      const tree = await openOn(await prepare())
      await tree.create(childOf(agentsFolder, 'coder-1.yaml'), 'home: acmq:shop\nnames: [Coder_1, coderOne]\n')
      await tree.create(childOf(agentsFolder, 'broken.yaml'), 'names: [')
      const directory = new AgentDirectory(tree)
      for (const name of ['coder-1', 'Coder_1', 'coderOne', 'broken'])
        expect(await unseen(directory, name, files)).toBeUndefined()
      expect(unseenNotice((await unseen(directory, 'coder-2', files))!)).toContain('Did you mean coder-1?')
    })

    it('killed while it notes an agent: noted or not, and the next one notes it', async () => {
      for (let lives = 0; ; lives++) {
        const tree = await openOn(await prepare())
        const isDone = await survives(new AgentDirectory(mortal(tree, lives)).acted('ann'))
        await new AgentDirectory(tree).acted('ann')
        expect(await namesIn(new AgentDirectory(tree))).toEqual(['ann'])
        if (isDone) return
      }
    })

    it('notes of strangers and of earlier versions', async () => {
      const tree = await openOn(await prepare())
      await tree.create(childOf(presenceFolder, 'bad.json'), '{"name": "../../x"}')
      await tree.create(childOf(presenceFolder, 'null.json'), 'null')
      await tree.create(treePath(`${presenceFolder}/circe/engineer`), '')
      const directory = new AgentDirectory(tree)
      expect(await namesIn(directory)).toEqual(['engineer'])
      expect(await unseen(directory, 'engineer', files)).toBeUndefined()
      expect((await unseen(directory, 'circe', files))?.agent).toBe('circe')
      await directory.acted('bad')
      expect(await namesIn(directory)).toEqual(['bad', 'engineer'])
      for (const name of ['../x', '.hidden', 'a/b', 'x'.repeat(300), '']) await directory.acted(name)
      expect(await namesIn(directory)).toEqual(['bad', 'engineer'])
    })
  })
}
