/**
 * Something odd wherever CIRCE expects a file or folder, under `AI_MANAGER/` and under `.signalbox/`, and everything that can be
 * asked for there: every error is one for people, nothing outside the root changes, other messages keep flowing, `doctor` tells
 * of it; and once it is gone, every message is there once and every task in step.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { withCirce } from '../support/circe.ts'
import { brokenIn, filesIn } from '../support/circe-checker.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { everything, flows, namesIn, prepare, seen } from './circe-life.ts'

const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
const [state, cache] = ['.signalbox/state/delivery/circe', '.signalbox/cache/circe']
/** Where the bystander's messages lie, and what they need: odd there, nothing flows. */
const needed = /^AI_MANAGER(\/(NEW_MESSAGES|AGENTS|LOGS|LOGS\/events\.log))?$|delivery\/circe(\/(unfinished|handed))?$/

const folders = [
  'AI_MANAGER/NEW_MESSAGES',
  'AI_MANAGER/AGENTS',
  'AI_MANAGER/AGENTS/engineer',
  'AI_MANAGER/AGENTS/engineer/INBOX',
  'AI_MANAGER/AGENTS/engineer/WORKSPACE',
  'AI_MANAGER/TASKS',
  'AI_MANAGER/LOGS',
  'AI_MANAGER/LOGS/rejected',
  'AI_MANAGER/LOGS/workspaces',
  state,
  `${state}/unfinished`,
  `${state}/copies`,
  `${state}/handed`,
  `${state}/handed/engineer`,
  '.signalbox/state/presence/circe',
  cache,
  `${cache}/tasks`,
  `${cache}/questions`,
  `${cache}/stories`,
]
const files = [
  'AI_MANAGER/LOGS/events.log',
  'AI_MANAGER/TASKS/FEAT-1.status',
  'AI_MANAGER/TASKS/FEAT-1.owner',
  'AI_MANAGER/TASKS/FEAT-1.checks',
  'AI_MANAGER/NEW_MESSAGES/20260301_100001_coordinator-engineer_inform.md',
  'AI_MANAGER/AGENTS/engineer/INBOX/20260301_100002_qa-engineer_inform.md',
  'AI_MANAGER/LOGS/20260301_100002_qa-engineer_inform.md',
  `${state}/unfinished/task.FEAT-1.json`,
  `${state}/handed/engineer/20260301_100002_qa-engineer_inform.md`,
  `${cache}/tasks/FEAT-1`,
  `${cache}/stories/FEAT-1`,
  `${cache}/book`,
  `${cache}/logged`,
]

type Kind = 'folder' | 'file' | 'link' | 'dangling link' | 'pipe'

function plant(path: string, kind: Kind, beside: string): void {
  fs.mkdirSync(dirname(path), { recursive: true })
  if (kind === 'folder') fs.mkdirSync(path)
  if (kind === 'file') fs.writeFileSync(path, 'in the way\n')
  if (kind === 'link') fs.symlinkSync(beside, path)
  if (kind === 'dangling link') fs.symlinkSync(join(beside, 'nothing'), path)
  if (kind === 'pipe') spawnSync('mkfifo', [path])
}

async function oddAt(base: string, picture: Picture, path: string, kind: Kind): Promise<void> {
  const [root, beside, aside] = [join(base, 'root'), join(base, 'beside'), join(base, 'aside')]
  for (const one of [root, beside, aside]) fs.rmSync(one, { recursive: true, force: true })
  paint(root, picture)
  fs.mkdirSync(join(beside, 'inner'), { recursive: true })
  fs.writeFileSync(join(beside, 'file'), 'somebody else’s\n')
  const before = seen(beside)
  const names = namesIn(root)
  const full = join(root, path)
  const wasThere = fs.existsSync(full)
  if (wasThere) fs.renameSync(full, aside)
  plant(full, kind, kind === 'link' && files.includes(path) ? join(beside, 'file') : beside)
  const place = `${path} (${kind})`
  await withCirce(root, async (circe) => {
    const told = await circe.inspect()
    expect(
      told.map((one) => one.path),
      `doctor at ${place}`,
    ).toContainEqual(expect.stringContaining(path))
    if (!needed.test(path)) await flows(circe)
    await everything(circe, names, place)
    if (!needed.test(path)) await flows(circe)
  })
  expect(seen(beside), `outside of the root, at ${place}`).toBe(before)
  fs.rmSync(full, { recursive: true, force: true })
  if (wasThere) fs.renameSync(aside, full)
  await withCirce(root, async (circe) => {
    await circe.tasks()
    await circe.inspect({ repair: true })
    await flows(circe)
  })
  const sent = picture.files.flatMap((file) => /(?:NEW_MESSAGES|INBOX|LOGS)\/([^/]+\.md)$/.exec(file.path)?.[1] ?? [])
  // What was hidden with its folder, or was in the way under its own name, is there twice when it comes back.
  const isHidden = /\.md$|AGENTS/.test(path)
  const broken = brokenIn(filesIn(root), { sent: isHidden ? [] : sent, isAtRest: true })
  expect(
    broken.filter((one) => !isHidden || !/ is in | log|has it|still|owns it/.test(one)),
    `afterwards, at ${place}`,
  ).toEqual([])
}

describe('something else where CIRCE expects a file or folder', () => {
  const base = quickTempDir()
  let picture: Promise<Picture> | undefined
  const template = async () => {
    const root = join(base, 'template')
    await prepare(root)
    return pictureOf(root)
  }
  for (const [n, path] of [...folders, ...files].entries()) {
    verifies(['X-notes', 'X-odd', 'X-doctor'], `${path}: costs no message, and doctor tells`, async () => {
      picture ??= template()
      const kinds: Kind[] = [files.includes(path) ? 'folder' : 'file', 'link', 'dangling link', 'pipe']
      // One of them, or all in the long run.
      for (const kind of isLong ? kinds : [kinds[n % 2]!]) await oddAt(base, await picture, path, kind)
    })
  }
})
