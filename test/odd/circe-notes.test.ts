/**
 * What strangers wrote where CIRCE keeps its notes: nothing outside the root changes, every error is one for people, other
 * messages flow, and every message is there once afterwards.
 */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { withCirce } from '../support/circe.ts'
import { brokenIn, filesIn } from '../support/circe-checker.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { everything, flows, namesIn, prepare, seen } from './circe-life.ts'

const [state, cache] = ['.signalbox/state/delivery/circe', '.signalbox/cache/circe']
const deed = (...steps: object[]) => JSON.stringify({ steps, events: [] })
const inbox = '20260301_100002_qa-engineer_inform.md'

const notes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a deed that is none': {
    [`${state}/unfinished/task.FEAT-1.json`]: '{"steps": [',
    [`${state}/unfinished/file.x.md.json`]: 'null',
    [`${state}/unfinished/task.FEAT-9.json`]: '{"steps":{},"events":[]}',
    [`${state}/unfinished/whatever`]: 'x',
    [`${state}/unfinished/task...json`]: deed(),
  },
  'deeds that lead outside': {
    [`${state}/unfinished/task.FEAT-1.json`]: deed(
      { do: 'own', task: '../../../beside/file', owner: 'qa', at: 1 },
      { do: 'claim', file: '../../beside/file.md', agent: 'qa' },
    ),
    [`${state}/unfinished/task.FEAT-2.json`]: deed({
      do: 'settle',
      file: 'x.md',
      from: { place: 'inbox', agent: '..' },
    }),
    [`${state}/unfinished/task.FEAT-3.json`]: deed({ do: 'archive', task: '..' }),
  },
  'a deed about another task': {
    [`${state}/unfinished/task.FEAT-9.json`]: deed(
      { do: 'archive', task: 'FEAT-1' },
      { do: 'own', task: 'FEAT-1', owner: 'qa', at: 1 },
    ),
  },
  'a deed of a huge size': { [`${state}/unfinished/task.FEAT-1.json`]: `${deed()}${' '.repeat(3_000_000)}` },
  'a deed with impossible times': {
    [`${state}/unfinished/task.FEAT-9.json`]: deed({ do: 'own', task: 'FEAT-9', owner: 'qa', at: 1e300 }),
  },
  'copies for nobody': {
    [`${state}/copies/20260301_100009_x/..md`]: 'x',
    [`${state}/copies/20260301_100009_x/all.md`]: 'x',
    [`${state}/copies/20260301_100009_x/no agent!.md`]: 'x',
    [`${state}/copies/loose`]: 'x',
  },
  'marks that say nothing': {
    [`${state}/handed/engineer/${inbox}`]: '\0\0',
    [`${state}/handed/engineer/unknown.md`]: 'acknowledged',
    [`${state}/handed/..x/y.md`]: '',
  },
  'ledgers of all kinds': {
    [`${cache}/tasks/FEAT-1`]: '{"book":{"reviewers":[1]},"applied":[1,null]}',
    [`${cache}/tasks/FEAT-7`]: '[]',
    [`${cache}/tasks/..FEAT`]: 'null',
  },
  'a ledger that claims that everything has counted': {
    [`${cache}/tasks/FEAT-7`]: '{"book":{"reviewers":[]},"applied":["20260301_100001_coordinator-engineer_inform.md"]}',
  },
  'questions that nobody asked': {
    [`${cache}/questions/x.md`]: '{"kind":"question","from":"qa","at":1}',
    [`${cache}/questions/${inbox}`]:
      '{"kind":"approval","from":"../..","at":-1,"answer":{"file":"../../x","digest":""}}',
    [`${cache}/questions/y.md`]: `"${'y'.repeat(200_000)}"`,
  },
  'messages that never lay there': {
    [`${cache}/lying/new.json`]: '{"version":1,"checkedAt":0,"count":1}\n../../x.md\t\t0\t0\told\tfree\t[]\n',
    [`${cache}/lying/inbox.qa.json`]: '-1\n\t\t\t\n',
    [`${cache}/book`]: 'not empty',
    [`${cache}/logged`]: '{"modifiedAt":1e300,"others":[1,{"a":2}]}',
  },
  'somebody who was never here': {
    '.signalbox/state/presence/circe/..ghost': '',
    '.signalbox/state/presence/circe/ROOSTER': '',
  },
}

describe('notes of strangers where CIRCE keeps its own', () => {
  const base = quickTempDir()
  let picture: Promise<Picture> | undefined
  const template = async () => {
    const root = join(base, 'template')
    await prepare(root)
    return pictureOf(root)
  }
  for (const [title, put] of Object.entries(notes)) {
    verifies('X-notes', `${title}: nothing outside changes, all else flows`, async () => {
      picture ??= template()
      const [root, beside] = [join(base, 'root'), join(base, 'beside')]
      for (const one of [root, beside]) fs.rmSync(one, { recursive: true, force: true })
      paint(root, await picture)
      fs.mkdirSync(beside)
      fs.writeFileSync(join(beside, 'file'), 'somebody else’s\n')
      const before = seen(beside)
      const names = namesIn(root)
      for (const [path, text] of Object.entries(put)) {
        fs.mkdirSync(dirname(join(root, path)), { recursive: true })
        fs.writeFileSync(join(root, path), text)
      }
      await withCirce(root, async (circe) => {
        await circe.inspect()
        await flows(circe)
        await everything(circe, names, title)
        await flows(circe)
      })
      expect(seen(beside)).toBe(before)
      const sent = (await picture).files.flatMap(
        ({ path }) => /(?:NEW_MESSAGES|INBOX|LOGS)\/([^/]+\.md)$/.exec(path)?.[1] ?? [],
      )
      const broken = brokenIn(filesIn(root), { sent, isAtRest: true })
      // What no process of ours wrote is told by doctor, and stays until a person has looked.
      expect(broken.filter((one) => !/^a (change|copy|mark) /.test(one))).toEqual([])
    })
  }

  verifies(
    ['X-notes', 'X-doctor'],
    'what is no change of ours is told, and removed when that is asked for',
    async () => {
      const root = join(base, 'told')
      paint(root, await (picture ??= template()))
      const path = `${state}/unfinished/task.FEAT-1.json`
      fs.mkdirSync(dirname(join(root, path)), { recursive: true })
      fs.writeFileSync(join(root, path), 'no change')
      await withCirce(root, async (circe) => {
        expect(await circe.inspect()).toContainEqual(expect.objectContaining({ code: 'STRANGE_NOTE', path }))
        expect(await circe.inspect({ repair: true })).toContainEqual(
          expect.objectContaining({ code: 'STRANGE_NOTE', path, repaired: true }),
        )
        expect((await circe.inspect()).map(({ code }) => code)).not.toContain('STRANGE_NOTE')
      })
    },
  )
})
